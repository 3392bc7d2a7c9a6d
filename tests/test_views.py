from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from memoryhub.sync.engine import sync_workspace
from memoryhub.views import unwritable
from memoryhub.web.health import pages as backups
from tests.factories import imported, make_workspace_row, small
from tests.signing import own_program

pytestmark = pytest.mark.django_db


def test_home_goes_to_the_only_workspace(client: Client) -> None:
    make_workspace_row("acme")

    assert client.get("/")["Location"] == "/w/acme/"
    assert client.get("/w/acme/").status_code == 200


def test_home_lists_several_workspaces(
    client: Client, hub_data: Path, workspace_root: Path
) -> None:
    small(workspace_root)
    make_workspace_row("other")

    html = client.get("/").content.decode()

    assert "2 workspaces" in html
    assert 'href="/w/acme/"' in html and 'href="/w/other/"' in html
    assert "3 files · 1 topic · " in html
    assert 'href="/imports/new/"' in html


def test_home_counts_what_the_lists_of_a_workspace_have(
    client: Client, hub_data: Path, workspace_root: Path
) -> None:
    workspace = small(workspace_root)
    log = workspace_root / "memory/2026-11-20.md"
    # A copy of both snapshots; then the topic goes, and one of its decisions with it.
    (workspace_root / "memory/copy.md").write_bytes(log.read_bytes())
    sync_workspace(workspace)
    (workspace_root / "memory/context-api.md").unlink()
    sync_workspace(workspace)
    make_workspace_row("other")

    html, program = client.get("/").content.decode(), own_program()
    for name in ("topics", "decisions", "snapshots"):
        rows = program.get(f"/api/v1/workspaces/acme/{name}").json()["data"]
        assert rows and f" · {len(rows)} {name[:-1]}" in html, name
        page = client.get(f"/w/acme/{name}/").content.decode()
        heading = rf"{len(rows)} \w+, including those no longer"
        assert name == "snapshots" or re.search(heading, page), name


def test_home_says_how_to_begin(client: Client) -> None:
    html = client.get("/").content.decode()

    assert "No workspace yet" in html
    for choice in ("Look at the sample", "Import a folder or .zip"):
        assert choice in html


def test_home_takes_as_many_queries_for_4_workspaces_as_for_2(client: Client) -> None:
    counts = []
    for slugs in (("a", "b"), ("c", "d")):
        for slug in slugs:
            make_workspace_row(slug)
        with CaptureQueriesContext(connection) as captured:
            client.get("/")
        counts.append(len(captured))

    assert counts[0] == counts[1]


def test_a_workspace_that_is_not_there_is_not_found(client: Client) -> None:
    assert client.get("/w/nobody/").status_code == 404


def test_health_is_well(client: Client) -> None:
    response = client.get("/healthz")

    assert (response.status_code, response.content) == (200, b"ok\n")
    assert "no-store" in response["Cache-Control"]


@pytest.mark.parametrize(
    "path",
    [
        "timeline/",
        "files/",
        "files/MEMORY.md",
        "topics/",
        "topics/api/",
        "topics/api.md",
        "snapshots/0000000000000/",
        "snapshots/0000000000000.md",
        "health/",
        "imports/",
        "imports/1/",
    ],
)
def test_every_page_is_not_found_for_strangers(client: Client, path: str) -> None:
    assert client.get(f"/w/nobody/{path}").status_code == 404


def test_an_unknown_page_of_a_workspace_offers_its_list_and_a_search(
    client: Client, hub_data: Path, workspace_root: Path
) -> None:
    imported(workspace_root, {"memory/2026-11-20.md": "## 09:00 Worked\n"})

    response = client.get("/w/acme/topics/no-such-topic/")

    page = response.content.decode()
    assert response.status_code == 404
    assert 'href="/w/acme/topics/"' in page and 'href="/w/acme/timeline/"' in page
    assert 'name="q" value="no-such-topic"' in page


def test_an_unknown_page_shows_nothing_of_a_workspace_to_strangers(
    hub_data: Path, workspace_root: Path
) -> None:
    imported(workspace_root, {"memory/2026-11-20.md": "## 09:00 Worked\n"})

    page = Client().get("/w/acme/nothing-of-the-sort").content.decode()

    assert "There is no such page" in page
    assert str(workspace_root) not in page


def test_readiness_is_a_write(client: Client, settings: Settings) -> None:
    unwritable.cache_clear()
    assert client.get("/readyz").content == b"ok\n"

    unwritable.cache_clear()
    settings.MEMORYHUB_DATA = "/proc/self"
    assert client.get("/readyz").status_code == 503
    assert client.get("/healthz").status_code == 200
    unwritable.cache_clear()


def test_health_tells_of_a_disk_with_less_free_than_is_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backups, "_SCARCE", 0.0)
    assert backups.shown_disk(tmp_path) is None

    monkeypatch.setattr(backups, "_SCARCE", 1.1)
    row = backups.shown_disk(tmp_path)
    assert row and "nearly full" in row.state and row.facts == (str(tmp_path),)
