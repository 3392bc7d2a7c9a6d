"""The settings page of a workspace, and its end."""

from __future__ import annotations

import re
import threading
from pathlib import Path

import pytest
from django.test import Client
from pytest_django import Settings

from memoryhub.events.models import Event
from memoryhub.jobs.models import Job
from memoryhub.journal.models import Blob, Revision, SourceFile, Workspace
from memoryhub.journal.scopes import Scope
from memoryhub.people.models import AccessToken
from memoryhub.people.policy import workspaces
from memoryhub.people.services.tokens import make_token
from memoryhub.runtime.local_work import LOCAL, tidy
from memoryhub.runtime.worker import Worker
from memoryhub.sync.engine import sync_workspace
from memoryhub.workspaces.services import removal
from memoryhub.workspaces.services.adding import BeingRemoved, add_workspace
from memoryhub.workspaces.services.removal import begin_removal, remove_workspace
from tests.conftest import MakeWorkspace
from tests.signing import signed_in
from tests.writing import assert_a_rebuild_changes_nothing, say

TOPIC = "# Context: api\n\n## Current Status\nLive.\n"
SENT = {
    "name": "notes",
    "time_zone": "UTC",
    "memory_folder": "memory",
    "max_decisions": "20",
    "max_history": "30",
    "patterns": "",
}


@pytest.fixture
def workspace(make_workspace: MakeWorkspace, workspace_root: Path) -> Workspace:
    place = workspace_root / "memory/context-api.md"
    place.parent.mkdir()
    place.write_text(TOPIC)
    found = make_workspace(workspace_root)
    sync_workspace(found)
    return found


def test_it_works(client: Client, workspace: Workspace) -> None:
    response = client.get("/w/notes/settings/")

    assert response.status_code == 200
    assert b"Its journal is deleted too" in response.content


def test_an_unknown_workspace_is_not_found(
    client: Client, workspace: Workspace
) -> None:
    assert client.get("/w/other/settings/").status_code == 404


def test_it_saves_what_no_row_depends_on_at_once(
    client: Client, workspace: Workspace
) -> None:
    sent = {**SENT, "max_history": "7", "review_before_writing": "on"}
    response = client.post("/w/notes/settings/", sent)

    workspace.refresh_from_db()
    assert response.status_code == 303
    assert (workspace.max_history, workspace.review_before_writing) == (7, True)
    assert not Job.objects.exists()


def test_another_time_zone_makes_the_rows_anew_as_a_job(
    client: Client, workspace: Workspace
) -> None:
    sent = {**SENT, "time_zone": "Europe/Berlin"}
    response = client.post("/w/notes/settings/", sent)

    job = Job.objects.get()
    assert (job.kind, job.workspace) == (Job.Kind.REBUILD, workspace.pk)
    assert response["Location"] == f"/imports/{job.pk}/"


def test_other_ignored_paths_are_applied_by_an_import(
    client: Client, workspace: Workspace
) -> None:
    client.post("/w/notes/settings/", {**SENT, "patterns": "drafts/*\n\n*.tmp.md"})

    workspace.refresh_from_db()
    assert workspace.ignore_patterns == ["drafts/*", "*.tmp.md"]
    assert Job.objects.get().kind == Job.Kind.IMPORT


@pytest.mark.parametrize(
    ("field", "value"),
    [("memory_folder", "../away"), ("max_history", "0"), ("time_zone", "Mars/Base")],
)
def test_what_makes_no_sense_is_refused_with_the_form_kept(
    client: Client, workspace: Workspace, field: str, value: str
) -> None:
    response = client.post("/w/notes/settings/", {**SENT, "name": "x", field: value})

    workspace.refresh_from_db()
    assert response.status_code == 422
    assert b'aria-invalid="true"' in response.content
    assert workspace.name == "notes"


def test_deleting_asks_for_the_name(client: Client, workspace: Workspace) -> None:
    response = client.post("/w/notes/delete/", {"name": "note"})

    assert response.status_code == 422
    assert Workspace.objects.exists()


def test_a_page_asks_before_anything_is_deleted(
    client: Client, workspace: Workspace
) -> None:
    html = client.get("/w/notes/delete/").content.decode()

    assert "Delete notes?" in html
    assert "This cannot be undone." in html
    assert 'name="name"' in html
    assert Workspace.objects.exists()


def deleted(client: Client, slug: str = "notes") -> str:
    """Return the page of a deletion that was asked for and done."""
    answer = client.post(f"/w/{slug}/delete/", {"name": slug})
    Worker(threading.Event(), LOCAL).run_all()
    return client.get(answer["Location"]).content.decode()


def test_a_workspace_is_gone_from_everywhere_before_its_rows_are(
    client: Client, workspace: Workspace
) -> None:
    make_token(workspace, "scout", [Scope.READ])

    answer = client.post("/w/notes/delete/", {"name": "notes"})

    assert "Waiting for its turn" in client.get(answer["Location"]).content.decode()
    assert client.get("/w/notes/").status_code == 404
    assert "/w/notes/" not in client.get("/?all").content.decode()
    assert not (workspaces() or AccessToken.objects.exists())
    assert Revision.objects.exists()


def test_a_folder_can_be_added_again_when_its_workspace_is_gone(
    client: Client, workspace: Workspace, workspace_root: Path
) -> None:
    begin_removal(workspace)
    with pytest.raises(BeingRemoved):
        add_workspace(workspace_root)
    local = signed_in(SERVER_NAME="localhost")
    said = {"source": "path", "path": str(workspace_root)}
    page = local.post("/imports/new/", said)
    assert "still being deleted" in page.content.decode()

    Worker(threading.Event(), LOCAL).run_all()

    assert sync_workspace(add_workspace(workspace_root)).added == 1


def test_the_page_of_a_deletion_names_the_workspace(
    client: Client, workspace: Workspace
) -> None:
    job = begin_removal(workspace)
    Job.objects.filter(pk=job.pk).update(state=Job.State.RUNNING)

    page = client.get(f"/imports/{job.pk}/").content.decode()

    assert "<title>Deleting a workspace" in page
    assert "Deleting notes<" in page

    Job.objects.filter(pk=job.pk).update(done=3, total=8)
    page = client.get(f"/imports/{job.pk}/").content.decode()
    assert "Deleting notes: 3 of 8 rows" in page


def test_a_deletion_that_was_killed_goes_on(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(removal, "_PIECE", 1)
    begin_removal(workspace)

    with pytest.raises(InterruptedError):
        remove_workspace(workspace, progress=killed)
    assert sum(model.objects.count() for model in (Event, Revision, SourceFile)) > 0
    Job.objects.update(state=Job.State.FAILED)
    worker = Worker(threading.Event(), LOCAL, tidy)
    worker.tidy()

    assert worker.run_all() == 1
    assert not (Workspace.everything.exists() or Blob.objects.exists())


def killed(done: int, total: int) -> None:
    if done > total // 2:
        raise InterruptedError


def test_deleting_takes_the_journal_and_leaves_the_folder(
    client: Client, workspace: Workspace, workspace_root: Path
) -> None:
    page = deleted(client)

    assert "notes and its journal were deleted" in page
    assert not (Workspace.everything.exists() or Revision.objects.exists())
    assert not Blob.objects.exists()
    assert (workspace_root / "memory/context-api.md").read_text() == TOPIC


def test_bytes_that_another_workspace_has_stay(
    client: Client, workspace: Workspace, make_workspace: MakeWorkspace, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    (other / "memory").mkdir(parents=True)
    (other / "memory/context-api.md").write_text(TOPIC)
    sync_workspace(make_workspace(other))

    deleted(client)

    assert Blob.objects.count() == 1


def test_the_sample_says_so_and_goes_at_one_click(
    client: Client, settings: Settings, make_workspace: MakeWorkspace, tmp_path: Path
) -> None:
    root = tmp_path / "hub-data/samples/acme"
    root.mkdir(parents=True)
    settings.MEMORYHUB_DATA = tmp_path / "hub-data"
    make_workspace(root)

    assert b"Sample data" in client.get("/w/acme/settings/").content
    deleted(client, "acme")

    assert not Workspace.everything.exists()
    assert not root.exists()


def test_a_person_names_coordinators_whatever_the_files_offer(
    client: Client, workspace: Workspace
) -> None:
    roles = "# A\n\n## Roles\n\n- **lead**: Coordinator\n- **scout**: Looks\n"
    say(workspace, {"AGENTS.md": roles})

    page = client.get("/w/notes/settings/").content.decode()
    assert "lead (a coordinator by its files)" in page
    assert not re.search('name="coordinators"[^>]*checked', page)
    client.post("/w/notes/settings/", {**SENT, "coordinators": ["scout"]})
    workspace.refresh_from_db()
    assert workspace.coordinators == ["scout"]
    refused = client.post("/w/notes/settings/", {**SENT, "coordinators": ["x"]})
    assert refused.status_code == 422
    assert_a_rebuild_changes_nothing(workspace)
    workspace.refresh_from_db()
    assert workspace.coordinators == ["scout"]


def test_health_warns_where_openclaw_is_given_topics_unquoted(
    client: Client, workspace: Workspace
) -> None:
    assert b"given topics unquoted" not in client.get("/w/notes/health/").content

    client.post("/w/notes/settings/", {**SENT, "raw_context": "on"})

    assert b"given topics unquoted" in client.get("/w/notes/health/").content


def test_a_person_names_who_may_sign_decisions_off(
    client: Client, workspace: Workspace
) -> None:
    client.post("/w/notes/settings/", {**SENT, "signers": ["operator"]})
    refused = client.post("/w/notes/settings/", {**SENT, "signers": ["stranger"]})

    workspace.refresh_from_db()
    assert workspace.signers == ["operator"]
    assert refused.status_code == 422
