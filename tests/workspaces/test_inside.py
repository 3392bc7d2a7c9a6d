"""Workspaces inside a workspace: named, offered, and never added by themselves."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from django.test import Client

from memoryhub.jobs.models import Job
from memoryhub.journal.models import Workspace
from memoryhub.sync.engine import sync_workspace
from memoryhub.sync.export import workspace_files
from memoryhub.workspaces.services.discovering import offers_here, offers_inside
from tests.writing import write_files

MakeWorkspace = Callable[[Path], Workspace]


@pytest.fixture
def outer(workspace_root: Path, make_workspace: MakeWorkspace) -> Workspace:
    write_files(workspace_root, {
        "MEMORY.md": "# Memory\n",
        "workspace-fin/MEMORY.md": "# Money\n",
        "workspace-fin/memory/2026-11-01.md": "# Day\n\n- paid\n",
        "agents/dev/workspace/memory/a.md": "# A\n",
        "notes/MEMORY.md": "# Part of the outer one\n",
    })  # fmt: skip
    outer = make_workspace(workspace_root)
    sync_workspace(outer)
    return outer


def test_its_files_belong_to_the_inner_one_alone(outer: Workspace) -> None:
    paths = [file.path for file in workspace_files(outer)]

    assert paths == ["MEMORY.md", "notes/MEMORY.md"]


def test_they_are_offered_with_their_sizes_and_not_added(outer: Workspace) -> None:
    found = offers_inside(outer)

    assert [(f.place.root.name, f.files, f.size) for f in found] == [
        ("workspace", 1, 4),
        ("workspace-fin", 2, 22),
    ]
    assert list(Workspace.objects.all()) == [outer]


def test_an_ignored_one_is_not_offered(outer: Workspace) -> None:
    outer.ignore_patterns = ["workspace-*"]

    assert [f.place.root.name for f in offers_inside(outer)] == ["workspace"]


@pytest.mark.parametrize("page", ["health/", ""])
def test_pages_name_them(outer: Workspace, client: Client, page: str) -> None:
    text = " ".join(client.get(f"/w/{outer.slug}/{page}").content.decode().split())

    if page:
        assert "workspace-fin" in text
        assert "2 files" in text
    else:
        assert "2 subfolders are workspaces of their own" in text


def test_one_click_adds_one_of_them(outer: Workspace, client: Client) -> None:
    (chosen,) = [f for f in offers_inside(outer) if f.place.root.name != "workspace"]

    address = f"/w/{outer.slug}/imports/inside/"
    answer = client.post(address, {"add": chosen.place.key})

    job = Job.objects.get(kind=Job.Kind.IMPORT)
    assert answer["location"] == f"/imports/{job.pk}/"
    added = Workspace.objects.exclude(pk=outer.pk).get()
    assert added.root == str(chosen.place.root)
    assert job.workspace == added.pk
    page = client.get(f"/w/{outer.slug}/health/").content.decode()
    assert "agents/dev/workspace" in page
    assert '<span class="t break">workspace-fin' not in page


def test_all_are_added_at_once_and_reading_a_page_adds_none(
    outer: Workspace, client: Client
) -> None:
    address = f"/w/{outer.slug}/imports/inside/"
    assert client.get(address).status_code == 405

    client.post(address, {"all": "1"})

    assert Workspace.objects.count() == 3
    text = client.get(f"/w/{outer.slug}/health/").content.decode()
    assert 'id="inside"' not in text


@pytest.mark.django_db
def test_discover_names_those_inside_what_it_finds(tmp_path: Path) -> None:
    place = tmp_path / ".openclaw/workspace"
    write_files(place, {"MEMORY.md": "# M\n", "workspace-fin/MEMORY.md": "# F\n"})

    found = offers_here(tmp_path).discovery.found

    roots = {str(one.place.root.relative_to(place)): one.files for one in found}
    assert roots == {".": 1, "workspace-fin": 1}
