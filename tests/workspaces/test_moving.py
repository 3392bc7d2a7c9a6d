"""A workspace at a new path stays itself."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from memoryhub.journal.models import Operation, Revision, Workspace
from memoryhub.sync.edit.editing import apply_edit
from memoryhub.sync.edit.edits import Edit
from memoryhub.sync.engine import sync_workspace
from memoryhub.sync.scan.watcher import Watcher
from memoryhub.workspaces.services.adding import NotAFolder, add_workspace
from memoryhub.workspaces.services.moving import (
    Match,
    PathTaken,
    compare,
    move_workspace,
    moved_here,
)

MakeWorkspace = Callable[[Path], Workspace]


@pytest.fixture
def workspace(make_workspace: MakeWorkspace, workspace_root: Path) -> Workspace:
    for name in "abc":
        (workspace_root / f"{name}.md").write_text(f"# {name}\n")
    workspace = make_workspace(workspace_root)
    sync_workspace(workspace)
    return workspace


@pytest.fixture
def elsewhere(workspace: Workspace, workspace_root: Path) -> Path:
    """Return where the workspace's folder lies by now."""
    return workspace_root.rename(workspace_root.with_name("elsewhere"))


def test_it_keeps_its_journal_and_imports_what_differs(
    workspace: Workspace, elsewhere: Path
) -> None:
    uuid, seq = workspace.uuid, workspace.last_seq
    (elsewhere / "a.md").write_text("# other\n")

    moved = move_workspace(workspace, elsewhere)
    report = sync_workspace(moved)

    assert (moved.uuid, moved.slug, moved.root) == (uuid, "notes", str(elsewhere))
    assert (report.changed, report.added, report.deleted) == (1, 0, 0)
    assert Revision.objects.filter(workspace=moved).count() == seq + 1


@pytest.fixture
def pending(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> Operation:
    """Return an edit of a topic that a kill left between journal and file."""

    def killed(*arguments: object) -> None:
        raise KeyboardInterrupt

    edit = Edit("memory/context-api.md", "set_status", {"text": "On"}, "ana")
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr("memoryhub.sync.edit.editing.write", killed)
        apply_edit(workspace, edit)
    return Operation.objects.get(state=Operation.State.PENDING)


def test_an_edit_that_a_kill_left_is_finished_in_the_new_folder(
    workspace: Workspace, pending: Operation, elsewhere: Path
) -> None:
    move_workspace(workspace, elsewhere)

    pending.refresh_from_db()
    assert pending.state == Operation.State.APPLIED
    assert "On" in (elsewhere / pending.target).read_text()


def test_one_that_cannot_be_finished_now_does_not_keep_it_from_moving(
    workspace: Workspace, pending: Operation, elsewhere: Path
) -> None:
    (elsewhere / pending.target).mkdir(parents=True)
    move_workspace(workspace, elsewhere)

    pending.refresh_from_db()
    assert pending.state == Operation.State.PENDING
    assert workspace.root == str(elsewhere)


def test_how_the_files_compare_is_told_before(
    workspace: Workspace, elsewhere: Path
) -> None:
    (elsewhere / "a.md").write_text("# other\n")
    (elsewhere / "b.md").unlink()
    (elsewhere / "d.md").write_text("new")

    match = compare(workspace, elsewhere)

    assert match == Match(str(elsewhere), same=1, changed=1, missing=1, new=1)
    assert not match.is_alike


def test_a_folder_of_another_workspace_is_refused(
    workspace: Workspace, tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()
    add_workspace(tmp_path / "other")

    with pytest.raises(PathTaken):
        move_workspace(workspace, tmp_path / "other")
    with pytest.raises(NotAFolder):
        move_workspace(workspace, tmp_path / "none")


def test_its_old_folder_can_be_another_workspace(
    workspace: Workspace, elsewhere: Path, workspace_root: Path
) -> None:
    move_workspace(workspace, elsewhere)
    workspace_root.mkdir()

    assert add_workspace(workspace_root).uuid != workspace.uuid


def test_adding_its_new_folder_offers_to_move(
    workspace: Workspace, elsewhere: Path
) -> None:
    with pytest.raises(CommandError, match=f"memoryhub move notes {elsewhere}"):
        call_command("add", str(elsewhere))
    assert moved_here(elsewhere) == workspace

    call_command("add", str(elsewhere), "--new")
    assert Workspace.objects.count() == 2


def test_the_command_asks_before_it_moves(
    workspace: Workspace, elsewhere: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        call_command("move", "notes", str(elsewhere))
    call_command("move", "notes", str(elsewhere), "--dry-run")
    workspace.refresh_from_db()
    assert workspace.root != str(elsewhere)

    call_command("move", "notes", str(elsewhere), "--yes")

    workspace.refresh_from_db()
    assert workspace.root == str(elsewhere)
    assert "3 of 3 known files are the same" in capsys.readouterr().out


def test_a_watcher_looks_at_the_new_folder(
    workspace: Workspace, elsewhere: Path
) -> None:
    watcher = Watcher(threading.Event(), lambda workspace, report: None)
    move_workspace(workspace, elsewhere)

    assert list(watcher._roots()) == [elsewhere]


def test_the_page_shows_how_they_compare_and_moves(
    workspace: Workspace, elsewhere: Path, client: Client
) -> None:
    address = f"/w/{workspace.slug}/move/"
    page = client.post(address, {"path": str(elsewhere)})
    assert page.status_code == 200 and "3 of 3" in page.content.decode()

    answer = client.post(address, {"path": str(elsewhere), "sure": "1"})

    workspace.refresh_from_db()
    assert (answer.status_code, workspace.root) == (303, str(elsewhere))


def test_the_page_says_what_cannot_be_its_folder(
    workspace: Workspace, client: Client
) -> None:
    answer = client.post(f"/w/{workspace.slug}/move/", {"path": "/no/such"})

    assert answer.status_code == 422 and "not a folder" in answer.content.decode()
