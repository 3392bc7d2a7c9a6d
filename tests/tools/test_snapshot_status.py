"""The status of snapshots says whether the task has moved on since the newest one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memoryhub.people.callers import Caller
from memoryhub.sync.engine import sync_workspace
from tests.factories import NOON, imported
from tests.tools.asking import asked
from tests.writing import say

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("hub_data")]


def test_a_decision_and_a_changed_file_are_a_divergence(workspace_root: Path) -> None:
    workspace = imported(workspace_root, {"memory/notes.md": b"# Notes\n"})
    caller = Caller(workspace, "scout", "scout", clock=lambda: NOON)
    asked(caller, "snapshot_save", goal="Ship", phase="testing", next_steps=["Test it"])
    before = asked(caller, "snapshot_status")

    say(workspace, {"memory/decisions.md": "- 2026-11-20: Use SQLite (one file)\n"})
    after = asked(caller, "snapshot_status")

    assert not before.diverged and "moved on since:" not in before.as_text()
    assert after.diverged and after.changed_files == ["memory/decisions.md"]
    assert after.decisions_since == 1
    assert (
        "has moved on since: decisions 1, steps done 0, changed files of memory 1"
        in after.as_text()
    )


def test_a_step_that_is_done_is_a_divergence_and_the_own_log_is_no_changed_file(
    workspace_root: Path,
) -> None:
    workspace = imported(workspace_root, {"memory/notes.md": b"# Notes\n"})
    caller = Caller(workspace, "scout", "scout", clock=lambda: NOON)
    steps = ["[ ] Test it", "[x] Plan it", "[ ] Ship it"]
    asked(caller, "snapshot_save", goal="Ship", phase="testing", next_steps=steps)
    assert not asked(caller, "snapshot_status").diverged

    (log,) = (workspace_root / "memory").glob("2026-*.md")
    log.write_text(log.read_text().replace("[ ] Test", "[x] Test") + "\nA note.\n")
    sync_workspace(workspace)

    after = asked(caller, "snapshot_status")
    assert after.diverged and after.changed_files == []
    assert after.steps_done == ["Test it"]


def test_what_others_did_is_no_divergence_of_the_task(workspace_root: Path) -> None:
    workspace = imported(workspace_root, {"memory/notes.md": b"# Notes\n"})
    caller = Caller(workspace, "scout", "scout", clock=lambda: NOON)
    other = Caller(workspace, "builder", "builder", clock=lambda: NOON)
    asked(caller, "snapshot_save", goal="Ship", phase="testing", next_steps=["Test it"])

    asked(
        other, "context_snap", action="checkpoint", topic="mill", decisions=["Oil it"]
    )
    assert not asked(caller, "snapshot_status", agent="scout").diverged
    asked(
        caller, "context_snap", action="checkpoint", topic="mill", decisions=["Dry it"]
    )

    after = asked(caller, "snapshot_status", agent="scout")
    assert after.changed_files == ["memory/context-mill.md"]
    assert after.decisions_since == 1


def test_a_file_written_before_the_snapshot_and_read_after_it_has_not_changed_since(
    workspace_root: Path,
) -> None:
    workspace = imported(workspace_root, {"memory/notes.md": b"# Notes\n"})
    caller = Caller(workspace, "scout", "scout", clock=lambda: NOON)
    asked(caller, "snapshot_save", goal="Ship", phase="testing", next_steps=["Test it"])
    notes = workspace_root / "memory/notes.md"
    notes.write_text("# Notes\n\nThe mill is old.\n")
    before = NOON.timestamp() - 60
    os.utime(notes, (before, before))
    sync_workspace(workspace)

    assert not asked(caller, "snapshot_status").diverged
