"""Operations and what goes wrong: crashes, and writes of other programs."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_django import Settings

from memoryhub.disk.files import ExternallyChanged, FileError
from memoryhub.journal.models import Operation, Workspace
from memoryhub.sync.edit import editing, writing
from memoryhub.sync.edit.editing import apply_edit, settle, undo
from memoryhub.sync.edit.edits import Edit
from memoryhub.sync.engine import sync_workspace
from tests.editing import PATH, TEXT, State, edit, versions
from topics.models import Topic


class Crash(BaseException):
    """The process ends here."""


def crash(*arguments: object) -> None:
    raise Crash


def test_a_crash_before_the_write_is_settled_by_the_next_sync(
    workspace: Workspace, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched, pytest.raises(Crash):
        patched.setattr(editing, "write", crash)
        apply_edit(workspace, edit("set_status", "Done."))
    assert Operation.objects.get().state == State.PENDING

    sync_workspace(workspace)

    assert Operation.objects.get().state == State.APPLIED
    assert "Done." in place.read_text()
    assert Topic.objects.get(name="auth").status == "Done."


def test_a_crash_after_the_write_is_settled_without_a_second_one(
    workspace: Workspace, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched, pytest.raises(Crash):
        patched.setattr(editing, "record_written", crash)
        apply_edit(workspace, edit("add_history", "2026-11-03: Checked"))

    sync_workspace(workspace)

    assert Operation.objects.get().state == State.APPLIED
    assert place.read_text().count("Checked") == 1


def test_a_write_that_an_agent_added_to_before_the_restart_counts_as_done(
    workspace: Workspace, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched, pytest.raises(Crash):
        patched.setattr(editing, "record_written", crash)
        apply_edit(workspace, edit("add_history", "2026-11-03: Checked"))
    with place.open("a") as held:
        held.write("- 2026-11-03: by the agent\n")

    settle(workspace)

    assert Operation.objects.get().state == State.APPLIED
    assert place.read_text().count("Checked") == 1


def test_a_pending_edit_is_withdrawn_where_the_file_says_something_else(
    workspace: Workspace, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched, pytest.raises(Crash):
        patched.setattr(editing, "write", crash)
        apply_edit(workspace, edit("set_status", "Done."))
    newer = TEXT.replace("Half done.", "Begun anew.")
    place.write_text(newer)

    sync_workspace(workspace)

    assert Operation.objects.get().state == State.WITHDRAWN
    assert place.read_text() == newer


def test_a_pending_key_asked_again_is_settled_first(
    workspace: Workspace, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = edit("add_history", "2026-11-03: Checked", key="once")
    with monkeypatch.context() as patched, pytest.raises(Crash):
        patched.setattr(editing, "write", crash)
        apply_edit(workspace, asked)

    assert apply_edit(workspace, asked).state == State.APPLIED
    assert place.read_text().count("Checked") == 1


def test_undoing_what_a_crash_left_first_settles_it(
    workspace: Workspace, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    new = place.with_name("context-new.md")
    asked = Edit("memory/context-new.md", "set_status", {"text": "Begun."}, "scout")
    with monkeypatch.context() as patched, pytest.raises(Crash):
        patched.setattr(editing, "write", crash)
        apply_edit(workspace, asked)

    undone = undo(workspace, Operation.objects.get(), "person:1")

    assert (undone.verb, undone.state) == ("remove_file", State.APPLIED)
    assert not new.exists()
    kinds = [kind for kind, _ in versions(workspace, "memory/context-new.md")]
    assert kinds == ["written"]


def test_undoing_what_can_no_longer_be_written_withdraws_it(
    workspace: Workspace, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched, pytest.raises(Crash):
        patched.setattr(editing, "write", crash)
        apply_edit(workspace, edit("set_status", "Done."))
    newer = TEXT.replace("Half done.", "Begun anew.")
    place.write_text(newer)

    undone = undo(workspace, Operation.objects.get(), "person:1")

    assert (undone.verb, undone.state) == ("set_status", State.WITHDRAWN)
    assert place.read_text() == newer


def test_an_edit_is_made_again_on_what_came_in_between(
    workspace: Workspace, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    newer = TEXT + "- 2026-11-03: by the agent\n"

    def interfere(disk: writing.Disk, data: bytes) -> None:
        monkeypatch.undo()
        place.write_text(newer)
        writing.write(disk, data)

    monkeypatch.setattr(editing, "write", interfere)
    apply_edit(workspace, edit("set_status", "Done."))

    assert place.read_text() == newer.replace("Half done.", "Done.")
    assert Operation.objects.get().state == State.APPLIED


def test_an_edit_that_can_never_be_written_is_withdrawn(
    workspace: Workspace, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(disk: writing.Disk, data: bytes) -> None:
        raise ExternallyChanged(PATH)

    monkeypatch.setattr(editing, "write", refuse)
    with pytest.raises(FileError):
        apply_edit(workspace, edit("set_status", "Done."))

    assert Operation.objects.get().state == State.WITHDRAWN
    assert place.read_text() == TEXT


def test_a_write_that_another_program_overwrites_is_still_a_revision(
    workspace: Workspace, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def overwrite(disk: writing.Disk, data: bytes) -> bytes:
        before = writing.write(disk, data)
        place.write_text(TEXT)
        return before

    monkeypatch.setattr(editing, "write", overwrite)
    apply_edit(workspace, edit("set_status", "Done."))

    kinds = [kind for kind, _ in versions(workspace)]
    assert kinds == ["seen", "written", "seen"]
    assert b"Done." in versions(workspace)[1][1]
    assert Topic.objects.get(name="auth").status == "Half done."


def test_a_write_overwritten_by_a_file_too_large_to_import_is_the_last_version(
    workspace: Workspace,
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
    settings: Settings,
) -> None:
    def overwrite(disk: writing.Disk, data: bytes) -> bytes:
        before = writing.write(disk, data)
        place.write_text("x" * 5_000)
        return before

    monkeypatch.setattr(editing, "write", overwrite)
    settings.MEMORYHUB_MAX_FILE_BYTES = 4_000
    apply_edit(workspace, edit("set_status", "Done."))

    assert [kind for kind, _ in versions(workspace)] == ["seen", "written"]
