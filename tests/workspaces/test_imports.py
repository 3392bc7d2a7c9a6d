from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client

from memoryhub.sync.engine import sync_workspace
from tests.factories import make_workspace_row, small, write

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("hub_data")]

URL = "/w/acme/imports/"


def page(client: Client, url: str = URL) -> str:
    response = client.get(url)
    assert response.status_code == 200
    return response.content.decode().replace("&amp;", "&")


def test_imports_are_listed_newest_first(client: Client, workspace_root: Path) -> None:
    workspace = small(workspace_root)
    write(workspace_root, {"new.md": "new\n"})
    sync_workspace(workspace)

    html = page(client)

    assert html.index("Import #2") < html.index(f'href="{URL}1/">Import #1')
    assert "1 added" in html


def test_an_import_names_its_files_and_problems(
    client: Client, workspace_root: Path
) -> None:
    small(workspace_root)

    html = page(client, URL + "1/")

    assert "3 added" in html and "checked 3 files" in html
    assert 'href="/w/acme/files/MEMORY.md?rev=' in html
    assert "the snapshot has no section" in html


def test_the_list_goes_on(
    client: Client, workspace_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memoryhub.timeline.queries.frame.PAGE_SIZE", 2)
    small(workspace_root)

    assert f'href="{URL}1/?after=' in page(client, URL + "1/")


def test_nothing_imported_is_said_plainly(client: Client) -> None:
    make_workspace_row()

    assert "Nothing was imported yet" in page(client)


def test_an_unknown_import_is_not_found(client: Client) -> None:
    make_workspace_row()

    assert client.get(URL + "7/").status_code == 404
