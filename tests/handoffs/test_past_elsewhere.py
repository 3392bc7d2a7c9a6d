"""Handoffs sent to another workspace: in recalls of the past, and read when newer."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from memoryhub.dialects.handoff import Result, Task
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.services.sending import Terms, send
from memoryhub.handoffs.services.steps import report, take
from memoryhub.journal.models import Workspace
from memoryhub.recall.request import RecallRequest
from memoryhub.recall.topic import recall_of
from memoryhub.sync.engine import sync_workspace
from memoryhub.tools.freshness import read_newer
from tests.handoffs.sides import NOON, PLACE, by, of, sent
from tests.writing import say, write_files
from topics.models import Topic

Both = tuple[Workspace, Workspace]
TOPIC = "# Context: bread\n\n## Current Status\nRises.\n"


def changed_at(workspace: Workspace, minutes: int) -> int:
    """Change a file of a workspace; return the journal's position after that."""
    write_files(Path(workspace.root), {"memory/notes.md": f"# {minutes}\n"})
    at = NOON + timedelta(minutes=minutes)
    sync_workspace(workspace, clock=lambda: at)
    workspace.refresh_from_db()
    return workspace.last_seq


@pytest.fixture
def moments(both: Both) -> dict[str, int]:
    """Return positions in the sender's journal around the life of a handoff."""
    shop, mill = both
    write_files(Path(shop.root), {"memory/context-bread.md": TOPIC})
    before = changed_at(shop, -10)
    changed_at(mill, -5)
    task = Task("", "", "mill/miller", "write", "Grind", "Wheat")
    handoff = send(shop, task, by("baker"), Terms(topic="bread")).handoff
    asked = changed_at(shop, 5)
    there = Handoff.objects.get(pk=handoff.pk)
    take(there, by("miller", 10))
    taken = changed_at(shop, 15)
    there.refresh_from_db()
    report(there, Result("", "done", "Ground"), by("miller", 20))
    return {
        "before": before,
        "asked": asked,
        "taken": taken,
        "done": changed_at(shop, 30),
    }


@pytest.mark.parametrize(
    ("moment", "state"),
    [("before", ""), ("asked", "open"), ("taken", "in progress"), ("done", "")],
)
def test_a_recall_of_the_past_has_what_was_sent_elsewhere(
    both: Both, moments: dict[str, int], moment: str, state: str
) -> None:
    topic = Topic.objects.get(workspace=both[0], name="bread")

    text = recall_of(both[0], topic, RecallRequest(seq=moments[moment])).text

    assert ("Wheat" in text or "Grind" in text) == bool(state)
    if state:
        (line,) = [line for line in text.splitlines() if "mill/miller" in line]
        assert state in line.replace("_", " ")


def test_an_answer_reads_newer_files_of_the_workspace_it_was_sent_to(
    both: Both,
) -> None:
    shop, mill = both
    say(shop, {"memory/notes.md": "# Notes\n"})
    sent(shop)
    file = Path(mill.root) / PLACE
    text = file.read_text()
    before = of(shop).state

    file.write_text(text.rstrip("\n") + "\n- 2026-11-20T12:30:00Z miller: taken\n")
    when = read_newer(shop)

    assert before == "open"
    assert of(shop).state == "in_progress"
    assert not when.newer


def test_no_file_of_other_workspaces_is_read(both: Both) -> None:
    shop, mill = both
    say(shop, {"memory/notes.md": "# Notes\n"})
    write_files(Path(mill.root), {"memory/notes.md": "# Notes\n"})

    read_newer(shop)

    mill.refresh_from_db()
    assert mill.last_seq == 0
