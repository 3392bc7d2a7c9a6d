"""An unknown time is never shown as midnight, nor as that of an import."""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from django.test import Client

from memoryhub.events.models import Event
from memoryhub.journal.models import Workspace
from memoryhub.web.kit.clock import Clock
from tests.decision_doors import states_by_door
from tests.factories import TOPIC, imported, write
from tests.handoffs.crew import html
from tests.writing import say
from topics.models import Decision

QUEUE = "We use SQLite for the queue, not PostgreSQL"
LOG = (
    "# 2026-11-21\n\n## 09:00 Start\n\nRead the queue.\n\n## 10:15 The queue\n\n"
    f"**Decision:** {QUEUE} -- short.\n"
)
SIGNED = "- 2026-11-02: Switch to REST (cached; signed off by Dana 2026-11-03)\n"
RESULT = """<task>
<from>planner</from>
<to>builder</to>
<task_id>t-1</task_id>
<type>read_only</type>
<context>Count the doors.</context>
</task>

<r>
<task_id>t-1</task_id>
<status>done</status>
<o>Four.</o>
</r>
"""


@pytest.fixture
def workspace(hub_data: Path, db: None, workspace_root: Path) -> Workspace:
    files = {
        "memory/2026-11-21.md": LOG,
        "memory/context-api.md": TOPIC,
        "memory/decisions.md": SIGNED,
        "memory/handoffs.md": RESULT,
        "MEMORY.md": "# Memory\n\n## Rules\n- Never push on Fridays\n",
    }
    write(workspace_root, files)
    os.utime(workspace_root / "MEMORY.md", (1_700_000_000, 1_700_000_000))
    return imported(workspace_root, {})


def test_a_decision_below_a_time_is_of_that_time(workspace: Workspace) -> None:
    row = Decision.objects.get(text=QUEUE)

    assert row.occurred_at == datetime(2026, 11, 21, 10, 15, tzinfo=UTC)
    assert row.precision == "minute"
    added = Event.objects.get(target_id=row.pk, verb="added")
    assert added.occurred_at == row.occurred_at


@pytest.mark.parametrize("first", ["memory/2026-11-21.md", "memory/decisions.md"])
def test_the_hour_of_a_log_and_the_day_of_a_list_are_one_time_in_any_order(
    hub_data: Path, db: None, workspace_root: Path, first: str
) -> None:
    files = {
        "memory/2026-11-21.md": LOG,
        "memory/decisions.md": f"- 2026-11-21: {QUEUE} (short)\n",
    }
    workspace = imported(workspace_root, {first: files.pop(first)})
    say(workspace, {**files})

    row = Decision.objects.get(text=QUEUE)
    assert row.occurred_at == datetime(2026, 11, 21, 10, 15, tzinfo=UTC)
    added = Event.objects.get(target_id=row.pk, verb="added")
    assert (added.occurred_at, added.precision) == (row.occurred_at, "minute")


def test_a_log_without_an_hour_gives_none_to_the_decision_of_a_list(
    hub_data: Path, db: None, workspace_root: Path
) -> None:
    workspace = imported(
        workspace_root, {"memory/decisions.md": f"- 2026-11-21: {QUEUE}\n"}
    )
    say(workspace, {"memory/2026-11-21.md": f"## Decisions\n- {QUEUE}\n"})

    row = Decision.objects.get(text=QUEUE)
    assert (row.open_sources, row.precision) == (2, "day")


def test_a_day_has_no_hour_in_any_zone() -> None:
    now = datetime(2026, 11, 22, 12, tzinfo=UTC)
    day = datetime(2026, 11, 19, 23, tzinfo=UTC)  # the 20th in Berlin
    clock = Clock(ZoneInfo("America/New_York"), now, ZoneInfo("Europe/Berlin"))

    assert clock.stated(day, "day") == "20 Nov"
    assert clock.stated(day, "none") == "not recorded"
    assert clock.stated(day, "minute") == "Thu 18:00"


def test_a_sign_off_in_a_line_is_of_the_day_that_the_line_states(
    workspace: Workspace,
) -> None:
    event = Event.objects.get(kind="decision", verb="signed_off")

    assert event.occurred_at == datetime(2026, 11, 3, tzinfo=UTC)
    assert event.precision == "day"


@pytest.mark.usefixtures("day_of_rows")
def test_no_page_shows_the_time_of_the_first_import_as_that_of_a_thing(
    client: Client, workspace: Workspace
) -> None:
    run = workspace.runs.get(number=1).finished_at
    assert run is not None
    read = re.compile(rf"\b{run:%H}:\d\d\b")
    sessions = html(client, "/w/acme/sessions/").split("<tbody>")[1]
    agent = html(client, "/w/acme/agents/builder/").split("<main")[1]
    day = html(client, f"/w/acme/days/{run:%Y-%m-%d}/").split("<main")[1]

    assert "agent:builder:main" in sessions and not read.search(sessions)
    written = agent.split("Recently written")[1]
    assert "Four." not in agent and "Count the doors" not in written
    assert "Never push on Fridays" not in day
    # MEMORY.md has no day in its name: that of the disk may be a clone's.
    assert "Never push on Fridays" not in html(client, "/w/acme/days/2023-11-14/")


def test_a_file_was_changed_when_the_disk_says(
    client: Client, workspace: Workspace
) -> None:
    say(workspace, {"memory/2026-11-22.md": "# 2026-11-22\n"})

    page = html(client, "/w/acme/files/")

    assert 'datetime="2023-11-14T22:13:20' in page


@pytest.mark.usefixtures("day_of_rows")
def test_the_last_compaction_of_a_day_is_of_that_day(
    client: Client, workspace: Workspace
) -> None:
    page = html(client, "/w/acme/topics/api/recall/?view=changes")
    page = page.split("<main")[1]

    assert "recorded compaction, 12 Nov." in page and "00:00" not in page


def test_decisions_without_a_day_are_last_by_their_files_times_at_every_door(
    client: Client, hub_data: Path, db: None, workspace_root: Path
) -> None:
    dated = "- 2026-11-10: Paint it green\n- 2026-09-01: Paint it red\n"
    write(workspace_root, {"memory/decisions.md": dated})
    for name, at in {"roof": "2026-10-05", "gate": "2023-04-02"}.items():
        path = f"docs/decisions-{name}.md"
        write(workspace_root, {path: f"# Decisions\n\n- We keep the {name} green\n"})
        seconds = datetime.fromisoformat(f"{at}T12:00Z").timestamp()
        os.utime(workspace_root / path, (seconds, seconds))
    doors = states_by_door(client, imported(workspace_root, {}))

    undated = ["We keep the roof green", "We keep the gate green"]
    order = ["Paint it green", "Paint it red", *undated]
    assert {name: list(states) for name, states in doors.items()} == (
        dict.fromkeys(doors, order)
    )
