"""Operations on real files: conflicts, crashes, undo, review, and others' writes."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from memoryhub.disk import places
from memoryhub.disk.files import FileError, UnreadableFile
from memoryhub.disk.places import add_to_end
from memoryhub.formats.base import FormatError
from memoryhub.journal.models import Operation, Workspace
from memoryhub.sync.edit import editing, edits
from memoryhub.sync.edit.editing import apply_each, apply_edit, undo
from memoryhub.sync.edit.edits import (
    Conflict,
    Edit,
    attempt_key,
)
from memoryhub.sync.edit.writing import file_lock
from memoryhub.sync.engine import sync_workspace
from tests.editing import MAP, PATH, TEXT, State, edit, versions, write_raw
from topics.models import Decision, Topic

NOON = datetime(2026, 11, 5, 12, tzinfo=UTC)


def test_a_status_is_written_and_projected_at_once(
    workspace: Workspace, place: Path
) -> None:
    done = apply_edit(workspace, edit("set_status", "Done.", base="Half done."))

    assert done.state == State.APPLIED
    assert place.read_text() == TEXT.replace("Half done.", "Done.")
    assert Topic.objects.get(name="auth").status == "Done."
    assert sync_workspace(workspace).is_empty


def test_a_conflict_gives_both_values_and_writes_nothing(
    workspace: Workspace, place: Path
) -> None:
    with pytest.raises(Conflict) as raised:
        apply_edit(workspace, edit("set_status", "Done.", base="Not begun."))

    assert (raised.value.base, raised.value.current) == ("Not begun.", "Half done.")
    assert place.read_text() == TEXT
    assert not Operation.objects.exists()


def test_an_edit_is_made_from_bytes_no_sync_has_seen(
    workspace: Workspace, place: Path
) -> None:
    newer = TEXT.replace("Half done.", "Nearly done.")
    place.write_text(newer)

    apply_edit(workspace, edit("add_history", "2026-11-03: Checked"))

    assert place.read_text() == newer + "- 2026-11-03: Checked\n"
    assert [data.decode() for _, data in versions(workspace)][1] == newer


@pytest.mark.parametrize(
    ("path", "verb"),
    [("memories/decisions.md", "add_decision"), ("memories/errors.md", "append_error")],
)
def test_an_addition_that_no_reader_would_find_is_refused(
    workspace: Workspace, workspace_root: Path, path: str, verb: str
) -> None:
    log = workspace_root / path
    log.parent.mkdir(exist_ok=True)
    log.write_text("# Log\n\n```\nleft open\n")

    with pytest.raises(FormatError, match=r"^addition-lost"):
        apply_edit(workspace, Edit(path, verb, {"text": "Kept", "log": True}, "a"))

    assert log.read_text() == "# Log\n\n```\nleft open\n"


def test_an_addition_at_the_end_keeps_the_inode(
    workspace: Workspace, place: Path
) -> None:
    before = place.stat().st_ino

    with place.open("a") as held:
        apply_edit(workspace, edit("add_history", "2026-11-03: Checked"))
        held.write("- 2026-11-03: by the agent\n")

    assert place.stat().st_ino == before
    assert place.read_text().endswith(": Checked\n- 2026-11-03: by the agent\n")


def test_an_addition_lands_at_once_in_a_log_that_others_append_to(
    workspace: Workspace, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = place.with_name("2026-11-20.md")
    log.write_text("begun\n")

    def busy(*arguments: Any) -> None:
        commits.append(arguments)
        with log.open("a") as agent:
            agent.write(f"theirs {len(commits)}\n")
        commit(*arguments)

    commit, commits = edits.commit, list[Any]()
    payload = {"text": "ours\n", "label": "ours"}
    path = "memory/2026-11-20.md"
    with monkeypatch.context() as patched:
        patched.setattr(editing, "commit", busy)
        done = apply_edit(workspace, Edit(path, "append_text", payload, "scout"))

    assert len(commits) == 1
    assert log.read_text() == "begun\ntheirs 1\nours\n"
    assert b"begun\ntheirs 1\n" in [data for _, data in versions(workspace, path)]
    undo(workspace, done, "operator")
    assert log.read_text() == "begun\ntheirs 1\n"


def test_versions_during_another_program_s_append_were_all_on_disk(
    workspace: Workspace, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs = "- 2026-11-03: by the agent\n"

    def late(descriptor: int, addition: bytes, path: str) -> int:
        with place.open("a") as agent:
            agent.write(theirs)
        return add_to_end(descriptor, addition, path)

    with monkeypatch.context() as patched:
        patched.setattr(places, "add_to_end", late)
        done = apply_edit(workspace, edit("add_history", "2026-11-03: Checked"))

    whole = TEXT + theirs + "- 2026-11-03: Checked\n"
    assert place.read_text() == whole
    texts = [data.decode() for _, data in versions(workspace)]
    assert texts == [TEXT, TEXT + theirs, whole]
    undo(workspace, done, "person:1")
    assert place.read_text() == TEXT + theirs


def test_versions_of_a_second_attempt_during_an_append_were_all_on_disk(
    workspace: Workspace, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs = [f"- 2026-11-0{n}: by the agent\n" for n in (3, 4)]

    def append_theirs(number: int) -> None:
        with place.open("a") as agent:
            agent.write(theirs[number])

    def busy(*arguments: Any) -> None:
        append_theirs(0)
        commit(*arguments)

    def late(descriptor: int, addition: bytes, path: str) -> int:
        append_theirs(1)
        return add_to_end(descriptor, addition, path)

    commit = edits.commit
    with monkeypatch.context() as patched:
        patched.setattr(editing, "commit", busy)
        patched.setattr(places, "add_to_end", late)
        apply_edit(workspace, edit("add_history", "2026-11-05: Checked"))

    before = TEXT + "".join(theirs)
    texts = [data.decode() for _, data in versions(workspace)]
    assert texts == [TEXT, before, f"{before}- 2026-11-05: Checked\n"]
    assert place.read_text() == texts[-1]


def test_a_replaced_file_keeps_its_mode(workspace: Workspace, place: Path) -> None:
    place.chmod(0o640)

    apply_edit(workspace, edit("set_status", "Done."))

    assert place.stat().st_mode & 0o777 == 0o640
    assert [p.name for p in place.parent.iterdir()] == [place.name]


@pytest.mark.parametrize("end", ["\r\n", "\r"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_bom_and_line_ends_are_kept(
    workspace: Workspace, place: Path, mark: bytes, end: str
) -> None:
    data = mark + TEXT.replace("\n", end).encode()
    write_raw(place, data, workspace)

    apply_edit(workspace, edit("add_decision", "2026-11-03: Log out"))

    keys = f"Rotate keys{end}".encode()
    added = keys + f"- 2026-11-03: Log out{end}".encode()
    assert place.read_bytes() == data.replace(keys, added)
    assert Decision.objects.count() == 3


def test_bytes_of_another_encoding_are_kept(workspace: Workspace, place: Path) -> None:
    data = TEXT.encode().replace(b"Rotate", b"Rot\xe9te")
    write_raw(place, data, workspace)

    apply_edit(workspace, edit("set_status", "Done."))

    assert place.read_bytes() == data.replace(b"Half done.", b"Done.")


def test_the_same_key_never_applies_twice(workspace: Workspace, place: Path) -> None:
    asked = edit("add_history", "2026-11-03: Checked", key="once")

    first, second = apply_edit(workspace, asked), apply_edit(workspace, asked)

    assert first == second
    assert place.read_text().count("Checked") == 1


@pytest.mark.parametrize("text", ["## History of it", "fine\n## Meta"])
def test_a_status_that_breaks_the_file_is_refused(
    workspace: Workspace, place: Path, text: str
) -> None:
    with pytest.raises(FormatError):
        apply_edit(workspace, edit("set_status", text))

    assert place.read_text() == TEXT
    assert not Operation.objects.exists()


def test_a_text_that_no_file_can_hold_is_refused(
    workspace: Workspace, place: Path
) -> None:
    with pytest.raises(FormatError, match=r"^text-not-encodable"):
        apply_edit(workspace, edit("set_status", "Half\0done."))

    assert place.read_text() == TEXT


def test_edits_of_one_path_in_two_workspaces_do_not_wait_for_each_other(
    workspace: Workspace, second: Workspace
) -> None:
    taken, let_go = Event(), Event()

    def hold() -> bool:
        with file_lock(workspace, PATH):
            taken.set()
            return let_go.wait(30)

    with ThreadPoolExecutor(1) as pool:
        held = pool.submit(hold)
        taken.wait()
        with file_lock(second, PATH):
            let_go.set()
        assert held.result()


def test_an_unknown_verb_is_refused(workspace: Workspace) -> None:
    with pytest.raises(FormatError):
        apply_edit(workspace, edit("drop_everything", ""))


@pytest.mark.parametrize("path", ["../out.md", "memory/../../out.md", "a\0b.md"])
def test_a_path_that_leaves_the_workspace_is_refused(
    workspace: Workspace, path: str
) -> None:
    with pytest.raises(FileError):
        apply_edit(workspace, Edit(path, "set_status", {"text": "x"}, "person:1"))

    assert not Path(workspace.root, "../out.md").exists()


def test_a_link_is_not_followed(workspace: Workspace, tmp_path: Path) -> None:
    outside = tmp_path / "secret.md"
    outside.write_text("secret")
    Path(workspace.root, "memory/context-link.md").symlink_to(outside)

    with pytest.raises(UnreadableFile):
        apply_edit(
            workspace,
            Edit("memory/context-link.md", "set_status", {"text": "x"}, "person:1"),
        )

    assert outside.read_text() == "secret"


def test_a_workspace_that_is_gone_is_not_made_anew(
    workspace: Workspace, place: Path, workspace_root: Path
) -> None:
    workspace_root.rename(workspace_root.with_name("away"))

    with pytest.raises(FileError):
        apply_edit(workspace, edit("set_status", "Done."))

    assert not workspace_root.exists()


UNDONE = [
    ("set_status", {"text": "Done.", "today": "2026-11-02"}),
    ("add_decision", {"text": "2026-11-03: Log out"}),
    ("remove_decision", {"text": "2026-11-01: Use JWT (stateless)"}),
    ("add_history", {"text": "2026-11-03: Checked"}),
    ("remove_history", {"text": "2026-11-01: Context created"}),
    (
        "checkpoint",
        {
            "topic": "auth",
            "today": "2026-11-02",
            "session": "",
            "status": "Done.",
            "decisions": ["2026-11-03: One", "2026-11-03: Two"],
            "history": "2026-11-03: Checked",
        },
    ),
]


@pytest.mark.parametrize(("verb", "payload"), UNDONE)
@pytest.mark.parametrize("limit", [1, 2, 20])
def test_every_verb_is_taken_back_to_the_same_bytes(
    workspace: Workspace, place: Path, verb: str, payload: dict[str, str], limit: int
) -> None:
    workspace.max_decisions = workspace.max_history = limit
    workspace.save()

    done = apply_edit(workspace, Edit(PATH, verb, payload, "person:1"))
    changed = place.read_text()
    undone = undo(workspace, done, "person:1")

    assert changed != TEXT
    assert place.read_text() == TEXT
    undo(workspace, undone, "person:1")
    assert place.read_text() == changed


def test_a_binding_is_taken_back(workspace: Workspace) -> None:
    place = Path(workspace.root, MAP)
    place.write_text('{\n  "agent:main:main": "billing"\n}')
    before = place.read_text()

    payload = {"key": "agent:main:main", "topic": "auth"}
    done = apply_edit(workspace, Edit(MAP, "bind", payload, "person:1"))

    assert place.read_text() == before.replace("billing", "auth")
    undo(workspace, done, "person:1")
    assert place.read_text() == before


def test_undo_stops_where_the_value_was_changed_since(
    workspace: Workspace, place: Path
) -> None:
    done = apply_edit(workspace, edit("set_status", "Done."))
    place.write_text(TEXT.replace("Half done.", "Begun anew."))

    with pytest.raises(Conflict) as raised:
        undo(workspace, done, "person:1")

    assert raised.value.current == "Begun anew."
    assert "Begun anew." in place.read_text()


def test_a_dropped_decision_stays_in_the_hub(workspace: Workspace, place: Path) -> None:
    workspace.max_decisions = 2
    workspace.save()

    apply_edit(workspace, edit("add_decision", "2026-11-03: Log out"))

    assert "JWT" not in place.read_text()
    assert Decision.objects.get(text__contains="JWT").last_seq


def test_edits_of_many_files_have_one_time_also_where_one_goes_alone(
    workspace: Workspace, workspace_root: Path
) -> None:
    other = "memory/context-pay.md"
    (workspace_root / other).write_text(TEXT)
    sync_workspace(workspace)
    with pytest.MonkeyPatch.context() as patched, pytest.raises(ZeroDivisionError):
        patched.setattr(editing, "record_written", lambda *arguments: 1 / 0)
        apply_edit(workspace, edit("add_history", "2026-11-03: Checked"))
    both = [
        edit("set_status", "Done."),
        replace(edit("set_status", "Done."), path=other),
    ]

    assert apply_each(workspace, both, clock=lambda: NOON) == []

    done = Operation.objects.filter(verb="set_status", state=State.APPLIED)
    assert [one.recorded_at for one in done] == [NOON, NOON]


def test_a_key_is_free_again_once_its_edit_was_undone(
    workspace: Workspace, second: Workspace
) -> None:
    for each in (workspace, second):
        done = apply_edit(each, edit("set_status", "Done.", key="close"))
    undo(second, done, "ana")

    assert attempt_key(workspace, "close") == "close"
    assert attempt_key(second, "close") == "close-2"
