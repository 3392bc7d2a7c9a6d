"""The role of a file is shown, filtered by and changed at each door of files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import Client

from memoryhub.dialects.roles import Role
from memoryhub.jobs.models import Job
from memoryhub.journal.models import SourceFile, Workspace
from memoryhub.sync.engine import sync_workspace
from memoryhub.sync.record.projection import rebuild
from memoryhub.web.settings import SettingsForm
from memoryhub.workspaces.services.roles import set_roles
from tests.signing import own_program
from tests.writing import say

NOTE = "# Boiler\n\n## Decisions\n\n- We keep the valve\n"


@pytest.fixture
def workspace(
    make_workspace: Callable[[Path], Workspace], workspace_root: Path
) -> Workspace:
    workspace = make_workspace(workspace_root)
    say(workspace, {"house/boiler.md": NOTE, "memory/pumps.md": "# Pumps\n"})
    return workspace


def _role(workspace: Workspace, path: str) -> str:
    return SourceFile.objects.get(workspace=workspace, path=path).role


def test_the_list_of_files_shows_roles_and_filters_by_them(
    client: Client, workspace: Workspace
) -> None:
    base = f"/w/{workspace.slug}/files/"

    everything = client.get(base).content.decode()
    documents = client.get(f"{base}?role=document").content.decode()

    assert "boiler.md" in everything and "pumps.md" in everything
    assert "boiler.md" in documents and "pumps.md" not in documents
    assert "document</td>" in documents


def test_a_files_page_shows_its_role_and_gives_it_another(
    client: Client, workspace: Workspace
) -> None:
    page = f"/w/{workspace.slug}/files/house/boiler.md"
    assert "role: document" in client.get(page).content.decode()

    change = f"/w/{workspace.slug}/role/house/boiler.md"
    response = client.post(change, {"role": "memory"})

    assert response.status_code == 303
    assert Job.objects.filter(kind=Job.Kind.REBUILD, workspace=workspace.pk).exists()
    workspace.refresh_from_db()
    rebuild(workspace)
    assert _role(workspace, "house/boiler.md") == Role.MEMORY
    assert '<option value="memory" selected>' in client.get(page).content.decode()

    client.post(change, {"role": ""})
    workspace.refresh_from_db()
    assert workspace.roles == []


@pytest.mark.parametrize(
    ("roles", "is_read_anew"),
    [
        ("house/* document", False),
        ("none/* memory", False),
        ("house/* memory", True),
        ("old/* memory", True),
    ],
)
def test_only_a_role_that_changes_reads_the_files_anew(
    workspace: Workspace, roles: str, is_read_anew: bool
) -> None:
    say(workspace, {"old/gone.md": NOTE})
    (Path(workspace.root) / "old/gone.md").unlink()
    sync_workspace(workspace, accept_deletions=True)

    job = set_roles(workspace, [roles.rsplit(" ", 1)])

    assert (job is not None) is is_read_anew
    workspace.refresh_from_db()
    assert workspace.roles == [roles.rsplit(" ", 1)]


def test_the_command_and_the_protocols_say_the_role(
    workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("status", workspace.slug)
    assert "by role: 1 document, 1 memory" in capsys.readouterr().out
    document = f"/api/v1/workspaces/{workspace.slug}/documents/house/boiler.md"
    assert own_program().get(document).json()["data"]["role"] == "document"


def test_a_role_that_is_none_is_refused(client: Client, workspace: Workspace) -> None:
    change = f"/w/{workspace.slug}/role/house/boiler.md"

    assert client.post(change, {"role": "king"}).status_code == 404
    assert client.post(f"/w/{workspace.slug}/role/none.md").status_code == 404


def test_a_name_with_marks_of_patterns_is_given_a_role_alone(
    client: Client, workspace: Workspace
) -> None:
    say(workspace, {"house/[a]*.md": NOTE, "house/ab.md": NOTE})
    client.post(f"/w/{workspace.slug}/role/house/[a]*.md", {"role": "memory"})
    workspace.refresh_from_db()
    rebuild(workspace)

    assert _role(workspace, "house/[a]*.md") == Role.MEMORY
    assert _role(workspace, "house/ab.md") == Role.DOCUMENT


def test_settings_take_a_pattern_and_a_role_a_line(workspace: Workspace) -> None:
    lines = "house/*  work list\r\n\r\n*.txt document"

    assert _cleaned(workspace, lines) == [
        ["house/*", "work list"],
        ["*.txt", "document"],
    ]
    assert _cleaned(workspace, "house/*") is None
    assert _cleaned(workspace, "document") is None


def _cleaned(workspace: Workspace, lines: str) -> list[list[str]] | None:
    form = SettingsForm({"roles": lines}, instance=workspace)
    form.is_valid()
    found: list[list[str]] | None = form.cleaned_data.get("roles")
    return found


def test_rest_lists_roles_and_filters_by_them(workspace: Workspace) -> None:
    program, base = own_program(), f"/api/v1/workspaces/{workspace.slug}/files"

    rows = program.get(base, {"role": "memory"}).json()["data"]

    found = [(row["path"], row["role"]) for row in rows]
    assert found == [("memory/pumps.md", "memory")]
    assert program.get(base, {"role": "king"}).status_code == 422
