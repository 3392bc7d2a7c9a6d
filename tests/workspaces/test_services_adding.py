from __future__ import annotations

import os
from pathlib import Path

import pytest

from memoryhub.disk.files import disk_path
from memoryhub.sync.checking import check_folder
from memoryhub.sync.edit.gate import may_read
from memoryhub.sync.engine import sync_workspace
from memoryhub.workspaces.services.adding import (
    NotAFolder,
    NotAWorkspace,
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


def test_the_disk_and_the_hubs_own_folder_are_refused(hub_data: Path) -> None:
    (hub_data / "spool").mkdir()
    (hub_data / "uploads/.incoming-1").mkdir(parents=True)
    (hub_data / "link").symlink_to("spool")

    for path in ("/", ".", "spool", "uploads", "uploads/.incoming-1", "link"):
        with pytest.raises(NotAWorkspace, match="the hub's own"):
            add_workspace(hub_data / path)


def test_what_the_hub_made_of_an_upload_or_a_sample_is_a_workspace(
    hub_data: Path,
) -> None:
    for path in ("uploads/notes", "samples/acme"):
        (hub_data / path).mkdir(parents=True)
        assert add_workspace(hub_data / path).root == str(hub_data / path)


def test_nothing_in_the_data_folder_is_imported_by_a_workspace_around_it(
    hub_data: Path,
) -> None:
    write_files(hub_data.parent, {"MEMORY.md": "# Notes", "hub-data/uploads/a.md": "x"})
    (hub_data / "workspace-of-its-own/memory").mkdir(parents=True)
    workspace = add_workspace(hub_data.parent)

    assert sync_workspace(workspace).files == 1
    assert check_folder(hub_data.parent).files == 1
    assert not may_read(workspace, "hub-data/uploads/a.md")
    assert may_read(workspace, "MEMORY.md")
    assert workspaces_in(hub_data.parent) == []
