from __future__ import annotations

import html as markup
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.test import Client
from django.utils import timezone

from memoryhub.formats import injection
from memoryhub.journal.models import Workspace
from memoryhub.sync.edit.editing import apply_edit
from memoryhub.sync.edit.edits import Edit
from memoryhub.sync.engine import sync_workspace
from tests.factories import TOPIC, imported, small, snapshot_text
from tests.statements import statements
from tests.tools.test_recall import recalled
from tests.writing import say

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("hub_data")]

URL = "/w/acme/topics/api/recall/"
TEXT = "/w/acme/topics/api/recall.md"
PATH = "memory/context-api.md"
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def at_noon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timezone, "now", lambda: NOW)


def page(client: Client, query: str = "") -> str:
    response = client.get(URL + query)
    assert response.status_code == 200, query
    return response.content.decode()


def shown_text(html: str) -> str:
    """Return the text a browser gives of the `pre`."""
    found = re.search(r'id="exact-text"[^>]*>(.*?)</pre>', html, re.DOTALL)
    assert found and found[1].startswith("\n")
    return markup.unescape(found[1][1:])


def test_the_text_of_a_deleted_file_is_given_as_such(
    client: Client, workspace_root: Path
) -> None:
    workspace = small(workspace_root)
    before = page(client)
    (workspace_root / PATH).unlink()
    sync_workspace(workspace)

    html, answer = page(client), recalled(workspace, topic="api")
    assert "was deleted" not in before and "was deleted: this is its last" in html
    for text in (shown_text(html), answer.text):
        assert "### Topic, whose file was deleted\n" in text
        assert "> Endpoints live." in text
    assert answer.notices == ["topic-deleted"]


@pytest.mark.parametrize(
    "query",
    [
        "",
        "?form=snap-memory",
        "?form=openclaw",
        "?form=hub&budget=300",
        "?chosen=1&block=topic",
        "?agent=builder",
    ],
)
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_r1_the_page_and_the_text_are_equal_byte_for_byte(
    client: Client, workspace_root: Path, query: str, ending: str
) -> None:
    odd = TOPIC.replace("Endpoints", "<b>&amp; “Endpoints”").replace("\n", ending)
    log = "\n" + snapshot_text(1)
    imported(workspace_root, {PATH: odd.encode(), "memory/2026-11-20.md": log})

    told = client.get(TEXT + query)

    assert told["Content-Type"] == "text/markdown; charset=utf-8"
    assert shown_text(page(client, query)).encode() == told.content


def test_r1_the_link_to_the_text_asks_for_the_same(
    client: Client, workspace_root: Path
) -> None:
    small(workspace_root)
    query = "?form=hub&chosen=1&block=topic&budget=300"

    html = page(client, query).replace("&amp;", "&")

    assert f'href="{TEXT}{query}"' in html


def test_r2_editing_the_status_changes_it_at_once(
    client: Client, workspace_root: Path
) -> None:
    workspace = small(workspace_root)
    edit = Edit(
        PATH, "set_status", {"text": "All shipped.", "today": "2026-11-20"}, "k"
    )
    apply_edit(workspace, edit)

    assert "All shipped." in shown_text(page(client))


def test_r2_in_review_the_edit_shows_after_a_switch(
    client: Client, workspace_root: Path
) -> None:
    workspace = small(workspace_root)
    Workspace.objects.update(review_before_writing=True)
    workspace.refresh_from_db()
    edit = Edit(
        PATH, "set_status", {"text": "All shipped.", "today": "2026-11-20"}, "k"
    )
    apply_edit(workspace, edit)

    html = page(client)

    assert "All shipped." not in shown_text(html) and "not exported yet" in html
    assert "All shipped." in shown_text(page(client, "?staged=1"))


def test_r3_a_topic_without_snapshot_says_what_stands_for_it(
    client: Client, workspace_root: Path
) -> None:
    imported(workspace_root, {PATH: TOPIC})

    assert "only its file." in page(client).replace("&#x27;", "'")


def test_blocks_are_listed_with_their_tokens(
    client: Client, workspace_root: Path
) -> None:
    small(workspace_root)

    html = page(client, "?chosen=1&block=topic")

    assert html.count('type="checkbox" name="block"') == 4
    assert re.findall(r'name="block" value="(\w+)" checked', html) == ["topic"]
    assert "left out by you" in html


def test_what_is_over_the_budget_names_its_lines(
    client: Client, workspace_root: Path
) -> None:
    imported(workspace_root, {PATH: TOPIC + "- 2026-11-13: more\n" * 200})

    html = page(client, "?budget=600").replace("&amp;", "&")

    assert re.search(r"lines \d+–\d+ of memory/context-api.md", html)
    assert "budget=1200" in html


def test_it_is_compared_with_what_was_told_last_time(
    client: Client, workspace_root: Path
) -> None:
    workspace = small(workspace_root)
    say(workspace, {PATH: TOPIC.replace("Endpoints live.", "All done.")})

    html = page(client, "?view=changes")

    assert "Compared with the last recorded compaction" in html
    assert "Endpoints live" in html and "All done" in html


def test_without_a_compaction_the_last_time_is_not_recorded(
    client: Client, workspace_root: Path
) -> None:
    topic = TOPIC.replace("- 2026-11-12: Compaction completed (280→45 messages)\n", "")
    imported(workspace_root, {PATH: topic})

    assert "No compaction is recorded" in page(client, "?view=changes")


def test_snap_memorys_form_is_what_it_injects(
    client: Client, workspace_root: Path
) -> None:
    small(workspace_root)

    assert shown_text(page(client, "?form=snap-memory")) == injection.wrap(TOPIC)


def test_htmx_gets_the_parts_alone(client: Client, workspace_root: Path) -> None:
    small(workspace_root)

    response = client.get(URL, headers={"HX-Request": "true"})

    assert "<html" not in response.content.decode()
    assert "HX-Request" in response["Vary"]


def test_what_agents_write_is_escaped(client: Client, workspace_root: Path) -> None:
    evil = TOPIC.replace("Endpoints", "</pre><script>x</script>")
    imported(workspace_root, {PATH: evil})

    assert "<script>x" not in page(client)


@pytest.mark.parametrize(
    "query", ["?form=x", "?budget=-1", "?budget=99999999", "?agent=%00", "?block=x"]
)
def test_odd_questions_are_answered(
    client: Client, workspace_root: Path, query: str
) -> None:
    small(workspace_root)

    assert page(client, query)


def test_what_is_not_there_is_not_found(client: Client, workspace_root: Path) -> None:
    small(workspace_root)

    for url in ("/w/acme/topics/nope/recall/", "/w/acme/topics/nope/recall.md"):
        assert client.get(url).status_code == 404
    assert client.post(URL).status_code == 405


@pytest.mark.parametrize(
    "query", ["", "?form=snap-memory", "?form=openclaw", "?view=changes"]
)
def test_it_takes_the_same_queries_for_more_snapshots(
    client: Client, workspace_root: Path, query: str
) -> None:
    workspace = small(workspace_root)
    compacted = TOPIC + "- 2026-11-21: Compaction completed (100→20 messages)\n"
    say(workspace, {PATH: compacted})
    log = (workspace_root / "memory/2026-11-20.md").read_text()
    asked = []
    for number in range(3, 9):
        log += snapshot_text(number)
        say(workspace, {"memory/2026-11-20.md": log})
        asked.append(statements(lambda: page(client, query)))

    assert len(set(asked)) == 1
