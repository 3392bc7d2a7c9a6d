"""Operations that wait for a review before they are written."""

from __future__ import annotations

from pathlib import Path

from memoryhub.journal.models import Operation, Workspace
from memoryhub.sync.edit.editing import (
    apply_edit,
    staged_text,
    undo,
    write_staged,
)
from memoryhub.sync.edit.edits import Conflict, Edit
from tests.editing import PATH, TEXT, State, edit, versions


def test_review_stages_and_shows_what_will_be(reviewed: Workspace, place: Path) -> None:
    first = apply_edit(reviewed, edit("set_status", "Done.", base="Half done."))
    second = apply_edit(reviewed, edit("set_status", "Signed off.", base="Done."))

    assert (first.state, second.state) == (State.STAGED, State.STAGED)
    assert place.read_text() == TEXT
    overlaid = staged_text(reviewed, PATH, TEXT)
    assert overlaid == TEXT.replace("Half done.", "Signed off.")


def test_staged_edits_of_a_file_are_one_write(reviewed: Workspace, place: Path) -> None:
    apply_edit(reviewed, edit("set_status", "Done."))
    apply_edit(reviewed, edit("add_history", "2026-11-03: Checked"))

    done, _ = write_staged(reviewed)

    assert [o.state for o in done] == [State.APPLIED] * 2
    assert [kind for kind, _ in versions(reviewed)] == ["seen", "written"]
    assert "Done." in place.read_text() and "Checked" in place.read_text()


def test_a_file_in_conflict_is_left_and_the_others_are_written(
    reviewed: Workspace, place: Path
) -> None:
    other = "memory/context-new.md"
    apply_edit(reviewed, edit("set_status", "Done.", base="Half done."))
    apply_edit(reviewed, edit("add_history", "2026-11-03: Checked"))
    apply_edit(reviewed, Edit(other, "set_status", {"text": "Begun."}, "person:1"))
    newer = TEXT.replace("Half done.", "Begun anew.")
    place.write_text(newer)

    done, left = write_staged(reviewed)

    assert [o.target for o in done] == [other]
    assert [(u.path, type(u.error)) for u in left] == [(PATH, Conflict)]
    assert place.read_text() == newer
    assert Operation.objects.filter(state=State.STAGED).count() == 2


def test_undo_of_a_staged_edit_withdraws_it(reviewed: Workspace, place: Path) -> None:
    staged = apply_edit(reviewed, edit("set_status", "Done."))

    assert undo(reviewed, staged, "person:1").state == State.WITHDRAWN
    assert write_staged(reviewed) == ([], [])
    assert place.read_text() == TEXT
