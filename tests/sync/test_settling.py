"""Operations that a crash left pending: written once, whatever others write."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest

from memoryhub.journal.blobs import blob_bytes
from memoryhub.journal.follow_ups import journal_grew
from memoryhub.journal.models import Operation, Revision, Workspace
from memoryhub.sync.edit import editing, writing
from memoryhub.sync.edit.editing import (
    apply_edit,
    settle,
    undo,
    write_staged,
)
from memoryhub.sync.edit.edits import Edit
from memoryhub.sync.engine import sync_workspace
from tests.editing import PATH, TEXT, State, edit, versions
from tests.sync.test_editing_interrupted import Crash, crash
from tests.writing import assert_a_rebuild_changes_nothing

LOG = "memory/2026-11-03.md"
BEGUN = "# 2026-11-03\n\n- begun"


@pytest.fixture
def log(workspace: Workspace) -> Path:
    place = Path(workspace.root, LOG)
    place.write_text(BEGUN)
    sync_workspace(workspace)
    return place


def added(text: str) -> Edit:
    return Edit(LOG, "append_text", {"text": text, "label": "x"}, "scout", key="once")


def interrupted(workspace: Workspace, asked: Edit, step: str) -> None:
    """Begin an edit, and die before its file is written or before that is noted."""
    with pytest.MonkeyPatch.context() as patched, pytest.raises(Crash):
        patched.setattr(editing, step, crash)
        apply_edit(workspace, asked)


def actors(workspace: Workspace, path: str = LOG) -> list[str]:
    """Return who wrote each version of a file."""
    rows = Revision.objects.filter(workspace=workspace, path=path)
    return list(rows.values_list("actor", flat=True))


@pytest.mark.parametrize("ours", ["OURS\n", "\nOURS\nand more"])
@pytest.mark.parametrize("theirs", ["- theirs\n", "theirs", "THEIRS OURS\n"])
@pytest.mark.parametrize("by_sync", [True, False])
def test_a_line_appended_behind_ours_before_the_restart_doubles_nothing(
    workspace: Workspace, log: Path, ours: str, theirs: str, *, by_sync: bool
) -> None:
    interrupted(workspace, added(ours), "record_written")
    with log.open("a") as held:
        held.write(theirs)
    left = log.read_text()

    if by_sync:
        sync_workspace(workspace)
    assert apply_edit(workspace, added(ours)).state == State.APPLIED

    assert log.read_text() == left
    assert actors(workspace) == ["", "scout", ""]
    assert_a_rebuild_changes_nothing(workspace)


def test_a_line_appended_before_ours_and_a_crash_double_nothing(
    workspace: Workspace, log: Path
) -> None:
    interrupted(workspace, added("OURS\n"), "write")
    theirs = BEGUN + "\n- theirs\n"
    log.write_text(theirs + "\nOURS\n- late\n")

    sync_workspace(workspace)

    assert log.read_text() == theirs + "\nOURS\n- late\n"
    said = [data.decode() for _, data in versions(workspace, LOG)]
    assert said == [BEGUN, theirs, theirs + "\nOURS\n", theirs + "\nOURS\n- late\n"]
    assert actors(workspace) == ["", "", "scout", ""]


@pytest.mark.parametrize("theirs", ["- theirs\n", "\n- FOURS\n"])
def test_what_was_not_written_is_written_behind_what_others_appended(
    workspace: Workspace, log: Path, theirs: str
) -> None:
    interrupted(workspace, added("OURS\n"), "write")
    with log.open("a") as held:
        held.write(theirs)

    apply_edit(workspace, added("OURS\n"))

    assert log.read_text() == BEGUN + theirs + "OURS\n"
    assert actors(workspace)[-1] == "scout"


def test_half_a_note_is_made_whole_after_a_crash(
    workspace: Workspace, log: Path
) -> None:
    interrupted(workspace, added("\nOURS\nand more\n"), "write")
    log.write_text(BEGUN + "\nOURS\nan")

    sync_workspace(workspace)

    assert log.read_text() == BEGUN + "\nOURS\nand more\n"
    assert actors(workspace) == ["", "scout"]


def test_a_line_behind_a_note_cut_at_a_block_stays_that_of_who_wrote_it(
    workspace: Workspace, log: Path
) -> None:
    note = "\n" + "".join(f"- step {number:04}\n" for number in range(500))
    interrupted(workspace, added(note), "write")
    log.write_text((BEGUN + note)[:4096] + "- theirs\n")

    sync_workspace(workspace)

    assert log.read_text() == BEGUN + note + "- theirs\n"
    assert versions(workspace, LOG)[1][1].decode() == BEGUN + "- theirs\n"
    assert actors(workspace) == ["", "", "scout"]


def test_a_log_that_was_saved_anew_with_our_note_has_it_once(
    workspace: Workspace, log: Path
) -> None:
    interrupted(workspace, added("\nOURS\n"), "record_written")
    log.write_text("# Another head\n\n- begun\nOURS\n- late\n")

    sync_workspace(workspace)

    assert log.read_text().count("OURS") == 1
    assert actors(workspace) == ["", "scout", ""]


def test_a_value_set_before_the_crash_stays_that_of_who_set_it(
    workspace: Workspace, place: Path
) -> None:
    interrupted(workspace, edit("set_status", "Done.", key="once"), "record_written")
    newer = place.read_text() + "- 2026-11-04: by the agent\n"
    place.write_text(newer)

    sync_workspace(workspace)

    assert place.read_text() == newer
    assert Operation.objects.get().state == State.APPLIED
    assert actors(workspace, PATH) == ["", "person:1", ""]
    ours = Revision.objects.get(actor="person:1")
    assert ours.blob and b"by the agent" not in blob_bytes(ours.blob)


def test_a_version_that_somebody_read_before_it_was_noted_is_not_written_again(
    workspace: Workspace, place: Path
) -> None:
    interrupted(workspace, edit("set_status", "Done.", key="once"), "record_written")
    written = place.read_bytes()
    with pytest.MonkeyPatch.context() as patched:
        # As the hub of another version did, which read files of pending operations.
        patched.setattr("memoryhub.sync.record.recording._is_pending", lambda *_: False)
        writing.read_newest(workspace, PATH, Operation.objects.get().recorded_at)
    place.write_text(TEXT)

    sync_workspace(workspace)

    assert place.read_text() == TEXT != written.decode()
    assert Operation.objects.get().state == State.APPLIED


def test_another_version_that_was_read_meanwhile_is_not_taken_for_ours(
    workspace: Workspace, place: Path
) -> None:
    interrupted(workspace, edit("set_status", "Done.", key="once"), "write")
    theirs = TEXT + "- 2026-11-04: by the agent\n"
    place.write_text(theirs)
    writing.read_newest(workspace, PATH, Operation.objects.get().recorded_at)

    sync_workspace(workspace)

    assert place.read_text() == theirs.replace("Half done.", "Done.")
    assert actors(workspace, PATH) == ["", "", "person:1"]


def test_a_sync_leaves_a_file_alone_while_an_operation_writes_it(
    workspace: Workspace, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def looked_at(*arguments: object) -> None:
        with monkeypatch.context() as patched:
            patched.setattr("memoryhub.sync.engine.settle", lambda *_, **__: [])
            sync_workspace(workspace)
        record_written(*arguments)  # type: ignore[arg-type]

    record_written = writing.record_written
    monkeypatch.setattr(editing, "record_written", looked_at)
    apply_edit(workspace, added("OURS\n"))

    assert actors(workspace) == ["", "scout"]
    assert sync_workspace(workspace).is_empty


def test_staged_operations_written_together_are_settled_together(
    reviewed: Workspace, place: Path
) -> None:
    for text in ("One", "Two"):
        apply_edit(reviewed, edit("add_history", f"2026-11-03: {text}"))
    with pytest.MonkeyPatch.context() as patched, pytest.raises(Crash):
        patched.setattr(editing, "record_written", crash)
        write_staged(reviewed)
    with place.open("a") as held:
        held.write("- 2026-11-03: by the agent\n")

    assert settle(reviewed) == []

    assert [o.state for o in Operation.objects.all()] == [State.APPLIED] * 2
    assert place.read_text().count("One") == place.read_text().count("Two") == 1


def test_an_edit_settles_first_what_was_left_of_the_one_before(
    workspace: Workspace, log: Path
) -> None:
    interrupted(workspace, added("\n- first\n"), "write")
    later = Edit(LOG, "append_text", {"text": "- second\n", "label": "y"}, "ada")

    apply_edit(workspace, later)

    assert log.read_text() == BEGUN + "\n- first\n- second\n"


def test_a_search_learns_of_what_a_second_try_settles(
    workspace: Workspace, log: Path
) -> None:
    asked, told = added("\n- zebra\n"), list[Workspace]()

    def tell(workspace: Workspace, **_: object) -> None:
        told.append(workspace)

    interrupted(workspace, asked, "record_written")
    journal_grew.connect(tell)

    apply_edit(workspace, asked)

    assert told == [workspace]


@pytest.mark.parametrize("step", ["write", "record_written"])
def test_a_pending_operation_is_settled_before_it_is_taken_back(
    workspace: Workspace, log: Path, step: str
) -> None:
    interrupted(workspace, added("\nOURS\n"), step)
    if step == "write":
        log.write_text(BEGUN + "\n- theirs")

    undo(workspace, Operation.objects.get(), "person:1")

    assert "OURS" not in log.read_text()
    states = [operation.state for operation in Operation.objects.order_by("seq")]
    assert states == [State.APPLIED, State.APPLIED]


def test_a_value_that_somebody_else_set_meanwhile_is_not_set_again(
    workspace: Workspace, place: Path
) -> None:
    payload = {"text": "Done.", "today": "2026-11-03"}
    interrupted(workspace, Edit(PATH, "set_status", payload, "person:1"), "write")
    theirs = TEXT.replace("Half done.", "Done.").replace("11-02\n\n", "11-04\n\n")
    place.write_text(theirs)

    sync_workspace(workspace)

    assert place.read_text() == theirs
    assert Operation.objects.get().state == State.APPLIED


def test_a_value_that_another_program_set_is_in_a_version_of_its_own_file(
    workspace: Workspace, place: Path, log: Path
) -> None:
    payload = {"text": "Done.", "today": "2026-11-03"}
    interrupted(workspace, Edit(PATH, "set_status", payload, "person:1"), "write")
    pending = Operation.objects.get()
    place.write_text(
        TEXT.replace("Half done.", "Done.").replace("11-02\n\n", "11-04\n\n")
    )
    writing.read_newest(workspace, PATH, pending.recorded_at)
    apply_edit(workspace, added("- of the log\n"))

    sync_workspace(workspace)

    pending.refresh_from_db()
    newest = Revision.objects.filter(workspace=workspace, path=PATH).latest("seq")
    assert (pending.state, pending.version_seq) == (State.APPLIED, newest.seq)


def test_what_was_written_in_another_workspace_is_written_here_too(
    workspace: Workspace, second: Workspace, place: Path
) -> None:
    asked = edit("set_status", "Done.")
    interrupted(workspace, asked, "write")
    for base in (asked, edit("set_status", "Begun."), edit("set_status", "Done.")):
        apply_edit(second, replace(base, key=uuid4().hex))

    sync_workspace(workspace)

    assert "Done." in place.read_text()


def test_what_others_append_during_ours_is_in_the_versions_as_on_disk(
    workspace: Workspace, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def amid(disk: object, data: bytes) -> bytes:
        with log.open("a") as held:
            held.write("\n- theirs\n")
        before = log.read_bytes()
        with log.open("ab") as held:
            held.write(data[len(BEGUN) :])
        return before

    monkeypatch.setattr(editing, "write", amid)
    apply_edit(workspace, added("\nOURS\n"))

    said = [data.decode() for _, data in versions(workspace, LOG)]
    theirs = BEGUN + "\n- theirs\n"
    assert said == [BEGUN, theirs, theirs + "\nOURS\n"]
    assert actors(workspace) == ["", "", "scout"]
