"""The state of every decision of a workspace, as each door answers it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from html import unescape
from random import Random
from typing import Any

from django.test import Client

from memoryhub.journal.models import Workspace
from memoryhub.people.callers import Caller
from memoryhub.tools.calling import call, request_of
from memoryhub.tools.decisions import DecisionList
from memoryhub.tools.registry import tool_named
from memoryhub.web.kit.prose import without_marks
from memoryhub.web.kit.state_labels import DECISION_STATES
from tests.signing import own_program
from topics.models import Decision, Topic

#: The state of each decision by its text.
States = dict[str, str]

_BY_LABEL = {str(label): state for state, (_, label) in DECISION_STATES.items()}
_ROW = re.compile(
    r'<a class="t cover" href="[^"]*/decisions/[^"]*">(.*?)</a>.*?'
    r'<span class="st \w+">.*?</svg>([^<]+)</span></li>',
    re.DOTALL,
)
_TASK = """<task>
<from>planner</from>
<to>builder</to>
<task_id>20261120-{number:02}</task_id>
<type>decision</type>
<context>{text}. It was asked for.</context>
</task>
"""


def states_by_door(
    client: Client, workspace: Workspace, *, agent: str = "", topic: str = ""
) -> dict[str, States]:
    """Return what each door that lists decisions says, of an agent or a topic."""
    narrowed = f"agent={agent}&topic={topic}"
    doors: dict[str, Callable[[str], States]] = {
        "log": lambda query: _log(client, workspace, query),
        "REST": lambda query: _rest(workspace, query),
    }
    found = {name: door(narrowed) for name, door in doors.items()}
    for name, door in doors.items():
        found[f"{name}, by state"] = {
            text: state
            for state in Decision.State.values
            for text in door(f"{narrowed}&state={state}")
        }
    return found | {"MCP": _tool(workspace, agent, topic)}


def states_by_topic(client: Client, workspace: Workspace) -> dict[str, States]:
    """Return what the tab of each topic says that has decisions."""
    topics = Topic.objects.filter(workspace=workspace, decisions__isnull=False)
    pages = {
        topic: client.get(f"/w/{workspace.slug}/topics/{topic.code}/decisions/")
        for topic in topics.distinct()
    }
    return {topic.slug: _rows(page.content) for topic, page in pages.items()}


def states_by_page(client: Client, workspace: Workspace) -> States:
    """Return the state that the page of each decision shows."""
    chip = re.compile(r'<span class="st chip \w+">.*?</svg>([^<]+)</span>', re.DOTALL)
    found = {}
    for row in Decision.objects.filter(workspace=workspace):
        page = client.get(f"/w/{workspace.slug}/decisions/{row.code}/").content.decode()
        shown = chip.search(page)
        assert shown
        found[row.text] = _BY_LABEL[shown[1]]
    return found


def check_all_doors(client: Client, workspace: Workspace) -> Counter[str]:
    """Assert that every door gives each decision its state; return their numbers."""
    rows = Decision.objects.filter(workspace=workspace)
    known = dict(rows.values_list("text", "state"))
    doors = states_by_door(client, workspace)
    doors |= {"page": states_by_page(client, workspace)}
    assert {name: states for name, states in doors.items() if states != known} == {}
    for slug, shown in states_by_topic(client, workspace).items():
        assert shown == dict(rows.filter(topic__slug=slug).values_list("text", "state"))
    return Counter(known.values())


def _log(client: Client, workspace: Workspace, query: str) -> States:
    found, url = States(), f"/w/{workspace.slug}/decisions/?{query}"
    while url:
        page = client.get(url).content.decode()
        found |= _rows(page.encode())
        more = re.search(r'<a class="more" href="([^"]+)"[^>]*>Show older', page)
        url = unescape(more[1]) if more else ""
    return found


def _rows(page: bytes) -> States:
    rows = _ROW.findall(page.decode())
    written = Decision.objects.values_list("text", flat=True)
    texts = {without_marks(text): text for text in written}
    return {texts[unescape(text)]: _BY_LABEL[label] for text, label in rows}


def _rest(workspace: Workspace, query: str) -> States:
    return {row["text"]: row["state"] for row in records(workspace, query)}


def records(workspace: Workspace, query: str = "") -> Iterator[dict[str, Any]]:
    """Give all decisions that REST lists, one page after the other."""
    program, cursor = own_program(), ""
    base = f"/api/v1/workspaces/{workspace.slug}/decisions"
    while True:
        url = f"{base}?{query}&cursor={cursor}"
        answer = program.get(url)
        assert answer.status_code == 200, answer.content
        yield from answer.json()["data"]
        cursor = answer.json()["next"] or ""
        if not cursor:
            return


def listed(workspace: Workspace, **asked: Any) -> DecisionList:
    """Return what an agent is told that asks for decisions."""
    tool = tool_named("decisions")
    answer = call(tool, Caller(workspace, "scout", "scout"), request_of(tool, asked))
    assert isinstance(answer, DecisionList)
    return answer


def _tool(workspace: Workspace, agent: str, topic: str) -> States:
    found = listed(workspace, agent=agent, topic=topic, limit=500)
    assert found.total == len(found.decisions)
    return {row.text: row.state for row in found.decisions}


def generated(seed: int) -> dict[str, str]:
    """Return the files of a workspace with decisions in every state."""
    random, files, asked = Random(seed), dict[str, str](), list[str]()
    for topic in ("queue", "billing", "search"):
        texts = [f"Choose way {seed}-{topic}-{n}" for n in range(random.randint(4, 9))]
        lines = [_line(text, random) for text in texts[:-1]]
        lines.append(f"- 2026-11-17: {texts[-1]} (cheap)")
        lines.append(f"- 2026-11-18: Rejected: {texts[0]} (too slow)")
        lines.append(f"- 2026-11-19: Way out of {topic} (x; supersedes {texts[1]})")
        asked += [*random.sample(texts[:-1], 2), texts[-1]]
        text = "\n".join(lines)
        files[f"memory/context-{topic}.md"] = (
            f"# Context: {topic}\n\n## Meta\n- **session**: agent:{topic}-x:main\n\n"
            f"## Current Status\nWorks.\n\n## Key Decisions\n{text}\n"
        )
    files["memory/handoffs.md"] = "\n".join(
        _TASK.format(number=number, text=text) for number, text in enumerate(asked, 1)
    )
    files["memory/decisions.md"] = f"- 2026-11-12: {asked[0]} (signed off by Dana)\n"
    files["memory/2026-11-21.md"] = (
        "# 2026-11-21\n\n## 10:15 Names\n\n**Decision:** Name them -- easier to read.\n"
    )
    return files


def _line(text: str, random: Random) -> str:
    signed = random.choice(["", "", "; signed off by Dana 2026-11-10"])
    return f"- 2026-11-{random.randint(1, 17):02}: {text} (cheap{signed})"
