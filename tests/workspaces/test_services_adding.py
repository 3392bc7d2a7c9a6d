from __future__ import annotations

import os
from pathlib import Path

import pytest

from memoryhub.files import disk_path
from memoryhub.sync.engine import sync_workspace
from memoryhub.workspaces.services.adding import (
    NotAFolder,
    SlugTaken,
    add_workspace,
    workspaces_in,
)
from tests.writing import write_files

pytestmark = pytest.mark.django_db


def test_a_folder_becomes_a_workspace_once(tmp_path: Path) -> None:
    first = add_workspace(tmp_path)

    assert add_workspace(f"{tmp_path}/.") == first
    assert first.root == str(tmp_path)


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("workspace-fin", "fin"),
        ("agents/dev/workspace", "dev"),
        (".openclaw", "openclaw"),
        ("日志", "日志"),
    ],
)
def test_its_names_are_those_of_the_folder(
    tmp_path: Path, path: str, name: str
) -> None:
    (tmp_path / path).mkdir(parents=True)

    workspace = add_workspace(tmp_path / path)

    assert (workspace.name, workspace.slug) == (name, name)


def test_two_folders_of_one_name_have_different_slugs(tmp_path: Path) -> None:
    for parent in ("a", "b"):
        (tmp_path / parent / "notes").mkdir(parents=True)

    slugs = [add_workspace(tmp_path / parent / "notes").slug for parent in ("a", "b")]

    assert slugs == ["notes", "notes-2"]


def test_a_slug_that_is_taken_is_refused(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    add_workspace(tmp_path, slug="mine")

    with pytest.raises(SlugTaken, match="mine"):
        add_workspace(tmp_path / "other", slug="mine")


def test_what_is_no_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")

    for path in (tmp_path / "file", tmp_path / "gone"):
        with pytest.raises(NotAFolder):
            add_workspace(path)


def test_a_folder_whose_name_is_no_utf_8_works(tmp_path: Path, hub_data: Path) -> None:
    root = tmp_path / os.fsdecode(b"caf\xe9")
    write_files(root, {"memory/a.md": "# A\n"})

    workspace = add_workspace(root)

    assert disk_path(workspace.root) == str(root)
    assert sync_workspace(workspace).added == 1


def test_the_workspaces_inside_are_offered(tmp_path: Path) -> None:
    write_files(tmp_path, {
        "workspace-fin/MEMORY.md": "", "agents/dev/workspace/memory/a.md": "",
    })  # fmt: skip

    assert workspaces_in(tmp_path) == [
        tmp_path / "agents/dev/workspace",
        tmp_path / "workspace-fin",
    ]
