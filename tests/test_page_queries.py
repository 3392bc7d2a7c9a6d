"""Every list asks as often for ten rows as for a hundred, and for a team."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from memoryhub.journal import page_cache
from memoryhub.journal.models import Workspace
from memoryhub.sync.engine import sync_workspace
from tests.factories import imported, write
from tests.people.team import browser_of, person

pytestmark = pytest.mark.django_db

#: Statements of a round of a search.
ROUND = 3
PAGES = (
    "", "timeline/", "timeline/?group=session", "timeline/?kind=decision", "topics/",
    "topics/topic-1/", "topics/topic-1/decisions/",
    "topics/topic-1/recall/", "recall/", "decisions/", "open-items/", "sessions/",
    "unassigned/", "memories/", "snapshots/",
    "files/", "days/2026-11-20/", "agents/", "files-in-play/",
    "handoffs/figures/", "your-turn.atom", "trends/", "imports/", "health/",
    "handover/", "export/", "search/?q=queue", "search/?q=kind:decision",
    "palette?q=topic",
)  # fmt: skip


def files(count: int) -> dict[str, str]:
    return {
        "memory/context-session-map.json": session_map(count),
        "memory/2026-11-20.md": "# 2026-11-20\n\n" + log(count),
        **{f"memory/context-topic-{n}.md": topic(n, count) for n in range(count)},
        **{f"memory/2026-10-{n % 28 + 1:02}-{n}.md": note(n) for n in range(count)},
    }


def session_map(count: int) -> str:
    return json.dumps({f"agent:builder:s{n}": f"topic-{n}" for n in range(count)})


def log(count: int) -> str:
    return "\n".join(
        f"## {n // 60:02}:{n % 60:02} - Entry {n}\nThe queue {n} waits.\n"
        f"\n### Decisions\n- 2026-11-20: Use queue {n} (it is there)\n"
        f"\n- [ ] Look at queue {n}\n"
        for n in range(count)
    )


def topic(number: int, count: int) -> str:
    decisions = "".join(
        f"- 2026-11-{n % 28 + 1:02}: Poll queue {number} {n} (simple)\n"
        for n in range(count if number == 1 else 1)
    )
    history = "".join(
        f"- 2026-11-{n % 28 + 1:02}: Queue {n} looked at\n"
        for n in range(count if number == 1 else 1)
    )
    return (
        f"# Context: topic-{number}\n\n## Meta\n- **created**: 2026-11-01\n\n"
        f"## Current Status\nQueue {number} works.\n\n"
        f"## Key Decisions\n{decisions}\n## History\n{history}"
    )


def note(number: int) -> str:
    return f"# Day\n\n## 07:30 - Note {number}\nThe queue {number} was long.\n"


def queries(client: Client, workspace: Workspace) -> dict[str, int]:
    """Return the statements of each page once its values are cached.

    Of two requests the lower number: some values are cached for the clock's minute.
    """
    found = {}
    for page in PAGES:
        address = f"/w/{workspace.slug}/{page}"
        client.get(address)
        found[page] = min(_asked(client, address) for _ in range(2))
    return found


def _asked(client: Client, address: str) -> int:
    with CaptureQueriesContext(connection) as asked:
        response = client.get(address)
    assert response.status_code == 200, address
    return len(asked)


def test_lists_ask_as_often_for_many_rows_as_for_few(
    client: Client, hub_data: Path, workspace_root: Path
) -> None:
    workspace = imported(workspace_root, files(10))
    few = queries(client, workspace)
    write(workspace_root, files(100))
    sync_workspace(workspace)
    many = queries(client, workspace)

    # A filter alone looks through one more round of blocks where the first has too few.
    few["search/?q=kind:decision"] += ROUND
    grown = {page: (few[page], many[page]) for page in PAGES if few[page] < many[page]}
    assert not grown


def test_the_list_of_workspaces_asks_as_often_for_many_files_as_for_few(
    client: Client, hub_data: Path, workspace_root: Path
) -> None:
    workspace = imported(workspace_root, files(10))
    few = cold_list(client)
    write(workspace_root, files(100))
    sync_workspace(workspace)

    assert cold_list(client) == few


def cold_list(client: Client) -> int:
    """Return the statements of the list of workspaces where no value is cached."""
    client.get("/?all=1")
    page_cache._kept.clear()
    return _asked(client, "/?all=1")


@pytest.mark.parametrize("role", ["viewer", "administrator", "hub"])
def test_a_page_of_a_team_asks_at_most_twice_more_than_that_of_one_person(
    client: Client, hub_data: Path, workspace_root: Path, settings: Settings, role: str
) -> None:
    workspace = imported(workspace_root, files(10))
    alone = queries(client, workspace)
    settings.MEMORYHUB_TEAM = True
    who = person("zofia", workspace, role)

    team = queries(browser_of(who), workspace)

    more = {page: (alone[page], team[page]) for page in PAGES}
    assert not {page: two for page, two in more.items() if two[1] > two[0] + 2}
