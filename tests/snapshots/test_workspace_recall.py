"""The page of what agents get that work on no topic."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest
from django.test import Client

from memoryhub.people.callers import Caller
from memoryhub.tools.calling import call, request_of
from memoryhub.tools.recall import Recalled
from memoryhub.tools.registry import tool_named
from tests.factories import imported, small
from tests.host_layouts import LAYOUTS

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("hub_data")]

URL = "/w/acme/recall/"


@pytest.mark.parametrize("name", LAYOUTS)
def test_the_page_shows_exactly_what_the_tool_gives(
    client: Client, workspace_root: Path, name: str
) -> None:
    workspace = imported(workspace_root, LAYOUTS[name].files)
    page = client.get(URL)
    assert page.status_code == 200
    found = re.search(
        r'id="exact-text"[^>]*>\n(.*?)</pre>', page.content.decode(), re.DOTALL
    )
    assert found
    tool = tool_named("recall")
    answer = call(tool, Caller(workspace, "", ""), request_of(tool, {}))
    assert isinstance(answer, Recalled)
    assert html.unescape(found[1]) == answer.text
    assert client.get("/w/acme/recall.md").content.decode() == answer.text


@pytest.mark.parametrize(
    "query", ["?form=openclaw", "?agent=builder", "?budget=200", "?chosen=1", "?form=x"]
)
def test_its_parameters_are_those_of_a_topic(
    client: Client, workspace_root: Path, query: str
) -> None:
    small(workspace_root)
    assert client.get(URL + query).status_code == 200


def test_pages_lead_to_it(client: Client, workspace_root: Path) -> None:
    small(workspace_root)
    for page in ("topics/", "handover/", "topics/api/recall/", "palette?q=>agents"):
        assert URL in client.get(f"/w/acme/{page}").content.decode()


def test_an_empty_workspace_gives_nothing(client: Client, workspace_root: Path) -> None:
    imported(workspace_root, {"notes.md": ""})
    assert "Nothing is given." in client.get(URL).content.decode()


def test_entries_that_differ_in_numbers_are_one_line(workspace_root: Path) -> None:
    days = {
        f"memory/2026-11-{day:02}.md": f"# 2026-11-{day:02}\n\n## Evening\n"
        f"- Backup of the archive verified, {day} GB\n"
        for day in range(2, 20)
    }
    days["memory/2026-11-01.md"] = "# 2026-11-01\n\n## Leak\n- The roof leaks\n"
    workspace = imported(workspace_root, days)
    tool = tool_named("recall")
    answer = call(tool, Caller(workspace, "", ""), request_of(tool, {}))

    assert isinstance(answer, Recalled)
    assert answer.text.count("Backup of the archive") == 1
    assert "and more like it" in answer.text
    assert "The roof leaks" in answer.text


def test_an_entry_is_given_once_and_without_marks(workspace_root: Path) -> None:
    log = (
        "# 2026-11-20\n\n- 09:00 started the day\n- Kim keeps the deploy key.\n"
        "- Ana left. Kim is back. <!-- note -->\n"
    )
    workspace = imported(workspace_root, {"memory/2026-11-20.md": log})
    tool = tool_named("recall")
    text = call(tool, Caller(workspace, "", ""), request_of(tool, {})).as_text()

    entries = text.partition("### Newest entries of logs")[2]
    assert "> - 2026-11-20: started the day (memory" in entries
    assert "> - 2026-11-20: Kim keeps the deploy key. (memory" in entries
    assert "> - 2026-11-20: Ana left. Kim is back." in entries


def test_marks_of_programs_are_not_given(workspace_root: Path) -> None:
    note = (
        "---\ntype: project\n---\n<!-- made by a tool -->\n"
        "<details><summary>Shop</summary>\n\nIt sells lamps.\n</details>\n"
    )
    workspace = imported(workspace_root, {"notes/shop.md": note, "MEMORY.md": note})
    tool = tool_named("recall")
    text = call(tool, Caller(workspace, "", ""), request_of(tool, {})).as_text()

    assert "It sells lamps." in text and "Shop" in text
    for mark in ("made by", "details>", "summary>", "type: project", "---"):
        assert mark not in text
