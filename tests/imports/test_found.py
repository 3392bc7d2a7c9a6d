"""Memory found on this computer: listed on the first page, added with one click."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest
from django.test import Client
from pytest_django import Settings

from memoryhub.jobs.models import Job
from memoryhub.journal.models import SourceFile, Workspace
from memoryhub.runtime.local_work import LOCAL
from memoryhub.runtime.worker import Worker
from memoryhub.sync.engine import sync_workspace
from memoryhub.workspaces.services.discovering import offers_here
from tests.conftest import MakeWorkspace
from tests.writing import write_files

pytestmark = pytest.mark.usefixtures("hub_data", "db")


@pytest.fixture
def home(tmp_path: Path, settings: Settings) -> Path:
    home = tmp_path / "ann"
    write_files(
        home,
        {
            ".codex/memories/MEMORY.md": "# Tasks\n",
            ".claude/projects/-srv-shop/memory/MEMORY.md": "# Index\n",
            "code/shop/memory-bank/progress.md": "Half.\n",
        },
    )
    settings.MEMORYHUB_HOME = home
    return home


def page(client: Client, address: str = "/") -> str:
    return client.get(address).content.decode()


def key_of(host: str) -> str:
    places = [offer.found.place for offer in offers_here().offers]
    return next(place.key for place in places if place.host == host)


def test_the_first_page_lists_what_was_found(client: Client, home: Path) -> None:
    html = page(client)

    assert "Memory on this computer" in html
    assert "~/.codex/memories" in html
    assert "1 file · 8\xa0bytes" in html
    assert "-srv-shop" in html
    assert "Add all 2" in html


def test_one_click_adds_a_folder_and_imports_it(client: Client, home: Path) -> None:
    answer = client.post("/imports/found/", {"add": key_of("Codex")})
    Worker(threading.Event(), LOCAL).run_all()

    workspace = Workspace.objects.get()
    assert (workspace.slug, workspace.root) == ("codex", f"{home}/.codex/memories")
    assert SourceFile.objects.get().path == "MEMORY.md"
    assert answer.status_code == 303
    assert "Import done" in page(client, answer["Location"])


def test_all_of_them_are_added_at_once(client: Client, home: Path) -> None:
    answer = client.post("/imports/found/", {"all": "1"})

    assert answer["Location"] == "/"
    assert Workspace.objects.count() == Job.objects.count() == 2
    assert "2 workspaces added" in page(client)


def test_added_ones_are_marked_and_not_offered(client: Client, home: Path) -> None:
    client.post("/imports/found/", {"add": key_of("Codex")})

    html = page(client, "/imports/new/")

    assert 'href="/w/codex/"' in html
    assert html.count('name="add"') == 1


def test_a_repository_is_looked_into_where_it_is_named(
    client: Client, home: Path
) -> None:
    folder = str(home / "code/shop")

    html = page(client, f"/imports/new/?folder={folder}")
    client.post("/imports/found/", {"all": "1", "folder": folder})

    assert "~/code/shop/memory-bank" in html
    assert Workspace.objects.filter(slug="shop-memory-bank").exists()


def test_a_repository_that_is_missing_is_named(client: Client, home: Path) -> None:
    html = page(client, "/imports/new/?folder=/nobody%00")

    assert "/nobody is not a folder on this computer." in html
    assert "~/.codex/memories" in html


def test_only_what_was_found_can_be_added(client: Client, home: Path) -> None:
    for chosen in ("", "0" * 32, str(home / "code/shop")):
        answer = client.post("/imports/found/", {"add": chosen}, follow=True)
        assert "That folder is not there any more." in answer.content.decode()

    assert not Workspace.objects.exists()


def test_an_empty_home_is_said_to_be_empty(client: Client, tmp_path: Path) -> None:
    assert "No memory of Claude Code, Codex, OpenClaw or Hermes" in page(client)


def test_hostile_names_are_text(client: Client, home: Path) -> None:
    name = os.fsdecode(b"<img src=x>\n\xff")
    write_files(home, {f".claude/projects/{name}/memory/MEMORY.md": "x"})

    html = page(client)
    client.post("/imports/found/", {"all": "1"})

    assert "<img" not in html
    assert "&lt;img src=x&gt;" in html
    assert Workspace.objects.count() == 3


def test_a_page_shows_a_bounded_number_of_folders(client: Client, home: Path) -> None:
    for number in range(230):
        write_files(home, {f".claude/projects/-p{number}/memory/a.md": "x"})

    html = page(client)

    assert html.count('name="add"') == 200
    assert "32 more folders are not shown." in html
    assert "Add all 232" in html


def test_a_folder_that_looks_moved_leads_to_its_check(
    client: Client, make_workspace: MakeWorkspace, home: Path
) -> None:
    codex = home / ".codex/memories"
    write_files(codex, {"raw_memories.md": "Raw.\n"})
    sync_workspace(make_workspace(codex))
    codex.rename(home / ".hermes")

    answer = client.post("/imports/found/", {"add": key_of("Hermes")}, follow=True)

    assert Workspace.objects.count() == 1
    assert "These look like the files of memories" in answer.content.decode()


def test_the_page_of_choices_only_answers_who_is_signed_in(home: Path) -> None:
    stranger = Client()

    assert b".codex" not in stranger.get("/imports/new/").content
    assert stranger.post("/imports/found/", {"all": "1"}).status_code in (302, 401, 403)
    assert not Workspace.objects.exists()
