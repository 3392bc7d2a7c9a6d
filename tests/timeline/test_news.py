from __future__ import annotations

import pytest
from django.test import Client

from memoryhub.journal.models import Workspace
from tests.factories import make_events, make_workspace_row

pytestmark = pytest.mark.django_db

URL = "/w/acme/timeline/news/"
_CHECKED = "2026-11-20T12:00:00+00:00"


@pytest.fixture
def workspace() -> Workspace:
    workspace = make_workspace_row()
    make_events(workspace, 5)
    Workspace.objects.update(projected_seq=5, last_seq=5)
    return workspace


def ask(client: Client, **query: str | int) -> tuple[int, str]:
    response = client.get(URL, {"checked": _CHECKED, **query})
    assert response["Memoryhub-Seq"] == "5"
    assert "no-store" in response["Cache-Control"]
    return response.status_code, response.content.decode()


def test_nothing_new_is_no_content(client: Client, workspace: Workspace) -> None:
    assert ask(client, after=5) == (204, "")


def test_a_new_look_at_the_folder_is_told(client: Client, workspace: Workspace) -> None:
    status, html = ask(client, after=5, checked="earlier")

    assert status == 200 and "data-fresh=" in html and "data-pill" not in html
    assert 'data-turns=""' in html


def test_it_counts_what_came_after_a_seq(client: Client, workspace: Workspace) -> None:
    status, html = ask(client, after=3)

    assert status == 200 and 'data-pill="2 new events"' in html
    assert "Event 4" not in html


def test_it_gives_those_events_as_rows(client: Client, workspace: Workspace) -> None:
    _, html = ask(client, after=3, rows=1)

    assert "Event 4" in html and "Event 3" in html and "Event 2" not in html
    assert '<section class="day" aria-labelledby="new-' in html


def test_it_keeps_to_the_filter_of_the_page(
    client: Client, workspace: Workspace
) -> None:
    assert ask(client, after=3, kind="decision")[0] == 204
    assert ask(client, after=3, agent="nobody")[0] == 204


@pytest.mark.parametrize("after", ["", "-1", "x", "9" * 40])
def test_nonsense_is_harmless(client: Client, workspace: Workspace, after: str) -> None:
    assert ask(client, after=after)[0] == 200


def test_it_is_not_found_for_an_unknown_workspace(client: Client) -> None:
    assert client.get("/w/nobody/timeline/news/").status_code == 404
