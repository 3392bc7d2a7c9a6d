"""What is counted has one number: on every page, by REST, MCP and command."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator, Mapping
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
import time_machine
from django.core.management import call_command
from django.test import Client

from memoryhub.journal.models import Workspace
from memoryhub.sync.engine import sync_workspace
from memoryhub.tools.calling import CallerOptions
from memoryhub.workspaces.services.adding import add_workspace
from tests.clock import TODAY
from tests.factories import imported, snapshot_text, write
from tests.harbour import both_imported
from tests.signing import own_program
from tests.tools.doors import DOORS
from topics.models import Topic

pytestmark = pytest.mark.django_db(transaction=True)
_MORE = re.compile(r'<a class="more" href="([^"]+)"[^>]*>Show [^<]*older')
SAMPLE = Path(__file__).parents[1] / "samples/acme-checkout"


@pytest.fixture(autouse=True)
def _today() -> Iterator[None]:
    """Have the day of the samples: trends show twelve weeks."""
    with time_machine.travel(TODAY):
        yield


#: A workspace of something of each kind that is counted, written by hand.
WRITTEN = {
    "MEMORY.md": "# Memory\n\n## Rules\n\n- Always ask Kim before a release.\n"
    "- Never keep logs for more than 30 days.\n\n## Decisions\n\n"
    "- 2026-11-10: Use Postgres 17\n",
    "AGENTS.md": "# Agents\n\n## Agent Roles\n\n- planner: Plans\n- builder: Builds\n",
    "memory/2026-11-18.md": "# 2026-11-18\n\n## 09:00 - Tunnel\n\nLooked at it. "
    "We decided to keep the old gateway for now.\n\n- [ ] Ask ops about the tunnel\n",
    "memory/2026-11-19.md": "# 2026-11-19\n\n- 10:00 Restarted the gateway.\n"
    "- password: Tr0ub4dor" + "&3-horse\n- token: ghp_" + "k9Xw2" * 7 + "q\n"
    "\n## 11:00 - Certificate\n\nSomebody still has to renew the certificate.\n"
    "\n## 12:00 - Kim\n\nFrom now on always ask Kim first."
    " Please never restart the gateway at night.\n" + snapshot_text(1),
    "memory/ops.md": "# Ops\n\n- password: c0rrect" + "-H0rse-9\n",
    "memory/context-tunnel.md": "# tunnel\n\n## Current Status\nHalf dug.\n\n"
    "## Key Decisions\n- 2026-11-12: Dig by hand\n\n## History\n"
    "- 2026-11-12: Context created\n",
    "memory/context-session-map.json": '{"agent:planner:main": "tunnel",'
    ' "agent:builder:telegram:dm:1": "tunnel"}',
    "memory/handoffs/20261118-01.md": "<task>\n<from>planner</from>\n<to>builder</to>\n"
    "<task_id>20261118-01</task_id>\n<type>write</type>\n<context>Dig</context>\n"
    "<input>The east side</input>\n</task>\n",
}


@pytest.fixture(params=["sample", "changed", "harbour", "quarry", "written"])
def workspace(
    request: pytest.FixtureRequest, hub_data: Path, tmp_path: Path
) -> Workspace:
    """Return a workspace that all doors are asked about."""
    if request.param in ("harbour", "quarry"):
        return both_imported(tmp_path)[request.param == "quarry"]
    root = tmp_path / "acme"
    if request.param == "written":
        root.mkdir()
        return imported(root, WRITTEN)
    shutil.copytree(SAMPLE, root)
    workspace = add_workspace(root, slug="acme")
    sync_workspace(workspace)
    if request.param == "changed":
        memory = (root / "MEMORY.md").read_text() + "\n- 全部测试通过\n"
        bound = '{"agent:planner:main": "billing-migration"}'
        write(root, {"MEMORY.md": memory, "memory/context-session-map.json": bound})
        (root / "memory/context-rate-limits.md").unlink()
        sync_workspace(workspace)
    return Workspace.objects.get(pk=workspace.pk)


class Pages:
    """The pages of a workspace as their readers see them."""

    def __init__(self, client: Client, workspace: Workspace) -> None:
        self._client, self._base = client, f"/w/{workspace.slug}/"

    def html(self, path: str = "") -> str:
        url = path if path.startswith("/") else self._base + path
        answer = self._client.get(url)
        assert answer.status_code == 200, url
        text: str = answer.content.decode()
        return text

    def text(self, path: str = "", *, whole: bool = False) -> str:
        """Return the words of a page, without its frame unless it is `whole`."""
        html = self.html(path)
        if not whole:
            html = html.partition("<main")[2].partition("</main>")[0]
        words = re.sub(r"<svg.*?</svg>|<[^>]+>", " ", "<" + html, flags=re.DOTALL)
        return unescape(re.sub(r"\s+", " ", words))

    def number(self, pattern: str, path: str = "", *, whole: bool = False) -> int:
        """Return the only number that a pattern finds on a page; 0 for none."""
        found = {int(n) for n in re.findall(pattern, self.text(path, whole=whole))}
        assert len(found) < 2, (path, pattern, found)
        return found.pop() if found else 0

    def rows(self, path: str, row: str) -> int:
        """Return the number of rows of a list, on all its pages."""
        number, url = 0, path
        while url:
            html = self.html(url)
            number += html.count(row)
            more = re.search(
                r'<a class="more" href="([^"]+)"[^>]*>Show [^<]*older', html
            )
            url = unescape(more[1]) if more else ""
        return number


@pytest.fixture
def pages(client: Client, workspace: Workspace) -> Pages:
    return Pages(client, workspace)


def by_rest(workspace: Workspace, kind: str, **query: str) -> list[dict[str, Any]]:
    program, rows, cursor = own_program(), [], ""
    while True:
        asked = query | ({"cursor": cursor} if cursor else {})
        url = f"/api/v1/workspaces/{workspace.slug}/{kind}"
        answer = program.get(url, asked).json()
        rows += answer["data"]
        cursor = answer.get("next") or ""
        if not cursor:
            return rows


def by_tools(workspace: Workspace, name: str, field: str, **asked: Any) -> set[int]:
    """Return the number that a tool gives, by each door."""
    said = CallerOptions(workspace=workspace.slug)
    given = {door: ask(said, name, asked) for door, ask in DOORS.items()}
    numbers = {door: answer.fields[field] for door, answer in given.items()}
    counted = (n if isinstance(n, int) else len(n) for n in numbers.values())
    return set(counted)


def said_by_command(
    workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> dict[str, Any]:
    call_command("status", "--json")
    said = json.loads(capsys.readouterr().out)["workspaces"]
    (found,) = (row for row in said if row["workspace"] == workspace.slug)
    return dict(found)


def alike(numbers: Mapping[str, int | set[int]]) -> int:
    """Return the one number of all doors."""
    found = {d: n if isinstance(n, set) else {n} for d, n in numbers.items()}
    assert len(set.union(*found.values())) == 1, numbers
    return set.union(*found.values()).pop()


def test_events_have_one_number(pages: Pages, workspace: Workspace) -> None:
    """Trends have those with a time, REST says of the others that they have none."""
    listed = pages.rows("timeline/", '<li class="ev')
    told = by_rest(workspace, "events")
    undated = sum(row["occurred_at"] is None for row in told)

    doors = {
        "strip": pages.number(r"(\d+) events in all"),
        "chip": pages.number(r"\bAll (\d+)", "timeline/"),
        "news": pages.number(r"\bAll (\d+)", "timeline/?since=last"),
        "trends": pages.number(r"12 weeks, (\d+) dated events", "trends/") + undated,
        "REST": len(told),
    }
    assert alike(doors) == listed


def test_the_chip_of_all_counts_the_rows_of_a_topic_and_an_agent(
    pages: Pages, workspace: Workspace
) -> None:
    agents = {row["agent"] for row in by_rest(workspace, "snapshots") if row["agent"]}
    topics = Topic.objects.filter(workspace=workspace).values_list("slug", flat=True)
    assert topics
    for query in (
        *(f"timeline/?agent={name}" for name in agents),
        *(f"topics/{slug}/" for slug in topics),
    ):
        listed = pages.rows(query, '<li class="ev')
        assert pages.number(r"\bAll (\d+) ", query) == listed, query


@pytest.mark.parametrize("workspace", ["sample", "changed", "harbour"], indirect=True)
def test_tokens_of_memory_md_have_one_number(
    pages: Pages, workspace: Workspace
) -> None:
    files = {row["path"]: row["tokens"] for row in by_rest(workspace, "files")}
    listed = re.search(r"MEMORY\.md .{0,40}?\d+ (\d+) ", pages.text("files/"))
    assert listed
    alike(
        {
            "tool": by_tools(workspace, "memory_budget", "tokens"),
            "REST": files["MEMORY.md"],
            "page": pages.number(r" (\d+) tokens", "files/MEMORY.md"),
            "list": int(listed[1]),
        }
        | {
            page or "overview": pages.number(r"\b(\d+) of 800 tokens", page)
            for page in ("", "health/", "trends/")
            if " of 800 tokens" in pages.text(page)
        }
    )


def test_a_topic_has_one_state_and_its_tabs_count_their_rows(
    pages: Pages, workspace: Workspace
) -> None:
    listed = pages.html("topics/")
    for topic in Topic.objects.filter(workspace=workspace):
        url = f'/w/{workspace.slug}/topics/{quote(topic.slug)}/"'
        row = next(r for r in listed.split("<tr>") if f'cover trunc" href="{url}' in r)
        state = re.search(r'<span class="st \w+">.*?</svg>([^<]+)</span>', row)
        page = pages.html(f"topics/{topic.slug}/")
        shown = re.search(r'<span class="st chip \w+">.*?</svg>([^<]+)</span>', page)
        assert state and shown and state[1] == shown[1], topic.slug
        side = page.partition("</aside>")[0].rpartition("<aside")[2] or page
        for beside in re.findall(rf'href="{url}[^>]*>(.*?)</a>', side, re.DOTALL):
            if named := re.search(r'class="sr">([^<]+)</span>', beside):
                assert named[1] == state[1], (topic.slug, "sidebar")
        tabs = dict(
            re.findall(rf'{url[:-1]}(\w+)/">\s*\w+\s*<span class="n">(\d+)', page)
        )
        assert set(tabs) == {"snapshots", "decisions", "handoffs", "sessions"}
        for tab, number in tabs.items():
            html = pages.html(f"topics/{topic.slug}/{tab}/")
            card = html.partition('<section class="card"')[2]
            rows = card.partition('id="suggested"')[0].count("cover")
            assert rows == int(number), (topic.slug, tab)
        cells = re.findall(r'<td class="r num hide-m">\s*(\d+)', row)
        assert cells[0] == tabs["decisions"], topic.slug


def test_topics_and_the_quiet_ones_have_one_number(
    pages: Pages, workspace: Workspace
) -> None:
    alike(
        {
            "list": pages.number(r"Topics (\d+) topics?, including", "topics/"),
            "sidebar": pages.number(r"All (?:topics: )?(\d+)(?: topics)?", whole=True),
            "REST": len(by_rest(workspace, "topics")),
            "health": pages.number(r"\d+ of (\d+) quiet", "health/"),
        }
    )
    listed = re.search(r"Quiet (\d+) Topics with", pages.text("topics/"))
    alike(
        {
            "list": int(listed[1]) if listed else 0,
            "health": pages.number(r"(\d+) of \d+ quiet", "health/"),
        }
    )


def test_files_have_one_number(
    pages: Pages, workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    alike(
        {
            "sidebar": pages.number(r"Files (\d+) Review", whole=True),
            "health": pages.number(r"(\d+) files? on disk, all imported", "health/"),
            "REST": len([f for f in by_rest(workspace, "files") if f["present"]]),
            "tool": by_tools(workspace, "workspace_status", "files"),
            "command": said_by_command(workspace, capsys)["files"],
        }
    )


def test_decisions_have_one_number(pages: Pages, workspace: Workspace) -> None:
    chip = r'\?state=(?!gone)\w+"[^>]*>[^<]*<span class="n">(\d+)<'
    states = re.findall(chip, pages.html("decisions/"))
    alike(
        {
            "strip": pages.number(r"(\d+) decisions? "),
            "page": pages.number(r"Decisions (\d+) decisions", "decisions/"),
            "states": sum(map(int, states)),
            "timeline": pages.number(r"\bDecisions (\d+)", "timeline/"),
            "REST": len(by_rest(workspace, "decisions")),
            "tool": by_tools(workspace, "decisions", "total"),
        }
    )


def test_open_items_have_one_number(pages: Pages, workspace: Workspace) -> None:
    alike(
        {
            "page": pages.number(r"Open items (\d+) open items?", "open-items/"),
            "state": pages.number(r"State Open (\d+)", "open-items/"),
            "overview": pages.number(r"Open items (\d+) All open items"),
            "REST": len(by_rest(workspace, "open-items")),
            "tool": by_tools(workspace, "open_items", "total"),
            "status": by_tools(workspace, "workspace_status", "open_items"),
        }
    )


def test_snapshots_and_handoffs_have_one_number(
    pages: Pages, workspace: Workspace
) -> None:
    alike(
        {
            "list": pages.rows("snapshots/", '<a class="t cover'),
            "timeline": pages.number(r"\bSnapshots (\d+)", "timeline/"),
            "strip": pages.number(r"(\d+) snapshots? "),
            "REST": len(by_rest(workspace, "snapshots")),
        }
    )
    alike(
        {
            "list": pages.number(r"\bAll (\d+)", "handoffs/?view=list"),
            "timeline": pages.number(r"\bHandoffs (\d+)", "timeline/"),
            "strip": pages.number(r"(\d+) handoffs? "),
            "REST": len(by_rest(workspace, "handoffs")),
            "tool": by_tools(workspace, "handoff_list", "handoffs", limit=100),
        }
    )


def test_problems_comments_and_losses_have_one_number(
    pages: Pages, workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    alike(
        {
            "health": pages.number(r"Problems in the files (\d+) ", "health/"),
            "status": by_tools(workspace, "workspace_status", "open_problems"),
            "command": said_by_command(workspace, capsys)["open_problems"],
        }
    )
    alike(
        {
            "page": pages.number(r"\bOpen (\d+) Waits", "comments/"),
            "REST": len(by_rest(workspace, "comments")),
        }
    )


def test_agents_have_one_number(pages: Pages) -> None:
    rows = pages.html("agents/").partition("<tbody")[2]
    alike(
        {
            "page": pages.number(r"\b(\d+) agents? Agents in these files", "agents/"),
            "overview": pages.number(r"\b(\d+) agents?: "),
            "card": pages.number(r"Agents now (\d+)"),
            "rows": rows.partition("</tbody>")[0].count("<tr"),
        }
    )


def test_entries_of_the_newest_day_have_one_number(pages: Pages) -> None:
    day = re.search(r'href="(/w/[^"]+/days/[\d-]+/)">\s*Whole day', pages.html())
    assert day
    alike(
        {
            "overview": pages.number(r"(\d+) Whole day"),
            "day": pages.number(r"(\d+) entr(?:y|ies)\b", day[1]),
        }
    )


def test_your_turn_has_one_number_of_each_group(
    pages: Pages, workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    said = said_by_command(workspace, capsys)
    for group, words in (
        ("needs_answer", "Needs your answer"),
        ("looks_stuck", "Looks stuck"),
    ):
        alike(
            {
                "overview": pages.number(rf"{words} (\d+)"),
                "tool": by_tools(workspace, "workspace_status", group),
                "command": said[group],
            }
        )


def test_secrets_have_one_number_and_their_files_too(pages: Pages) -> None:
    said = r"(\d+) secrets? in \d+ files?", r"\d+ secrets? in (\d+) files?"
    rows = re.findall(r"(\d+) probable secrets? line", pages.text("health/"))
    for pattern, listed in zip(said, (sum(map(int, rows)), len(rows)), strict=True):
        alike(
            {
                "overview": pages.number(pattern),
                "health": pages.number(pattern, "health/"),
                "rows": listed,
            }
        )


def test_suggestions_have_one_number_of_each_kind(
    pages: Pages, workspace: Workspace
) -> None:
    for kind, place, tool in (
        ("decision", "decisions", "decisions"),
        ("item", "open-items", "open_items"),
        ("directive", "directives", ""),
    ):
        doors: dict[str, int | set[int]] = {
            "REST": len(by_rest(workspace, place, grade="suggested")),
            "all less declared": len(by_rest(workspace, place, grade="all"))
            - len(by_rest(workspace, place)),
            "tool": by_tools(workspace, "suggestions", "total", kind=kind),
        }
        if tool:
            doors |= {
                "its tool": by_tools(workspace, tool, "total", grade="suggested"),
                "page": pages.number(r"(\d+) more, suggested", f"{place}/"),
            }
        alike(doors)


def test_sessions_have_one_number(pages: Pages) -> None:
    text = pages.text("sessions/")
    listed = pages.html("sessions/").partition("<tbody")[2].partition("</tbody>")[0]
    head = re.search(r"Sessions (\d+) sessions?", text)
    assert listed.count("<tr") == (int(head[1]) if head else 0)
