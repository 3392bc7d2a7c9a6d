"""Missing files: one button and one command write all of them back."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import Client

from memoryhub.journal.models import Problem, Revision, Workspace
from memoryhub.journal.problems import current_problems
from memoryhub.runtime.local_work import LOCAL
from memoryhub.runtime.worker import Worker
from memoryhub.sync.edit.holding import held_paths
from memoryhub.sync.engine import sync_workspace
from tests.factories import imported

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("hub_data")]

NOTES = {f"memory/note-{n:02}.md": f"# Note {n}\n- a line\n" for n in range(17)}
INDEX = {"MEMORY.md": "# Memory\n- kept\n"}


def held(root: Path) -> Workspace:
    """Return a workspace of 18 files of which 17 were removed."""
    workspace = imported(root, {**INDEX, **NOTES})
    shutil.rmtree(root / "memory")
    sync_workspace(workspace)
    return workspace


def deleted(root: Path) -> Workspace:
    """Return a workspace with two logs deleted and seen as that."""
    others = {f"notes/{n}.md": "A note.\n" for n in range(9)}
    workspace = imported(root, {**INDEX, **others, **dict([*NOTES.items()][:2])})
    for path in [*NOTES][:2]:
        (root / path).unlink()
    sync_workspace(workspace)
    return workspace


def contents(root: Path) -> dict[str, str]:
    return {
        str(path.relative_to(root)): path.read_text("utf-8")
        for path in (root / "memory").glob("*.md")
    }


def codes(workspace: Workspace) -> list[str]:
    return list(current_problems(workspace).values_list("code_name", flat=True))


def test_seventeen_of_eighteen_files_are_held_as_one_problem(
    workspace_root: Path,
) -> None:
    workspace = held(workspace_root)

    assert codes(workspace) == ["gone-at-once"]
    assert len(held_paths(workspace)) == 17


def test_one_command_restores_all_held_files_without_a_new_version(
    workspace_root: Path,
) -> None:
    workspace = held(workspace_root)
    versions = Revision.objects.count()

    call_command("sync", workspace.slug, "--restore-missing")

    assert contents(workspace_root) == NOTES
    assert codes(workspace) == [] and held_paths(workspace) == []
    assert Revision.objects.count() == versions


def test_a_held_file_that_is_back_keeps_what_it_says_now(workspace_root: Path) -> None:
    workspace = held(workspace_root)
    (workspace_root / "memory").mkdir()
    (workspace_root / "memory/note-00.md").write_text("# Anew\n", "utf-8")

    call_command("sync", workspace.slug, "--restore-missing")

    assert contents(workspace_root) == {**NOTES, "memory/note-00.md": "# Anew\n"}


def test_one_button_restores_all_deleted_files(
    workspace_root: Path, client: Client
) -> None:
    workspace = deleted(workspace_root)
    assert codes(workspace) == ["memory-gone"] * 2
    health = f"/w/{workspace.slug}/health/"
    page = client.get(health).text
    assert "Restore all 2 missing files" in page
    assert "2 files were deleted" in client.get(f"/w/{workspace.slug}/").text

    again = f"/w/{workspace.slug}/imports/again/"
    progress = client.post(again, {"restore_missing": "1"})["Location"]
    Worker(threading.Event(), LOCAL).run_all()

    assert contents(workspace_root) == dict([*NOTES.items()][:2])
    assert codes(workspace) == []
    assert "missing file" not in client.get(health).text
    assert "2 files are restored" in client.get(progress).text


def test_a_file_whose_bytes_are_gone_is_named_and_the_others_are_restored(
    workspace_root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    workspace = deleted(workspace_root)
    (workspace_root / "memory/note-01.md").mkdir(parents=True)

    with pytest.raises(SystemExit):
        call_command("sync", workspace.slug, "--restore-missing")

    assert "note-01.md is not restored" in capsys.readouterr().err
    assert Problem.objects.filter(until_seq=None).count() == 1
