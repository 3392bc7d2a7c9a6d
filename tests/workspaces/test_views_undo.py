"""Taking changes back from a page."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client

from memoryhub.journal.models import Operation, Workspace
from memoryhub.sync.edit.editing import apply_edit
from memoryhub.sync.edit.edits import Edit
from tests.factories import small

PATH = "memory/context-api.md"


@pytest.fixture
def workspace(hub_data: Path, db: None, workspace_root: Path) -> Workspace:
    return small(workspace_root)


def edited(workspace: Workspace, text: str = "Done.") -> Operation:
    return apply_edit(workspace, Edit(PATH, "set_status", {"text": text}, "operator"))


def test_a_change_is_taken_back(client: Client, workspace: Workspace) -> None:
    operation = edited(workspace)

    answer = client.post(f"/w/acme/undo/{operation.key}/", {"next": "/w/acme/topics/"})

    assert (answer.status_code, answer["Location"]) == (303, "/w/acme/topics/")
    assert "Endpoints live." in Path(workspace.root, PATH).read_text()


def test_no_other_host_is_gone_on_to(client: Client, workspace: Workspace) -> None:
    operation = edited(workspace)
    to = {"next": "//elsewhere.example/"}

    answer = client.post(f"/w/acme/undo/{operation.key}/", to)

    assert answer["Location"] == "/w/acme/timeline/"


def test_what_was_changed_since_is_answered_with_both_texts(
    client: Client, workspace: Workspace
) -> None:
    operation = edited(workspace, "First <b>")
    edited(workspace, "Second")

    answer = client.post(f"/w/acme/undo/{operation.key}/")

    assert answer.status_code == 409
    assert "First &lt;b&gt;" in answer.content.decode()
    assert "Second" in answer.content.decode()


def test_only_known_operations_and_only_posts(
    client: Client, workspace: Workspace
) -> None:
    assert client.post("/w/acme/undo/nothing/").status_code == 404
    assert client.get(f"/w/acme/undo/{edited(workspace).key}/").status_code == 405
