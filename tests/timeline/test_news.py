"""What an open page learns: how much came since it was rendered, how old it is."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest
from django.test import Client

from memoryhub.journal.models import Workspace
from memoryhub.sync.engine import sync_workspace
from memoryhub.workspaces.services.adding import add_workspace
from tests.factories import imported, write

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("hub_data")]


@pytest.fixture
def acme(workspace_root: Path) -> Workspace:
    return imported(workspace_root, {"memory/2026-11-20.md": "# Log\n\nFirst.\n"})


def news_of(client: Client, page: str) -> str:
    """Return where an open page asks for its news."""
    asks = re.search(r'data-news="([^"]+)"', client.get(page).content.decode())
    assert asks, page
    return unescape(asks[1])


def grown(workspace: Workspace, *names: str) -> None:
    texts = {f"memory/{name}.md": f"# {name}\n" for name in names}
    write(Path(workspace.root), texts)
    sync_workspace(workspace)


def test_a_page_that_shows_all_there_is_gets_no_pill(
    client: Client, acme: Workspace
) -> None:
    answer = client.get(news_of(client, "/w/acme/files/"))

    assert answer.json()["pill"] == "" and answer.json()["seq"] == acme.projected_seq
    assert "no-store" in answer["Cache-Control"]
    assert answer.json()["label"].startswith("Up to date with import #1, ")


@pytest.mark.parametrize(
    "page",
    ["", "timeline/?kind=decision", "handoffs/", "decisions/", "imports/", "health/"],
)
def test_every_page_is_told_how_much_came_since(
    client: Client, acme: Workspace, page: str
) -> None:
    news = news_of(client, f"/w/acme/{page}")
    grown(acme, "one", "two", "three")

    assert client.get(news).json()["pill"] == "3 new, show"
    assert not client.get(news_of(client, f"/w/acme/{page}")).json()["pill"]


def test_pages_over_all_workspaces_are_told_too(
    client: Client, acme: Workspace, tmp_path: Path
) -> None:
    root = tmp_path / "other"
    write(root, {"MEMORY.md": "# Memory\n"})
    other = add_workspace(root, slug="other")
    sync_workspace(other)
    asked = [news_of(client, page) for page in ("/?all", "/handoffs/")]
    assert [client.get(news).json()["pill"] for news in asked] == ["", ""]

    grown(acme, "one")
    grown(other, "two")

    assert {client.get(news).json()["pill"] for news in asked} == {"2 new, show"}


def test_an_import_that_recorded_nothing_new_counts(
    client: Client, acme: Workspace
) -> None:
    news = news_of(client, "/w/acme/imports/")
    Workspace.objects.update(last_run=2)

    assert client.get(news).json()["pill"] == "1 new, show"


@pytest.mark.parametrize("after", ["-1", "x", "9" * 40, "1.x"])
def test_nonsense_is_refused(client: Client, acme: Workspace, after: str) -> None:
    for place in ("/w/acme/news/", "/news/"):
        assert client.get(place, {"after": ""}).json()["pill"]
        assert client.get(place, {"after": after}).status_code == 404
    assert client.get("/w/nobody/news/", {"after": after}).status_code == 404


def test_a_page_that_answers_a_form_does_not_listen(
    client: Client, acme: Workspace
) -> None:
    page = client.post("/w/acme/handoffs/new/", {}).content.decode()

    assert "</html>" in page and "data-news" not in page and "live.js" not in page
