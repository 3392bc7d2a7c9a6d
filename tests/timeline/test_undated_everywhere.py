"""Things of every kind with and without a time, at every door that lists them."""

from __future__ import annotations

import json
import os
import re
from datetime import timedelta
from html import unescape
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from memoryhub.events.models import UNTIMED, Event
from memoryhub.journal.models import Revision, Workspace
from memoryhub.search.queries import search
from memoryhub.sync.engine import sync_workspace
from memoryhub.timeline.queries import events
from memoryhub.timeline.queries.days import day_facts
from memoryhub.timeline.queries.events import timeline_page
from memoryhub.timeline.queries.filters import Filter
from memoryhub.tools.calling import CallerOptions
from tests.factories import imported
from tests.signing import own_program
from tests.tools.doors import DOORS
from tests.writing import assert_a_rebuild_changes_nothing, say, write_files

pytestmark = pytest.mark.django_db(transaction=True)

TASK = """<task>
  <from>{sender}</from>
  <to>planner</to>
  <task_id>{id}</task_id>
  <type>decision</type>
  <context>{word} handoff</context>
</task>
"""
SNAPSHOT = """## Task Snapshot

<!-- BIG-MEMORY-SNAPSHOT v1 -->
{stamp}<!-- snapshot-id: {id} -->
<!-- agent: {agent} -->
<!-- topic: {topic} -->

### [SNAPSHOT] Active Goal
Reach the {word} goal

### [SNAPSHOT] Current State
- Phase: implementing

### [SNAPSHOT] Next Steps
1. [ ] Take the {word} step

<!-- /BIG-MEMORY-SNAPSHOT -->
"""
CONTEXT = """# Context: {topic}

## Meta
{created}- **session**: agent:{agent}:main

## Current Status
The {word} status

## Key Decisions
- {day}Order the {word} rope

## History
- {day}The {word} line
"""
DATED = {
    "memory/2026-05-02.md": "# 2026-05-02\n\n## 10:00 - The Dated entry\nText.\n\n"
    "Decision: keep the Dated pump\n\n- [ ] Order the Dated gasket\n\n"
    + TASK.format(sender="scout", id="20260502-01", word="Dated")
    + SNAPSHOT.format(
        stamp="<!-- timestamp: 2026-05-02T12:00:00 -->\n",
        id="2026-05-02-01", agent="scout", topic="aft", word="Dated",
    ),
    "memory/context-aft.md": CONTEXT.format(
        topic="aft", created="- **created**: 2026-05-01\n", agent="scout",
        word="Dated", day="2026-05-02: ",
    ),
}  # fmt: skip
UNDATED = {
    "memory/zz.md": "# zz\n\n## The Undated entry\nText.\n\n## Decisions\n"
    "- We keep the Undated pump\n\n"
    + SNAPSHOT.format(stamp="", id="odd", agent="pilot", topic="bow", word="Undated"),
    "memory/context-bow.md": CONTEXT.format(
        topic="bow", created="", agent="pilot", word="Undated", day="",
    ),
    "tasks.md": "# Tasks\n\n- [ ] Order the Undated gasket\n",
    "memory/tasks.md": TASK.format(sender="pilot", id="x-1", word="Undated"),
    "MEMORY.md": "# Memory\n\n## Directives\n- Never touch the Undated valve\n",
}  # fmt: skip


@pytest.fixture(params=["at once", "later"])
def workspace(
    request: pytest.FixtureRequest, workspace_root: Path, hub_data: Path
) -> Workspace:
    if request.param == "at once":
        return imported(workspace_root, UNDATED | DATED)
    workspace = imported(workspace_root, DATED)
    say(workspace, {**UNDATED})
    return workspace


def main_of(client: Client, address: str) -> str:
    """Return the words of a page's own part, without what folds them into lines."""
    page = client.get(f"/w/acme/{address}").content.decode()
    page = page[page.index("<main") : page.index("</main")]
    return " ".join(re.sub(r"(?s)<[^>]+>", " ", page).split())


def comes_last(text: str, what: str) -> bool:
    """Return whether the last dated thing stands above the first undated one."""
    dated, undated = f"Dated {what}", f"Undated {what}"
    return dated in text and text.rindex(dated) < text.find(undated)


@pytest.mark.parametrize(
    ("address", "what"),
    [
        ("timeline/", "pump"),
        ("timeline/", "goal"),
        ("timeline/", "handoff"),
        ("timeline/", "line"),
        ("timeline/", "status"),
        ("timeline/?kind=decision", "pump"),
        ("timeline/?kind=decision&q=keep", "pump"),
        ("timeline/?q=the", "line"),
        ("timeline/?kind=snapshot", "goal"),
        ("timeline/?kind=handoff", "handoff"),
        ("timeline/?kind=history", "line"),
        ("timeline/?kind=topic", "status"),
        ("decisions/", "pump"),
        ("open-items/", "gasket"),
        ("open-items/?sort=oldest", "gasket"),
        ("handoffs/", "handoff"),
        ("handoffs/?view=list&sort=oldest", "handoff"),
        ("snapshots/", "goal"),
        ("topics/", "status"),
    ],
)
def test_on_a_page(
    client: Client, workspace: Workspace, address: str, what: str
) -> None:
    assert comes_last(main_of(client, address), what)


@pytest.mark.parametrize(
    "code", ["kind=decision", "kind=snapshot", "kind=decision&q=e"]
)
def test_a_page_of_events_goes_on_among_those_without_a_time(
    client: Client, workspace: Workspace, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "PAGE_SIZE", 1)
    url, seen = f"/w/acme/timeline/?{code}", []
    while url:
        page = client.get(url).content.decode()
        seen += re.findall(r'id="e-([^"]+)"', page)
        more = re.search(r'<a class="more" href="([^"]+)"', page)
        url = unescape(more[1]) if more else ""

    kind = code.partition("&")[0].removeprefix("kind=")
    assert len(seen) == len(set(seen)) == Event.objects.filter(kind=kind).count()


def test_no_day_has_it(workspace: Workspace) -> None:
    """Its file, which came that day, is all that a day can tell."""
    end = Revision.objects.latest("seq").recorded_at + timedelta(seconds=1)
    facts = day_facts(workspace, end - timedelta(days=30), end)

    stated = facts.entries, facts.snapshots, facts.items, facts.decisions
    assert (*stated, facts.directives) == ((), (), (), (), ())


def test_its_file_came_at_a_known_time_if_the_hub_noticed_it(
    client: Client, workspace: Workspace
) -> None:
    arrived = Event.objects.filter(kind="file", title="memory/zz.md").exclude(UNTIMED)

    assert arrived.count() == int(workspace.runs.count() > 1)


def test_what_is_added_to_a_known_file_is_of_the_time_on_disk(
    client: Client, workspace: Workspace
) -> None:
    """Not of the import: it can have run days later."""
    last = Revision.objects.latest("seq").recorded_at
    later = last + timedelta(hours=2)
    write_files(
        Path(workspace.root),
        {
            "memory/zz.md": UNDATED["memory/zz.md"]
            + "\n## Decisions\n- Keep the old barge\n"
        },
    )
    os.utime(Path(workspace.root, "memory/zz.md"), (later.timestamp(),) * 2)
    with time_machine.travel(later + timedelta(days=2), tick=True):
        sync_workspace(workspace)

    event = Event.objects.get(kind="decision", title="Keep the old barge")
    assert abs(event.occurred_at - later) < timedelta(seconds=2)
    assert_a_rebuild_changes_nothing(workspace)


def test_what_is_written_through_the_hub_is_of_that_time(workspace: Workspace) -> None:
    said = CallerOptions(workspace="acme", agent="keeper")
    DOORS["cli"](said, "memory_append", {"content": "- The barge was sold."})

    written = Event.objects.exclude(actor="")
    assert written.exists() and not written.filter(UNTIMED).exists()


def test_feeds_leave_it_out(client: Client, workspace: Workspace) -> None:
    for address in ("timeline.atom", "topics/bow.atom", "topics/aft.atom"):
        feed = client.get(f"/w/acme/{address}").content.decode()
        assert "Undated" not in feed and "<feed" in feed


@pytest.mark.parametrize(
    ("what", "name"),
    [
        ("decisions", "pump"),
        ("open-items", "gasket"),
        ("handoffs", "handoff"),
        ("snapshots", "goal"),
        ("events", "pump"),
        ("events?kind=decision", "pump"),
        ("events?kind=handoff", "handoff"),
        ("events?q=goal", "goal"),
    ],
)
def test_by_rest(workspace: Workspace, what: str, name: str) -> None:
    listed = own_program().get(f"/api/v1/workspaces/acme/{what}").json()["data"]

    assert comes_last(json.dumps(listed), name)
    if what.startswith("events"):
        times = [row["occurred_at"] for row in listed if "Undated" in row["title"]]
        assert times and set(times) == {None}


@pytest.mark.parametrize("door", DOORS)
def test_by_tools_and_commands(workspace: Workspace, door: str) -> None:
    said = CallerOptions(workspace="acme", agent="keeper")

    def told(tool: str, **fields: Any) -> str:
        return json.dumps(DOORS[door](said, tool, fields).fields)

    assert comes_last(told("decisions"), "pump")
    assert comes_last(told("open_items"), "gasket")
    assert comes_last(told("handoff_list"), "handoff")
    assert "Dated goal" in told("snapshot_status")
    recalled = told("recall")
    assert comes_last(recalled, "pump") and comes_last(recalled, "gasket")


def test_recall_begins_with_what_has_a_time(
    client: Client, workspace: Workspace
) -> None:
    recalled = main_of(client, "recall/")

    for what in ("goal", "handoff", "pump", "gasket"):
        assert comes_last(recalled, what)


def test_found_things_say_no_time_that_nobody_knows(
    client: Client, workspace: Workspace
) -> None:
    found = search(workspace, "pump")
    times = {hit.thing.title: hit.thing.occurred_at for hit in found.hits}

    assert times["We keep the Undated pump"] is None
    assert times["keep the Dated pump"]


def test_the_list_is_one_walk_of_an_index(workspace: Workspace) -> None:
    with CaptureQueriesContext(connection) as queries:
        timeline_page(Filter(workspace.pk, kind="decision"))
    (asked,) = [q["sql"] for q in queries if "ORDER BY" in q["sql"]][:1]
    with connection.cursor() as cursor:
        cursor.execute("EXPLAIN QUERY PLAN " + asked)
        plan = " ".join(row[3] for row in cursor.fetchall())

    assert "event_kind" in plan and "TEMP B-TREE" not in plan
