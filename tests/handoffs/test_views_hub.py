"""The board over all workspaces: each handoff once, where its work is done."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from memoryhub.dialects.handoff import Task
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.services.sending import Author, send
from memoryhub.journal.models import Workspace
from memoryhub.sync.engine import sync_workspace
from tests.conftest import MakeWorkspace
from tests.factories import write
from tests.writing import say

URL = "/handoffs/"


@pytest.fixture
def both(tmp_path: Path, make_workspace: MakeWorkspace) -> tuple[Workspace, Workspace]:
    roots = (tmp_path / "shop", tmp_path / "mill")
    for root in roots:
        root.mkdir()
    shop, mill = map(make_workspace, roots)
    return shop, mill


def sent(
    workspace: Workspace, to: str, text: str = "Grind", kind: str = "write"
) -> Handoff:
    return send(
        workspace, Task("", "", to, kind, text, "Wheat"), Author("baker")
    ).handoff


def text_of(client: Client, query: str = "") -> str:
    page = client.get(URL + query)
    assert page.status_code == 200
    return page.content.decode()


def titles(client: Client, query: str = "") -> list[str]:
    return re.findall(r'<h3 id="t-[^>]+><a [^>]+>([^<]*)</a>', text_of(client, query))


def test_a_column_alone_has_fifty_cards_and_a_link_to_more(
    client: Client, both: tuple[Workspace, Workspace]
) -> None:
    block = "<task>\n<from>baker</from>\n<to>miller</to>\n<task_id>t{0}</task_id>\n"
    block += "<type>write</type>\n<context>Grind {0}</context>\n</task>\n"
    write(Path(both[0].root), {f"memory/{n}.md": block.format(n) for n in range(52)})
    sync_workspace(both[0])

    more = "/handoffs/?state=open&amp;most=100"
    assert len(titles(client)) == 8
    assert len(titles(client, "?state=open")) == 50
    assert f'href="{more}">2 more<' in text_of(client, "?state=open")
    assert len(titles(client, "?state=open&most=100")) == 52


def test_handoffs_of_all_workspaces_are_on_one_board(
    client: Client, both: tuple[Workspace, Workspace]
) -> None:
    shop, mill = both
    sent(shop, "helper", "Bake")
    sent(mill, "miller", "Grind")

    text = text_of(client)

    assert sorted(titles(client)) == ["Bake", "Grind"]
    assert '<span class="sr">Workspace </span>shop' in text
    assert '<span class="sr">Workspace </span>mill' in text
    assert 'href="/w/mill/handoffs/' in text


def test_one_between_two_is_shown_once_where_the_work_is_done(
    client: Client, both: tuple[Workspace, Workspace]
) -> None:
    sent(both[0], "mill/miller")

    assert Handoff.objects.count() == 1
    assert titles(client) == ["Grind"]
    assert "mill, with shop" in text_of(client)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("?workspace=shop", ["Bake"]),
        ("?workspace=nowhere", []),
        ("?q=grind", ["Grind"]),
        ("?type=decision", ["Grind"]),
        ("?to=me", ["Grind"]),
        ("?state=done", []),
        ("?state=open&workspace=mill", ["Grind"]),
        ("?type=nonsense", ["Bake", "Grind"]),
    ],
)
def test_it_can_be_narrowed(
    client: Client, both: tuple[Workspace, Workspace], query: str, found: list[str]
) -> None:
    sent(both[0], "helper", "Bake")
    sent(both[1], "miller", "Grind", "decision")

    assert sorted(titles(client, query)) == found


def test_the_only_workspace_has_a_board_of_its_own(
    client: Client, make_workspace: MakeWorkspace, workspace_root: Path
) -> None:
    make_workspace(workspace_root)

    assert client.get(URL)["Location"] == "/w/notes/handoffs/"


def test_without_workspaces_the_board_is_empty(client: Client, db: None) -> None:
    assert titles(client) == []


def test_what_looks_like_a_secret_is_masked(
    client: Client, both: tuple[Workspace, Workspace]
) -> None:
    secret = "AKIA" + "Q7" * 8
    sent(both[0], "helper", f"Use {secret} <script>")

    text = text_of(client)

    assert secret not in text
    assert "&lt;script&gt;" in text


def test_it_takes_as_many_queries_for_many(
    client: Client, both: tuple[Workspace, Workspace]
) -> None:
    taken = []
    for number in (3, 50):
        for workspace in both:
            say(workspace, {
                f"memory/a{n}.md": "<task>\n<from>a</from>\n<to>b</to>\n"
                f"<type>write</type>\n<task_id>t{n}</task_id>\n</task>\n"
                for n in range(number)
            })  # fmt: skip
        with CaptureQueriesContext(connection) as queries:
            text_of(client)
        taken.append(len(queries))

    assert taken[0] == taken[1]


def test_the_list_of_workspaces_leads_to_it(
    client: Client, both: tuple[Workspace, Workspace]
) -> None:
    assert f'href="{URL}"' in client.get("/").content.decode()


def test_each_workspace_says_how_much_waits_for_a_person(
    client: Client, both: tuple[Workspace, Workspace]
) -> None:
    shop, mill = both
    sent(shop, "you", "Which flour?")
    sent(shop, "helper", "Rye?", "decision")
    sent(mill, "miller")

    home = client.get("/").content.decode()
    board = text_of(client)

    assert re.findall(r"(\d) needs? your answer", home) == ["2"]
    for page in (home, board):
        assert "<title>(2) " in page and "favicon-turn.svg" in page


def test_a_decision_is_signed_off_from_the_board_of_all(
    client: Client, both: tuple[Workspace, Workspace]
) -> None:
    sent(both[0], "miller", kind="decision")
    (form,) = re.findall(r'href="([^"]+/sign-off/[^"]*)"', text_of(client, "?to=me"))
    page = client.get(unescape(form)).content.decode()
    hidden = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', page))

    answer = client.post(form.partition("?")[0], hidden)

    assert (answer.status_code, answer["Location"]) == (303, "/handoffs/?to=me")
    assert "Undo" in text_of(client, "?to=me") and titles(client, "?to=me") == []


def test_no_form_leads_back_to_another_host(
    client: Client, both: tuple[Workspace, Workspace]
) -> None:
    code = sent(both[0], "miller", kind="decision").code
    form = f"/w/{both[0].slug}/handoffs/{code}/sign-off/"

    for elsewhere in (
        "//evil.example/",
        "https://evil.example/",
        "javascript:alert(1)",
    ):
        page = client.get(form, {"next": elsewhere}).content.decode()
        # The pill asks for this very page.
        page = re.sub(r'<div class="pill-box".*', "", page)
        assert "evil" not in page and "alert(1)" not in page
