"""Another program saves its old copy over what was written through the hub."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memoryhub.journal.models import Operation, Problem, Revision, Workspace
from memoryhub.sync.edit import editing, writing
from memoryhub.sync.edit.editing import apply_edit, undo
from memoryhub.sync.engine import sync_workspace
from tests.editing import PATH, TEXT, edit
from tests.writing import assert_a_rebuild_changes_nothing, write_files

MakeWorkspace = Callable[[Path], Workspace]


@pytest.fixture
def workspace(workspace_root: Path, make_workspace: MakeWorkspace) -> Workspace:
    write_files(workspace_root, {PATH: TEXT})
    workspace = make_workspace(workspace_root)
    sync_workspace(workspace)
    return workspace


def save(workspace: Workspace, text: str) -> None:
    write_files(Path(workspace.root), {PATH: text})
    sync_workspace(workspace)


def lost(workspace: Workspace) -> list[dict[str, object]]:
    rows = Problem.objects.filter(
        workspace=workspace, code_name="write-lost", until_seq__isnull=True
    )
    return list(rows.values_list("parameters", flat=True))


def decide(workspace: Workspace, text: str = "2026-11-20: Use sets") -> Operation:
    return apply_edit(workspace, edit("add_decision", text))


def test_a_write_that_an_old_copy_took_back_is_named(workspace: Workspace) -> None:
    operation = decide(workspace)

    save(workspace, TEXT)

    written = Revision.objects.get(workspace=workspace, kind="written")
    assert lost(workspace) == [{"seq": written.seq, "actor": operation.actor}]
    assert_a_rebuild_changes_nothing(workspace)


def test_every_write_since_the_copy_was_made_is_named(workspace: Workspace) -> None:
    for number in range(3):
        decide(workspace, f"2026-11-20: Decision {number}")

    save(workspace, TEXT + "- 2026-11-20: the editor's own line\n")

    assert len(lost(workspace)) == 3


def test_a_chain_of_writes_to_one_value_is_named_whole(workspace: Workspace) -> None:
    for text in ("Nearly done.", "Done."):
        apply_edit(workspace, edit("set_status", text))

    save(workspace, TEXT + "- 2026-11-20: the editor's own line\n")

    # The first of them had been overwritten through the hub before.
    assert len(lost(workspace)) == 1


def test_a_new_value_of_an_editor_is_no_loss(workspace: Workspace) -> None:
    apply_edit(workspace, edit("set_status", "Done."))

    save(workspace, TEXT.replace("Half done.", "To be done again."))

    assert lost(workspace) == []


def test_old_writes_that_go_while_newer_ones_stay_are_no_loss(
    workspace: Workspace,
) -> None:
    decide(workspace, "2026-11-20: Use sets")
    decide(workspace, "2026-11-20: Use maps")
    written = (Path(workspace.root) / PATH).read_text()

    save(workspace, written.replace("- 2026-11-20: Use sets\n", ""))

    assert lost(workspace) == []


def test_a_write_is_named_too_where_the_watcher_read_it_first(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    decide(workspace, "2026-11-20: Use sets")

    def read_first(disk: writing.Disk, data: bytes) -> bytes:
        before = writing.write(disk, data)
        sync_workspace(Workspace.objects.get())
        return before

    with monkeypatch.context() as patched:
        patched.setattr(editing, "write", read_first)
        patched.setattr("memoryhub.sync.engine.settle", lambda *_, **__: None)
        decide(workspace, "2026-11-20: Use maps")
    save(workspace, TEXT)

    assert len(lost(workspace)) == 2


def test_it_stays_until_what_was_written_is_back(workspace: Workspace) -> None:
    decide(workspace)
    written = (Path(workspace.root) / PATH).read_text()
    save(workspace, TEXT)
    save(workspace, TEXT.replace("Half", "Three quarters"))
    assert len(lost(workspace)) == 1

    save(workspace, written)

    assert lost(workspace) == []


def test_a_later_edit_of_the_file_is_no_loss(workspace: Workspace) -> None:
    decide(workspace)
    written = (Path(workspace.root) / PATH).read_text()

    save(workspace, written.replace("Half done.", "Done."))

    assert lost(workspace) == []


def test_what_was_taken_back_through_the_hub_is_no_loss(workspace: Workspace) -> None:
    undo(workspace, decide(workspace), "person:1")

    save(workspace, TEXT.replace("Half", "Three quarters"))

    assert lost(workspace) == []
