"""Additions of several callers to one file, made together as if one after another."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from django.db import OperationalError, connection

from memoryhub.disk.files import UnreadableFile
from memoryhub.formats.base import FormatError
from memoryhub.journal.blobs import blob_bytes
from memoryhub.journal.models import Operation, Revision, Workspace
from memoryhub.sync.edit import editing
from memoryhub.sync.edit.editing import apply_edit, settle
from memoryhub.sync.edit.edits import Edit
from memoryhub.sync.edit.writing import file_lock
from memoryhub.sync.record.projection import rebuild
from tests.factories import imported
from tests.projected import differences, projected_rows
from tests.waiting import wait_for

pytestmark = pytest.mark.django_db(transaction=True)

LOG = "memory/2026-11-20.md"


class Killed(BaseException):
    """Stands for the end of the process."""


@pytest.fixture
def workspace(hub_data: Path, workspace_root: Path) -> Workspace:
    return imported(workspace_root, {LOG: "# 2026-11-20\n\n- opened the shop\n"})


def addition(text: str, actor: str) -> Edit:
    payload = {"label": text, "text": f"- {text}\n"}
    return Edit(LOG, "append_text", payload, actor, key=f"key {text}")


def all_at_once(workspace: Workspace, edits: list[Edit]) -> list[BaseException]:
    """Apply edits in threads that all wait for the file; return what failed."""
    failed: list[BaseException] = []

    def run(edit: Edit) -> None:
        try:
            apply_edit(workspace, edit)
        except BaseException as error:
            failed.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=[edit]) for edit in edits]
    place = (workspace.uuid, LOG)
    with file_lock(workspace, LOG):
        for thread in threads:
            thread.start()
        wait_for(lambda: len(editing._waiting.get(place, ())) == len(edits))
    for thread in threads:
        thread.join()
    return failed


def test_what_waits_is_written_together_with_a_version_for_each(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[None] = []
    monkeypatch.setattr(editing, "sync_commits", lambda: synced.append(None))

    assert not all_at_once(
        workspace, [addition(f"swept {n}", f"agent-{n}") for n in range(6)]
    )

    assert len(synced) == 1
    written = Revision.objects.filter(workspace=workspace, kind="written")
    assert {one.actor for one in written} == {f"agent-{n}" for n in range(6)}
    applied = Operation.objects.filter(workspace=workspace, state="applied")
    for operation in applied:
        assert operation.version_seq is not None
        version = written.get(seq=operation.version_seq)
        assert version.actor == operation.actor
        assert version.blob and version.blob.sha256 == operation.after_sha
    assert applied.count() == 6


def test_additions_made_together_are_rebuilt_with_equal_rows(
    workspace: Workspace,
) -> None:
    for number in range(3):
        named = [f"{number} {n}" for n in range(5)]
        all_at_once(workspace, [addition(one, f"agent-{one[-1]}") for one in named])
    before = projected_rows(workspace)

    rebuild(workspace)

    assert not differences(before, projected_rows(workspace))


def test_one_that_no_file_can_hold_hinders_no_other(workspace: Workspace) -> None:
    odd = addition("a\0b", "main")

    failed = all_at_once(
        workspace, [odd, *(addition(f"swept {n}", "main") for n in range(3))]
    )

    assert [type(error) for error in failed] == [FormatError]
    text = (Path(workspace.root) / LOG).read_text()
    assert sorted(text.split("\n")[3:6]) == [f"- swept {n}" for n in range(3)]


def test_the_same_key_is_written_once(workspace: Workspace) -> None:
    assert not all_at_once(workspace, [addition("swept", "main")] * 2)

    assert (Path(workspace.root) / LOG).read_text().count("swept") == 1


def test_a_kill_behind_the_write_leaves_all_of_them_once(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object, **__: object) -> None:
        raise Killed

    edits = [addition(f"swept {n}", f"agent-{n}") for n in range(4)]
    with monkeypatch.context() as patch:
        patch.setattr(editing, "record_written", killed)
        all_at_once(workspace, edits)

    settle(workspace)

    text = (Path(workspace.root) / LOG).read_text()
    assert [text.count(f"swept {n}") for n in range(4)] == [1] * 4
    states = Operation.objects.filter(workspace=workspace).values_list("state")
    assert {state for (state,) in states} == {"applied"}


def test_lines_that_another_program_appends_before_the_write_come_first(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = Path(workspace.root) / LOG
    begun = place.read_text()

    def appended() -> None:
        monkeypatch.undo()
        place.write_text(f"{begun}- from outside\n")

    monkeypatch.setattr(editing, "sync_commits", appended)
    assert not all_at_once(
        workspace, [addition(f"swept {n}", "main") for n in range(4)]
    )

    outside, *ours = place.read_text().removeprefix(begun).splitlines()
    assert (outside, sorted(ours)) == (
        "- from outside",
        [f"- swept {n}" for n in range(4)],
    )
    newest = Revision.objects.filter(workspace=workspace, path=LOG).latest("seq")
    assert newest.blob and blob_bytes(newest.blob) == place.read_bytes()


def test_an_addition_that_failed_is_not_written_with_the_next_one(
    workspace: Workspace, hub_data: Path
) -> None:
    locks = hub_data / "locks"
    aside = locks.rename(hub_data / "aside") if locks.exists() else None
    locks.write_text("no folder")
    with pytest.raises(OSError):
        apply_edit(workspace, addition("swept", "main"))
    locks.unlink()
    if aside:
        aside.rename(locks)

    apply_edit(workspace, addition("mopped", "main"))

    text = (Path(workspace.root) / LOG).read_text()
    assert (text.count("swept"), text.count("mopped")) == (0, 1)


def test_a_file_whose_additions_are_written_takes_no_memory(
    workspace: Workspace,
) -> None:
    apply_edit(workspace, addition("swept", "main"))
    all_at_once(workspace, [addition(f"mopped {n}", "main") for n in range(3)])

    assert not editing._waiting


def test_a_failure_is_that_of_the_additions_that_were_not_written(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OperationalError("database or disk is full")

    monkeypatch.setattr(editing, "apply_all", fail)
    # No file can hold the last one: it is left to its own caller.
    edits = [addition(text, "main") for text in ("swept 1", "swept 2", "swept 3\0")]

    failed = all_at_once(workspace, edits)

    text = (Path(workspace.root) / LOG).read_text()
    assert [text.count(f"swept {n}") for n in (1, 2, 3)] == [1, 1, 0]
    assert [type(error) for error in failed] == [OperationalError]


def test_what_cannot_be_appended_together_is_written_one_by_one(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> bytes:
        monkeypatch.undo()
        raise UnreadableFile(LOG, "no space left")

    monkeypatch.setattr(editing, "write", refuse)
    assert not all_at_once(
        workspace, [addition(f"swept {n}", "main") for n in range(3)]
    )

    text = (Path(workspace.root) / LOG).read_text()
    assert [text.count(f"swept {n}") for n in range(3)] == [1] * 3
    states = Operation.objects.filter(workspace=workspace).values_list("state")
    assert {state for (state,) in states} == {"applied"}
