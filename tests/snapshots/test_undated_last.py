"""What states no time is never "since today", and comes last at every door."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.test import Client

from memoryhub.journal.models import Workspace
from memoryhub.tools.calling import CallerOptions
from snapshots.queries.open_items import after_cursor, open_work
from tests.factories import imported
from tests.signing import own_program
from tests.tools.doors import DOORS
from tests.writing import say

pytestmark = pytest.mark.django_db(transaction=True)

LOG = (
    "# 2026-05-02\n\n- [ ] Order the gasket for boiler 2\n"
    "- Decision: We use SQLite, not PostgreSQL.\n"
)
TASKS = "# Releases\n\n- [ ] Build passes\n- [ ] Docs updated\n"
RULES = "# Choices\n\n## Key Decisions\n- Keep the old pump\n"
FILES = {
    "memory/2026-05-02.md": LOG,
    "tasks.md": TASKS,
    "memory/context-pump.md": RULES,
}


@pytest.fixture
def workspace(workspace_root: Path, hub_data: Path) -> Workspace:
    return imported(workspace_root, FILES)


def test_items_with_a_time_come_first_on_every_page_and_door(
    client: Client, workspace: Workspace
) -> None:
    (first, *_) = own_program().get("/api/v1/workspaces/acme/open-items").json()["data"]
    assert first["text"].startswith("Order the gasket")
    for door in DOORS:
        said = CallerOptions(workspace="acme", agent="scout")
        given = DOORS[door](said, "open_items", {})
        assert given.fields["items"][0]["text"].startswith("Order the gasket")
    for address in (
        "/w/acme/",
        "/w/acme/open-items/",
        "/w/acme/open-items/?sort=oldest",
    ):
        page = client.get(address).content.decode()
        items = re.sub(r'(?s)<article class="card entry".*?</article>', "", page)
        assert "Build passes" not in items[: items.index("Order the gasket")]


def test_the_age_of_an_item_without_a_time_is_unknown(
    client: Client, workspace: Workspace
) -> None:
    listed = own_program().get("/api/v1/workspaces/acme/open-items").json()["data"]
    built = next(row for row in listed if row["text"] == "Build passes")
    assert (built["since"], built["last_mentioned_at"]) == (None, None)
    page = client.get("/w/acme/open-items/").content.decode()
    assert "age unknown" in page
    assert "open since today" not in page


def test_an_item_that_a_log_repeats_is_since_the_log(
    workspace_root: Path, hub_data: Path
) -> None:
    other = {"docs/todo.md": "# G\n\n- [ ] Order the gasket for boiler 2\n"}
    workspace = imported(workspace_root, FILES | other)
    gasket = next(w for w in open_work(workspace) if "gasket" in w.text)
    assert (gasket.times, f"{gasket.since:%F}", f"{gasket.last:%F}") == (
        *(2, "2026-05-02", "2026-05-02"),
    )


def test_a_cursor_among_items_without_a_time_leads_on(workspace: Workspace) -> None:
    works = open_work(workspace)
    for number, work in enumerate(works):
        assert after_cursor(works, (work.last, work.id)) == [*works[number + 1 :]]


def test_decisions_without_a_time_come_last_in_recall_and_on_the_overview(
    client: Client, workspace: Workspace, workspace_root: Path
) -> None:
    """Also one of a file that is read later than all others."""
    say(workspace, {"memory/context-tank.md": RULES.replace("pump", "tank")})
    page = client.get("/w/acme/").content.decode().partition('id="d-h"')[2]
    said = CallerOptions(workspace="acme", agent="scout")
    recalled = DOORS["mcp"](said, "recall", {}).text or ""
    for text in (page, recalled):
        assert text.index("se SQLite") < text.index("Keep the old pump")
    assert page.index("se SQLite") < page.index("Keep the old tank")
