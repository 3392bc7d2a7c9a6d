"""Handoff notes as sessions with an agent, open items and decisions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memoryhub.handoffs.models import Handoff
from memoryhub.journal.models import Workspace
from snapshots.models import LogEntry, OpenItem
from tests.writing import assert_a_rebuild_changes_nothing, say
from topics.models import Decision, Topic

FERRY = Path(__file__).parents[1] / "corpus/handoff_note/ferry-tickets.md"


@pytest.fixture
def workspace(
    workspace_root: Path, make_workspace: Callable[[Path], Workspace]
) -> Workspace:
    return make_workspace(workspace_root)


def ferry() -> str:
    return FERRY.read_text("utf-8")


def test_a_note_is_a_session_of_its_sender_and_no_handoff(workspace: Workspace) -> None:
    say(workspace, {"handoffs/ferry-tickets.md": ferry()})

    entry = LogEntry.objects.get()
    assert entry.kind == LogEntry.Kind.SESSION
    assert entry.title == "Handoff: ticket printer: scout → builder"
    assert entry.agent is not None and entry.agent.name == "scout"
    assert (entry.occurred_at.date().isoformat(), entry.precision) == (
        "2026-08-05",
        "day",
    )
    blocked = OpenItem.objects.get(text="no paper before Thursday")
    assert blocked.agent == entry.agent
    assert blocked.occurred_at == entry.occurred_at
    assert Decision.objects.get().agent == entry.agent
    assert not Handoff.objects.exists()
    assert not Topic.objects.exists()
    assert_a_rebuild_changes_nothing(workspace)


def test_a_person_who_hands_over_is_no_agent(workspace: Workspace) -> None:
    say(workspace, {"HANDOFF-2026-08-06.md": "# Handoff\n\nFrom: me\n\nDone:\n- a\n"})

    entry = LogEntry.objects.get()
    assert entry.agent is None
    assert (entry.occurred_at.date().isoformat(), entry.precision) == (
        "2026-08-06",
        "day",
    )


def test_a_note_that_becomes_a_task_is_a_handoff(workspace: Workspace) -> None:
    task = "<task>\n  <task_id>20261120-03</task_id>\n  <to>builder</to>\n</task>\n"
    say(workspace, {"HANDOFF.md": ferry()})
    say(workspace, {"HANDOFF.md": task})

    assert not LogEntry.objects.filter(last_seq=None).exists()
    assert not OpenItem.objects.filter(last_seq=None).exists()
    assert_a_rebuild_changes_nothing(workspace)
