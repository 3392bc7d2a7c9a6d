"""What one call records has the time of its clock, however the write goes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memoryhub.disk import places
from memoryhub.disk.places import add_to_end
from memoryhub.journal.models import Operation, Revision, Workspace
from memoryhub.sync.edit import editing, edits, writing
from memoryhub.sync.edit.editing import (
    apply_each,
    apply_edit,
    settle,
    undo,
    write_staged,
)
from memoryhub.sync.edit.edits import Edit
from tests.editing import PATH, TEXT, edit
from tests.sync.test_editing_interrupted import Crash, crash

NOON = datetime(2026, 11, 5, 12, tzinfo=UTC)
THEIRS = "- 2026-11-03: by the agent\n"


def clock() -> datetime:
    return NOON


def history(text: str = "Checked") -> Edit:
    return edit("add_history", f"2026-11-03: {text}")


def interrupted(workspace: Workspace, asked: Edit, step: str) -> None:
    with pytest.MonkeyPatch.context() as patched, pytest.raises(Crash):
        patched.setattr(editing, step, crash)
        apply_edit(workspace, asked, clock=clock)


def append_theirs(workspace: Workspace) -> None:
    with Path(workspace.root, PATH).open("a") as agent:
        agent.write(THEIRS)


def on_newer_bytes(workspace: Workspace) -> None:
    append_theirs(workspace)
    apply_edit(workspace, edit("set_status", "Done."), clock=clock)


def behind_lines_of_others(workspace: Workspace) -> None:
    def busy(*arguments: Any) -> None:
        append_theirs(workspace)
        commit(*arguments)

    commit = edits.commit
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(editing, "commit", busy)
        apply_edit(workspace, history(), clock=clock)


def while_others_append(workspace: Workspace) -> None:
    def late(descriptor: int, addition: bytes, path: str) -> int:
        append_theirs(workspace)
        return add_to_end(descriptor, addition, path)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(places, "add_to_end", late)
        apply_edit(workspace, history(), clock=clock)


def overwritten_at_once(workspace: Workspace) -> None:
    def overwrite(disk: writing.Disk, data: bytes) -> bytes:
        before = writing.write(disk, data)
        Path(workspace.root, PATH).write_text(TEXT)
        return before

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(editing, "write", overwrite)
        apply_edit(workspace, edit("set_status", "Done."), clock=clock)


def settled_and_added_to(workspace: Workspace) -> None:
    interrupted(workspace, history(), "record_written")
    append_theirs(workspace)
    settle(workspace, clock=clock)


def settled_behind_others(workspace: Workspace) -> None:
    interrupted(workspace, history(), "write")
    append_theirs(workspace)
    settle(workspace, clock=clock)


def settled_half_written(workspace: Workspace) -> None:
    interrupted(workspace, history(), "write")
    line = "- 2026-11-03: Checked\n"
    Path(workspace.root, PATH).write_text(TEXT + line[:9] + THEIRS)
    settle(workspace, clock=clock)


def settled_by_the_same_key(workspace: Workspace) -> None:
    asked = edit("set_status", "Done.", key="once")
    interrupted(workspace, asked, "write")
    apply_edit(workspace, asked, clock=clock)


def settled_by_the_next_addition(workspace: Workspace) -> None:
    interrupted(workspace, history(), "write")
    apply_edit(workspace, history("Shipped"), clock=clock)


def settled_as_somebody_set_it(workspace: Workspace) -> None:
    interrupted(workspace, edit("set_status", "Done.", key="once"), "write")
    theirs = TEXT.replace("Half done.", "Done.").replace("11-02\n\n", "11-04\n\n")
    Path(workspace.root, PATH).write_text(theirs)
    settle(workspace, clock=clock)


def taken_back_after_a_crash(workspace: Workspace) -> None:
    interrupted(workspace, history(), "write")
    append_theirs(workspace)
    undo(workspace, Operation.objects.get(), "ana", clock=clock)


def a_made_file_taken_away(workspace: Workspace) -> None:
    made = replace(edit("set_status", "Begun."), path="memory/context-new.md")
    undo(workspace, apply_edit(workspace, made, clock=clock), "ana", clock=clock)


def many_files_in_one_commit(workspace: Workspace) -> None:
    append_theirs(workspace)
    new = replace(edit("set_status", "Begun."), path="memory/context-new.md")
    assert not apply_each(workspace, [edit("set_status", "Done."), new], clock=clock)


def staged_and_written(workspace: Workspace) -> None:
    workspace.review_before_writing = True
    append_theirs(workspace)
    apply_edit(workspace, edit("set_status", "Done."), clock=clock)
    Path(workspace.root, PATH).write_text(TEXT)
    write_staged(workspace, clock=clock)


WRITES: list[Callable[[Workspace], None]] = [
    on_newer_bytes,
    behind_lines_of_others,
    while_others_append,
    overwritten_at_once,
    settled_and_added_to,
    settled_behind_others,
    settled_half_written,
    settled_by_the_same_key,
    settled_by_the_next_addition,
    settled_as_somebody_set_it,
    taken_back_after_a_crash,
    a_made_file_taken_away,
    many_files_in_one_commit,
    staged_and_written,
]


@pytest.mark.parametrize("write", WRITES, ids=lambda write: write.__name__)
def test_versions_and_operations_have_the_time_of_the_clock(
    workspace: Workspace, write: Callable[[Workspace], None]
) -> None:
    write(workspace)

    operations = Operation.objects.values_list("recorded_at", flat=True)
    later = Revision.objects.exclude(seq=1).values_list("recorded_at", flat=True)
    assert {*operations} == {NOON} == {*later}
    assert {*Operation.objects.values_list("state", flat=True)} == {"applied"}
