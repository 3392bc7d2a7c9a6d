"""What one import brought, as a timeline of its own."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.test import Client

from memoryhub.journal.models import Workspace
from memoryhub.journal.untimed import seqs_of_run
from memoryhub.sync.engine import sync_workspace
from tests.factories import TOPIC, imported, make_workspace_row, write

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("hub_data")]

URL = "/w/acme/timeline/"
_FILE = "memory/context-api.md"


@pytest.fixture
def grown(workspace_root: Path) -> Workspace:
    """Return a workspace whose topic's history got a line by each later import."""
    workspace = imported(workspace_root, {_FILE: TOPIC})
    text = TOPIC
    for line in ("2026-11-21: Second", "2026-11-22: Third"):
        text += f"- {line}\n"
        write(workspace_root, {_FILE: text})
        sync_workspace(workspace)
    workspace.refresh_from_db()
    return workspace


def page(client: Client, query: str) -> str:
    response = client.get(URL + query)
    assert response.status_code == 200
    return response.content.decode().replace("&amp;", "&")


def test_it_has_only_what_that_import_brought(client: Client, grown: Workspace) -> None:
    html = page(client, "?run=2")

    assert "Second" in html and "Third" not in html and "Context created" not in html
    assert f'<a href="{URL}?run=2" aria-current="true">Import #2</a>' in html
    assert len(re.findall(r'<li class="ev ', html)) == 1


def test_other_filters_keep_the_import(client: Client, grown: Workspace) -> None:
    html = page(client, "?run=2")

    assert f'href="{URL}?kind=history&run=2"' in html
    assert '<input type="hidden" name="run" value="2">' in html
    assert "Second" in page(client, "?run=2&kind=history")
    assert "Second" not in page(client, "?run=2&kind=snapshot")


@pytest.mark.parametrize("query", ["?run=99", "?run=99999999999", "?run=x", "?run=0"])
def test_an_unknown_import_is_no_error(
    client: Client, grown: Workspace, query: str
) -> None:
    shown = "Context created" in page(client, query)

    assert shown == (query != "?run=99")


def test_an_import_that_did_not_finish_has_nothing(grown: Workspace) -> None:
    grown.runs.filter(number=2).update(last_seq=None)

    assert seqs_of_run(grown, 2) == (0, -1)
    assert seqs_of_run(make_workspace_row("other"), 1) == (0, -1)
