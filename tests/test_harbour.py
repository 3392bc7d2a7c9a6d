"""A harbour and its quarry: every door gives the same facts of both."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import quote

import pytest
from django.test import Client
from django.utils.html import strip_tags

from memoryhub.dialects.decision_log import outcomes, parse_decision
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.board import figures
from memoryhub.journal.models import Workspace
from memoryhub.recall.request import RecallRequest
from memoryhub.recall.topic import recall_of
from memoryhub.timeline.queries.trends import events_between, sessions_of
from memoryhub.tools.calling import CallerOptions
from tests.decision_doors import check_all_doors, states_by_door
from tests.factories import imported
from tests.harbour import both_imported
from tests.signing import own_program
from tests.tools.doors import directly
from tests.writing import assert_a_rebuild_changes_nothing
from topics.models import Decision, Topic

pytestmark = pytest.mark.django_db
#: After everything that the files say.
NOW = datetime(2026, 11, 22, tzinfo=UTC)


@pytest.fixture
def both(hub_data: Path, tmp_path: Path) -> tuple[Workspace, Workspace]:
    return both_imported(tmp_path)


@pytest.fixture(params=[0, 1], ids=["harbour", "quarry"])
def workspace(
    both: tuple[Workspace, Workspace], request: pytest.FixtureRequest
) -> Workspace:
    return both[request.param]


def page(client: Client, workspace: Workspace, path: str = "") -> str:
    answer = client.get(f"/w/{workspace.slug}/{path}")
    assert answer.status_code == 200, path
    text: str = answer.content.decode()
    return text


def words(markup: str) -> str:
    return re.sub(r"\s+", " ", strip_tags(markup.replace("<", " <")))


def listed(workspace: Workspace, kind: str) -> list[dict[str, object]]:
    answer = own_program().get(f"/api/v1/workspaces/{workspace.slug}/{kind}")
    rows: list[dict[str, object]] = answer.json()["data"]
    return rows


def chips(markup: str) -> dict[str, int]:
    """Return the number of things of each kind in the filter of a timeline."""
    text = re.sub(r"\s+", " ", markup)
    found = re.findall(r'href="[^"]*kind=(\w+)[^"]*"[^>]*>.{0,200}?(\d+)\s*<', text)
    return {kind: int(number) for kind, number in found}


@pytest.mark.parametrize("kind", ["decision", "handoff"])
def test_the_strip_counts_what_the_lists_have(
    client: Client, workspace: Workspace, kind: str
) -> None:
    number = len(listed(workspace, f"{kind}s"))
    strip = page(client, workspace).partition("Read what is new")[0]

    assert chips(strip)[kind] == number
    for query in ("", "?since=last", f"?kind={kind}&since=last"):
        shown = page(client, workspace, f"timeline/{query}")
        assert chips(shown)[kind] == number, query


def test_a_handoff_without_a_time_has_no_age(
    client: Client, both: tuple[Workspace, Workspace]
) -> None:
    harbour, _ = both
    turn = page(client, harbour, "?turns=all").partition("ID-008")[2]
    card = page(client, harbour, "handoffs/").partition('trunc">ID-008')[2]
    row = page(client, harbour, "handoffs/?view=list").partition("ID-008")[2]

    assert "just now" not in turn.partition("</li>")[0]
    assert words(card.partition("</time>")[0]).endswith("not recorded")
    assert "just now" not in row.partition("</tr>")[0]
    waits = words(page(client, harbour, "handoffs/").partition("waits")[2])
    assert "ID-006, time not recorded" in waits


def test_a_decision_without_a_time_is_not_newer_than_a_snapshot(
    both: tuple[Workspace, Workspace],
) -> None:
    topic = Topic.objects.get(workspace=both[0], name="pump-station")

    codes = {
        notice.code for notice in recall_of(both[0], topic, RecallRequest()).notices
    }
    assert "decision-after-snapshot" not in codes


def test_a_status_is_of_the_time_of_its_file(
    client: Client, both: tuple[Workspace, Workspace]
) -> None:
    shown = words(page(client, both[0], "topics/pump-station/"))

    assert "Changed: on disk, 12 Nov · line 8" in shown


def test_a_binding_that_was_read_says_in_which_import(
    client: Client, both: tuple[Workspace, Workspace]
) -> None:
    shown = words(page(client, both[0], "sessions/agent:kai:main/"))

    assert "pump-station by session map" in shown
    assert shown.count(", import #1") == 2


def test_no_text_of_a_rejected_decision_lets_it_stand(
    client: Client, workspace: Workspace
) -> None:
    for row in Decision.objects.filter(workspace=workspace, state="rejected"):
        texts = [page(client, workspace, f"decisions/{row.code}.md")]
        texts.append(page(client, workspace, "decisions.md"))
        for text in texts:
            said = [parse_decision(line) for line in text.splitlines()]
            assert row.text in "".join(one.text for one in said if one.rejected)
            assert "rejected" in outcomes(said).values()


def test_a_rejection_keeps_its_own_day_and_reason(
    client: Client, both: tuple[Workspace, Workspace]
) -> None:
    text = page(client, both[0], "decisions.md")
    assert "- 2026-11-05: 每十分钟取样一次 (传感器的极限)\n" in text
    assert "- 2026-11-09: Rejected: 每十分钟取样一次 (电池撑不过一周)\n" in text

    log = page(client, both[1], "decisions.md")
    assert "- Rejected: Plastic housing (melts)\n" in log
    assert log.count("Plastic") == 1


def test_a_rejection_that_is_read_first_gives_no_reason_for_the_decision(
    hub_data: Path, workspace_root: Path
) -> None:
    head = "# Decisions\n\n"
    imported(
        workspace_root,
        {
            "memory/a/decisions.md": f"{head}- 2026-11-09: Rejected: Tar it (runs)\n",
            "memory/b/decisions.md": f"{head}- 2026-11-02: Tar it (cheap)\n",
        },
    )
    row = Decision.objects.get()

    assert (row.state, row.reason, str(row.decided_on)) == (
        "rejected", "cheap", "2026-11-02",
    )  # fmt: skip
    assert (row.rejected_for, str(row.rejected_on)) == ("runs", "2026-11-09")


def told(workspace: Workspace, tool: str, **fields: object) -> str:
    options = CallerOptions(workspace=workspace.slug)
    return str(directly(options, tool, fields).text)


def test_a_recall_says_what_handoffs_made_of_the_decisions_of_its_topic(
    client: Client, both: tuple[Workspace, Workspace]
) -> None:
    harbour, quarry = both
    asked = Handoff.objects.get(workspace=quarry, task_id="20261120-01")
    form = {"base": asked.standing, "reason": "go"}
    url = f"/w/quarry/handoffs/{asked.code}/sign-off/"
    assert client.post(url, form).status_code == 303

    text = told(harbour, "recall", topic="pump-station")
    states = text.partition("in another state than")[2].partition("###")[0]
    bought, stopped = states.split("\n> ")[1:]
    assert "two weeks sooner; signed off by quarry/operator 20" in bought
    assert "sign it off in 20261119-01]" in stopped


def test_the_palette_finds_every_decision_by_its_whole_text(
    client: Client, workspace: Workspace
) -> None:
    for row in Decision.objects.filter(workspace=workspace):
        found = page(client, workspace, f"palette?q={quote(row.text)}")
        assert f"/decisions/{row.code}/" in found, row


def test_every_door_gives_each_decision_the_same_state(
    client: Client, workspace: Workspace
) -> None:
    assert check_all_doors(client, workspace).total() == len(
        listed(workspace, "decisions")
    )
    for name in ("kai", "mei", "dirk"):
        doors = states_by_door(client, workspace, agent=name)
        timeline = page(client, workspace, f"timeline/?agent={name}")
        numbers = {len(states) for states in doors.values()}
        numbers.add(chips(timeline).get("decision", 0))
        assert len(numbers) == 1, (name, doors)


def test_a_rebuild_of_either_side_changes_nothing(workspace: Workspace) -> None:
    assert_a_rebuild_changes_nothing(workspace)


def test_figures_and_trends_count_what_the_lists_have(
    client: Client, workspace: Workspace
) -> None:
    rows = listed(workspace, "handoffs")
    shares = figures(workspace).sent_back
    assert sum(share.of for share in shares) == len(rows)

    day = datetime(2026, 11, 20, tzinfo=UTC)
    span = (day, day + timedelta(days=1))
    (count,) = events_between(workspace, [span])
    events = listed(workspace, "events?kind=handoff")
    of_day = [e for e in events if str(e["occurred_at"]).startswith("2026-11-20")]
    assert count.number >= len(of_day) > 0


def test_a_session_counts_what_its_filter_lists(
    client: Client, workspace: Workspace
) -> None:
    for session in sessions_of(workspace):
        query = f"?agent={session.agent}&topic={session.slug}"
        shown = page(client, workspace, f"timeline/{query}")
        assert session.events.number == shown.count('<li class="ev'), session.keys
        times = [time for time in (session.first, session.last) if time]
        assert all(time.at.month == 11 and time.at < NOW for time in times)


def test_what_an_open_fence_hides_is_a_problem(
    client: Client, both: tuple[Workspace, Workspace]
) -> None:
    harbour, quarry = both

    assert "a code fence is never closed" in page(client, quarry, "health/")
    options = CallerOptions(workspace=quarry.slug)
    assert directly(options, "workspace_status", {}).fields["open_problems"] == 1
    assert "code fence" not in page(client, harbour, "health/")


def test_programs_are_told_when_and_why_a_decision_was_rejected(
    both: tuple[Workspace, Workspace],
) -> None:
    harbour, _ = both
    (row,) = listed(harbour, "decisions?state=rejected")
    options = CallerOptions(workspace=harbour.slug)
    rows = directly(options, "decisions", {"limit": 100}).fields["decisions"]
    known = {one["text"]: one for one in rows}

    for one in (row, known[str(row["text"])]):
        assert one["rejected_on"] == "2026-11-09"
        assert one["rejected_for"] == "电池撑不过一周"
    untimed = Decision.objects.filter(workspace=harbour, precision="none").count()
    last = {one["text"] for one in rows[-untimed:]}
    assert {"用 UTC 存储所有时间", "Use blue tags for live lines"} <= last
