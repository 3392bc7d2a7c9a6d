"""The status of snapshots says whether the task has moved on since the newest one."""

from __future__ import annotations

from pathlib import Path

import pytest

from memoryhub.people.callers import Caller
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
        "has moved on since: decisions 1, changed files of memory 1" in after.as_text()
    )
