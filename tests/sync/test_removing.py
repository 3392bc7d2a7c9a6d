"""Taking back what made a file takes the file away, unless something was added."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memoryhub.disk.files import UnreadableFile
from memoryhub.exports.preview import previews
from memoryhub.journal.models import Operation, Revision, SourceFile, Workspace
from memoryhub.sync.edit import editing
from memoryhub.sync.edit.editing import (
    apply_edit,
    settle,
    undo,
    write_staged,
)
from memoryhub.sync.edit.edits import Conflict, Edit
from memoryhub.sync.edit.writing import Disk, read_newest
from memoryhub.sync.engine import sync_workspace
from memoryhub.sync.export import with_staged, workspace_files
from memoryhub.sync.record.projection import rebuild
from tests.editing import State

NEW = "memory/context-new.md"


def make_file(workspace: Workspace) -> Operation:
    return apply_edit(workspace, Edit(NEW, "set_status", {"text": "Begun."}, "ana"))


def test_undo_takes_away_the_file_that_was_made(workspace: Workspace) -> None:
    done = undo(workspace, make_file(workspace), "ana")

    assert (done.state, done.verb, done.after_sha) == (State.APPLIED, "remove_file", "")
    assert not Path(workspace.root, NEW).exists()
    assert not SourceFile.objects.get(path=NEW).present
    last = Revision.objects.filter(path=NEW).latest("seq")
    assert (last.kind, last.actor, last.blob) == ("deleted", "ana", None)
    assert sync_workspace(workspace).is_empty


def test_the_undo_can_be_undone(workspace: Workspace) -> None:
    made = make_file(workspace)
    text = Path(workspace.root, NEW).read_text()
    undo(workspace, undo(workspace, made, "ana"), "ana")

    assert Path(workspace.root, NEW).read_text() == text
    assert SourceFile.objects.get(path=NEW).present


def test_each_undo_of_a_redo_takes_the_file_away_again(workspace: Workspace) -> None:
    done = make_file(workspace)
    for _ in range(2):
        done = undo(workspace, done, "ana")
        assert not Path(workspace.root, NEW).exists()
        done = undo(workspace, done, "ana")
        assert Path(workspace.root, NEW).exists()


def test_what_was_added_since_stays(workspace: Workspace) -> None:
    made = apply_edit(
        workspace, Edit(NEW, "add_decision", {"text": "Use events"}, "ana")
    )
    with Path(workspace.root, NEW).open("a") as held:
        held.write("\n## Notes\nBy the agent.\n")
    undo(workspace, made, "ana")

    assert "By the agent." in Path(workspace.root, NEW).read_text()
    assert "Use events" not in Path(workspace.root, NEW).read_text()


def test_a_file_that_grows_while_it_is_taken_away_stays(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = make_file(workspace)
    place = Path(workspace.root, NEW)

    def grown_after(*arguments: Any) -> Disk:
        disk = read_newest(*arguments)
        place.write_text(disk.text + "- By the agent.\n")
        return disk

    monkeypatch.setattr(editing, "read_newest", grown_after)
    with pytest.raises(Conflict):
        undo(workspace, made, "ana")

    assert place.read_text().endswith("- By the agent.\n")


def test_a_file_made_by_a_second_try_is_taken_away(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*arguments: object) -> None:
        raise UnreadableFile(NEW, "no space left")

    with monkeypatch.context() as patched, pytest.raises(UnreadableFile):
        patched.setattr(editing, "write", full)
        make_file(workspace)
    undo(workspace, make_file(workspace), "ana")

    assert Operation.objects.filter(state=State.WITHDRAWN).exists()
    assert not Path(workspace.root, NEW).exists()


def test_a_file_of_two_operations_is_not_taken_away_by_one(reviewed: Workspace) -> None:
    first = make_file(reviewed)
    apply_edit(reviewed, Edit(NEW, "add_decision", {"text": "Use events"}, "ana"))
    write_staged(reviewed)
    first.refresh_from_db()
    undo(reviewed, first, "ana")
    write_staged(reviewed)

    assert "Use events" in Path(reviewed.root, NEW).read_text()


def test_a_part_that_came_back_keeps_the_file(reviewed: Workspace) -> None:
    first = make_file(reviewed)
    second = apply_edit(
        reviewed, Edit(NEW, "add_decision", {"text": "Use events"}, "ana")
    )
    write_staged(reviewed)
    Workspace.objects.update(review_before_writing=False)
    reviewed.refresh_from_db()
    undo(reviewed, undo(reviewed, first, "ana"), "ana")
    undo(reviewed, second, "ana")

    text = Path(reviewed.root, NEW).read_text()
    assert "Begun." in text and "Use events" not in text


def test_a_staged_removal_is_shown_before_it_is_written(reviewed: Workspace) -> None:
    made = make_file(reviewed)
    write_staged(reviewed)
    made.refresh_from_db()
    undo(reviewed, made, "ana")

    assert [(p.path, p.state) for p in previews(reviewed)] == [(NEW, "deleted")]
    assert Path(reviewed.root, NEW).exists()
    left = [file.path for file in with_staged(reviewed, workspace_files(reviewed), [])]
    assert NEW not in left
    write_staged(reviewed)
    assert not Path(reviewed.root, NEW).exists()


@pytest.mark.parametrize("at", ["write", "record_written"])
def test_a_removal_that_was_killed_is_done_by_the_next_sync(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    made = make_file(workspace)
    with monkeypatch.context() as patched, pytest.raises(ZeroDivisionError):
        patched.setattr(editing, at, lambda *arguments: 1 / 0)
        undo(workspace, made, "ana")
    settle(workspace)

    assert Operation.objects.get(verb="remove_file").state == State.APPLIED
    assert not Path(workspace.root, NEW).exists()


def test_a_rebuild_gives_the_same_rows(workspace: Workspace) -> None:
    undo(workspace, make_file(workspace), "ana")
    before = list(SourceFile.objects.order_by("id").values())
    rebuild(workspace)

    assert list(SourceFile.objects.order_by("id").values()) == before
