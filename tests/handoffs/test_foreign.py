"""Tasks of beads and of Claude Code are on the board, read only."""

from __future__ import annotations

import json
from typing import Any

from django.test import Client

from memoryhub.journal.models import Workspace
from tests.writing import say

BOARD = "/w/acme/handoffs/"
BEADS = ".beads/issues.jsonl"
TASK = ".claude/tasks/quay/3.json"


def issue(key: str, title: str, status: str = "open", **more: Any) -> str:
    made = "2026-11-20T08:00:00Z"
    held = {"id": key, "title": title, "status": status, "created_at": made, **more}
    return json.dumps(held) + "\n"


def columns(client: Client, query: str = "") -> dict[str, str]:
    """Return the board's columns as HTML by state."""
    page = client.get(BOARD + query).content.decode()
    parts = page.split('<section class="bcol" aria-labelledby="c-')[1:]
    return {part.partition('"')[0]: part for part in parts}


def test_issues_and_tasks_stand_in_the_column_of_their_state(
    acme: Workspace, client: Client
) -> None:
    task = {"id": "3", "subject": "Paint the quay", "status": "in_progress"}
    issues = [
        issue("q-1", "Sound the channel", assignee="otter"),
        issue("q-2", "Order rope", "blocked"),
        issue("q-3", "Count buoys", "closed", closed_at="2026-11-21T08:00:00Z"),
    ]
    say(acme, {"IDENTITY.md": "- **Name:** Grebe\n"})
    say(acme, {BEADS: "".join(issues), TASK: json.dumps(task | {"owner": "heron"})})

    found = columns(client)

    assert "q-1 Sound the channel" in found["open"] and "otter" in found["open"]
    assert "q-2 Order rope" in found["blocked"] and "Grebe" not in found["blocked"]
    assert "q-3 Count buoys" in found["done"]
    assert "Paint the quay" in found["in_progress"]
    assert "Claude Code task" in found["in_progress"]


def test_other_programs_tasks_cannot_be_changed_on_the_board(
    acme: Workspace, client: Client
) -> None:
    say(acme, {BEADS: issue("q-1", "Sound the channel")})

    column = columns(client)["open"]

    assert f"/w/acme/files/{BEADS}?view=raw#L1" in column
    assert "change/" not in column and "take/" not in column


def test_filters_of_the_board_apply_to_other_programs_tasks(
    acme: Workspace, client: Client
) -> None:
    lines = issue("q-1", "Sound it", assignee="otter") + issue("q-2", "Order rope")
    say(acme, {BEADS: lines})

    def shown(query: str) -> list[str]:
        column = columns(client, query)["open"]
        return [name for name in ("q-1", "q-2") if name in column]

    assert shown("") == ["q-1", "q-2"]
    assert shown("?agent=otter") == ["q-1"]
    assert shown("?q=rope") == ["q-2"]
    assert shown("?to=me") == shown("?type=write") == []


def test_a_column_says_how_many_more_tasks_there_are(
    acme: Workspace, client: Client
) -> None:
    say(acme, {BEADS: "".join(issue(f"q-{n}", f"Task {n}") for n in range(9))})

    column = columns(client)["open"]

    assert column.count("hc compact foreign") == 6
    assert "3 more" in column


def test_a_deleted_issue_leaves_the_board(acme: Workspace, client: Client) -> None:
    say(acme, {BEADS: issue("q-1", "Gone soon")})
    say(acme, {BEADS: issue("q-1", "Gone soon", "tombstone")})

    assert "q-1" not in columns(client)["open"]
