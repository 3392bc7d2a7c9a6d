"""What handoff notes state, and that they are neither handoffs nor log entries."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memoryhub.handoffs.models import Handoff
from memoryhub.journal.models import Workspace
from snapshots.models import LogEntry, OpenItem
from tests.writing import assert_a_rebuild_changes_nothing, say
from topics.models import Decision, Topic

DIALECTS = Path(__file__).parents[2] / "memoryhub/dialects"
FERRY = DIALECTS / "handoff_note/samples/ferry-tickets.md"


@pytest.fixture
def workspace(
    workspace_root: Path, make_workspace: Callable[[Path], Workspace]
) -> Workspace:
    return make_workspace(workspace_root)


def ferry() -> str:
    return FERRY.read_text("utf-8")


def test_what_a_note_states_is_of_its_sender_and_day(workspace: Workspace) -> None:
    say(workspace, {"handoffs/ferry-tickets.md": ferry()})

    blocked = OpenItem.objects.get(text="no paper before Thursday")
    assert blocked.agent is not None and blocked.agent.name == "scout"
    assert (blocked.occurred_at.date().isoformat(), blocked.precision) == (
        "2026-08-05",
        "day",
    )
    assert Decision.objects.get().agent == blocked.agent
    assert not Handoff.objects.exists()
    assert not LogEntry.objects.exists()
    assert not Topic.objects.exists()
    assert_a_rebuild_changes_nothing(workspace)


def test_a_person_who_hands_over_is_no_agent(workspace: Workspace) -> None:
    note = "# Handoff\n\nFrom: me\n\nNext steps:\n- paint\n"
    say(workspace, {"HANDOFF-2026-08-06.md": note})

    item = OpenItem.objects.get()
    assert item.agent is None
    assert (item.occurred_at.date().isoformat(), item.precision) == (
        "2026-08-06",
        "day",
    )


def test_a_note_that_becomes_a_task_is_a_handoff(workspace: Workspace) -> None:
    task = "<task>\n  <task_id>20261120-03</task_id>\n  <to>builder</to>\n</task>\n"
    say(workspace, {"HANDOFF.md": ferry()})
    say(workspace, {"HANDOFF.md": task})

    assert not OpenItem.objects.filter(last_seq=None).exists()
    assert_a_rebuild_changes_nothing(workspace)
