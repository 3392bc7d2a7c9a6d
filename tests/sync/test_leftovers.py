"""Drafts that a killed hub left, and old versions that a program still has open."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from io import FileIO
from pathlib import Path

import pytest

from memoryhub.disk import replacing, swapping
from memoryhub.disk.files import PartlyWritten
from memoryhub.disk.places import Folder
from memoryhub.disk.replacing import State, beginning, draft_for
from memoryhub.journal.models import Operation, Problem, Workspace
from memoryhub.sync.edit import leftovers, writing
from memoryhub.sync.edit.editing import apply_edit
from memoryhub.sync.engine import sync_workspace
from tests.editing import PATH, TEXT, edit, versions

DONE = TEXT.replace("Half done.", "Done.")
LINES = ["- 2026-11-03: one\n", "- 2026-11-03: two\n"]


class Killed(BaseException):
    """The process ends here."""


def killed(*arguments: object, **options: object) -> None:
    raise Killed


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replacing, "WRITER_SECONDS", 0.01)


@pytest.fixture
def agent(workspace: Workspace, place: Path) -> Iterator[FileIO]:
    """Return the topic's file as a program has it open over edits."""
    with place.open("ab", buffering=0) as file:
        yield file


def drafts(place: Path) -> list[str]:
    return [file.name for file in place.parent.iterdir() if "memoryhub-" in file.name]


def codes() -> list[str]:
    return list(Problem.objects.values_list("code_name", flat=True))


def test_a_program_that_keeps_a_file_open_over_an_edit_loses_no_line(
    workspace: Workspace, place: Path, agent: FileIO
) -> None:
    apply_edit(workspace, edit("set_status", "Done."))
    for line in LINES:
        agent.write(line.encode())
        sync_workspace(workspace)
        assert place.read_text().endswith(line)
    assert codes() == ["old-version-open"]

    agent.close()
    sync_workspace(workspace)

    assert place.read_text() == DONE + "".join(LINES)
    assert versions(workspace)[-1][1] == place.read_bytes()
    assert not drafts(place)
    assert not codes()


def test_a_program_may_keep_a_file_open_over_many_edits(
    workspace: Workspace, place: Path, agent: FileIO
) -> None:
    for number in range(5):
        apply_edit(workspace, edit("set_status", f"Step {number}."))
        agent.write(b"- 2026-11-03: line %d\n" % number)
    agent.close()

    sync_workspace(workspace)

    said = TEXT.replace("Half done.", "Step 4.")
    lines = "".join(f"- 2026-11-03: line {number}\n" for number in range(5))
    assert place.read_text() == said + lines
    assert not drafts(place)


def test_a_kill_right_after_the_exchange_loses_no_line(
    workspace: Workspace, place: Path, agent: FileIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched, pytest.raises(Killed):
        patched.setattr(replacing, "finish", killed)
        apply_edit(workspace, edit("set_status", "Done."))
    agent.write(LINES[0].encode())
    agent.close()

    sync_workspace(workspace)

    assert place.read_text() == DONE + LINES[0]
    assert Operation.objects.get().state == Operation.State.APPLIED
    assert not drafts(place)


def test_the_next_edit_finds_what_a_kill_left(
    workspace: Workspace, place: Path, agent: FileIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched, pytest.raises(Killed):
        patched.setattr(replacing, "finish", killed)
        apply_edit(workspace, edit("set_status", "Done."))
    agent.write(LINES[0].encode())
    agent.close()

    apply_edit(workspace, edit("add_history", "2026-11-04: Checked"))

    assert place.read_text().count(LINES[0]) == 1
    assert "Checked" in place.read_text()
    assert not drafts(place)


def test_a_version_saved_before_the_exchange_has_its_place_again_after_a_kill(
    workspace: Workspace, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved = TEXT + LINES[0]
    exchange = Folder.exchange

    def late(folder: Folder, name: str, other: str) -> None:
        (place.parent / "new").write_text(saved.replace("# auth", "# Auth"))
        (place.parent / "new").replace(place)
        exchange(folder, name, other)

    with monkeypatch.context() as patched, pytest.raises(Killed):
        patched.setattr(Folder, "exchange", late)
        patched.setattr(replacing, "finish", killed)
        apply_edit(workspace, edit("set_status", "Done."))

    sync_workspace(workspace)

    assert place.read_text() == (DONE + LINES[0]).replace("# auth", "# Auth")
    assert not drafts(place)


def test_what_a_program_saves_over_an_old_version_is_in_the_journal(
    workspace: Workspace, place: Path
) -> None:
    with place.open("r+b", buffering=0) as editor:
        apply_edit(workspace, edit("set_status", "Done."))
        editor.truncate(0)
        editor.write(b"# auth\n\nSaved by an editor.\n")

    sync_workspace(workspace)

    assert place.read_text() == DONE
    said = [data for _, data in versions(workspace)]
    assert b"# auth\n\nSaved by an editor.\n" in said
    assert said[-1] == place.read_bytes()
    assert not drafts(place)


def test_what_a_kill_left_recorded_is_in_the_journal_once(
    workspace: Workspace, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with place.open("r+b", buffering=0) as editor:
        apply_edit(workspace, edit("set_status", "Done."))
        editor.truncate(0)
        editor.write(b"# Saved by an editor.\n")
    with monkeypatch.context() as patched, pytest.raises(Killed):
        patched.setattr(leftovers, "accept", killed)
        sync_workspace(workspace)

    sync_workspace(workspace)

    said = [data for _, data in versions(workspace)]
    assert said.count(b"# Saved by an editor.\n") == 1
    assert not drafts(place)


@pytest.mark.parametrize("held", [TEXT, TEXT + LINES[0]])
def test_a_draft_that_an_older_hub_left_is_carried_over(
    workspace: Workspace, place: Path, held: str
) -> None:
    apply_edit(workspace, edit("set_status", "Done."))
    (place.parent / f".{place.name}.memoryhub-2c2f7ff71b02").write_text(held)

    sync_workspace(workspace)

    assert place.read_text() == DONE + held.removeprefix(TEXT)
    assert not drafts(place)


def test_an_old_draft_that_nobody_knows_is_in_the_journal_before_it_goes(
    workspace: Workspace, place: Path
) -> None:
    draft = place.parent / f".{place.name}.memoryhub-2c2f7ff71b02-aside"
    draft.write_bytes(b"# What is this?\n")

    sync_workspace(workspace)

    assert b"# What is this?\n" in [data for _, data in versions(workspace)]
    assert versions(workspace)[-1][1] == place.read_bytes() == TEXT.encode()
    assert not drafts(place)


def test_a_draft_of_no_known_file_is_told_and_stays(
    workspace: Workspace, place: Path
) -> None:
    (place.parent / ".x.memoryhub-notes").write_bytes(b"mine")

    sync_workspace(workspace)

    (problem,) = Problem.objects.all()
    assert problem.code_name == "draft-left"
    assert "it is not known of which file" in problem.parameters.values()
    assert drafts(place) == [".x.memoryhub-notes"]


def test_a_file_with_a_long_name_is_found_by_its_draft(
    workspace: Workspace, place: Path
) -> None:
    name = "记" * 60 + ".md"
    file = place.with_name(name)
    file.write_text(TEXT)
    sync_workspace(workspace)
    held = draft_for(name, State.HELD, beginning(TEXT.encode()))
    place.with_name(held.name).write_text(TEXT + LINES[0])

    sync_workspace(workspace)

    assert file.read_text() == TEXT + LINES[0]
    assert not drafts(place)


def test_an_interrupted_addition_is_completed_and_never_doubled(
    workspace: Workspace, place: Path
) -> None:
    sizes = (len(TEXT + LINES[0]), len(DONE))
    carry = draft_for(place.name, State.CARRY, beginning(TEXT.encode()))
    carry = carry.moved_on(State.CARRY, beginning(TEXT.encode()), numbers=sizes)
    for there in ("", LINES[0][:7], LINES[0], LINES[1] + LINES[0], LINES[0] + LINES[1]):
        place.write_text(DONE + there)
        place.with_name(carry.name).write_text(TEXT + LINES[0])

        sync_workspace(workspace)

        assert place.read_text().count(LINES[0]) == 1
        assert place.read_text().startswith(DONE)
        assert not drafts(place)


def test_lines_for_a_file_that_is_gone_make_it_anew(
    workspace: Workspace, place: Path, agent: FileIO
) -> None:
    apply_edit(workspace, edit("set_status", "Done."))
    place.unlink()
    agent.write(LINES[0].encode())
    agent.close()

    sync_workspace(workspace)

    assert place.read_text() == LINES[0]
    assert not drafts(place)


def test_a_draft_that_another_process_is_at_work_on_is_left_to_it(
    workspace: Workspace, place: Path
) -> None:
    part = place.with_name(draft_for(place.name, State.PART).name)
    part.write_bytes(b"not complete")
    with part.open("rb") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        sync_workspace(workspace)
        assert drafts(place) == [part.name]

    sync_workspace(workspace)

    assert not drafts(place)


@pytest.mark.usefixtures("machine_clock")
def test_without_leases_an_old_version_is_looked_at_for_a_while(
    workspace: Workspace, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(swapping, "_lease", None)
    apply_edit(workspace, edit("set_status", "Done."))
    (draft,) = drafts(place)
    with place.with_name(draft).open("a") as late:
        late.write(LINES[0])

    sync_workspace(workspace)
    assert place.read_text() == DONE + LINES[0]
    assert drafts(place)
    monkeypatch.setattr(replacing, "_UNKNOWN_SECONDS", -1.0)
    sync_workspace(workspace)

    assert not drafts(place)


def test_a_file_that_is_still_open_is_removed_and_made_of_later_lines(
    workspace: Workspace, place: Path, agent: FileIO
) -> None:
    apply_edit(workspace, edit("remove_file", ""))
    assert not place.exists()
    agent.write(LINES[0].encode())
    agent.close()

    sync_workspace(workspace)

    assert place.read_text() == LINES[0]
    assert not drafts(place)


def test_an_appended_note_that_the_disk_takes_in_part_is_taken_out_again(
    workspace: Workspace, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def partly(place: object, addition: bytes, *, expected: str) -> bytes:
        with Path(workspace.root, PATH).open("ab") as file:
            file.write(addition[:10] + LINES[0].encode())
        raise PartlyWritten(PATH, len(TEXT), 10)

    monkeypatch.setattr(writing, "append_bytes", partly)
    with pytest.raises(PartlyWritten):
        disk = writing.found_now(workspace, PATH)
        writing.write(disk, TEXT.encode() + b"- 2026-11-05: a longer note\n")

    assert place.read_text() == TEXT + LINES[0]
    assert not drafts(place)
