"""Decisions that another file goes over from: a suggestion, never a state."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client

from memoryhub.journal.models import Workspace
from memoryhub.people.callers import Caller
from memoryhub.tools.calling import call, request_of
from memoryhub.tools.registry import tool_named
from snapshots.queries.suggestions import suggestions
from tests.factories import imported
from tests.signing import own_program
from tests.writing import assert_a_rebuild_changes_nothing, say
from topics.models import Decision

OLD = "Use Postgres for the tide store"
NEW = "We moved away from Postgres; the tide store now uses SQLite."
FILES: dict[str, str | bytes] = {
    "memory/2026-05-01.md": f"# 2026-05-01\n\nDecision: {OLD}\n",
    "memory/2026-05-09.md": f"# 2026-05-09\n\n{NEW}\n",
}


@pytest.fixture
def workspace(hub_data: Path, db: None, workspace_root: Path) -> Workspace:
    return imported(workspace_root, FILES)


def page(client: Client, decision: Decision) -> str:
    found = client.get(f"/w/acme/decisions/{decision.code}/").content.decode()
    return " ".join(found.split())


def test_what_goes_over_from_an_earlier_decision_is_suggested_beside_it(
    client: Client, workspace: Workspace
) -> None:
    old, new = Decision.everything.order_by("occurred_at")
    assert (old.text, new.text, new.grade) == (OLD, NEW, "suggested")

    assert "Perhaps superseded by" in page(client, old) and NEW in page(client, old)
    assert "Perhaps supersedes" in page(client, new) and OLD in page(client, new)
    assert "text=We+moved+away+from+Postgres" in page(client, old)
    assert old.state == "stated"


def test_recall_says_what_a_suggestion_may_supersede(
    client: Client, workspace: Workspace
) -> None:
    shown = client.get("/w/acme/recall/").content.decode()

    assert f"perhaps supersedes: {OLD}" in shown


def test_programs_read_what_a_decision_may_supersede(workspace: Workspace) -> None:
    old, new = Decision.everything.order_by("occurred_at")
    place = "/api/v1/workspaces/acme/decisions"
    listed = own_program().get(f"{place}?grade=all").json()["data"]
    one = own_program().get(f"{place}/{new.code}").json()["data"]
    tool = tool_named("decisions")
    asked = request_of(tool, {"grade": "all"})
    answer = call(tool, Caller(workspace, "dana"), asked)
    said = answer.model_dump()["decisions"]

    for rows in (listed, said):
        codes = {row["code"]: row["perhaps_supersedes"] for row in rows}
        assert codes == {new.code: old.code, old.code: None}
    assert one["perhaps_supersedes"] == old.code
    assert f"perhaps supersedes {old.code}]" in answer.as_text()


def test_a_group_does_not_read_a_private_decision_beside_what_goes_over_from_it(
    client: Client, hub_data: Path, workspace_root: Path, db: None
) -> None:
    old = "We chose Postgres for the tide store"
    private = f"# Memory\n\n## Decisions\n\n- 2026-05-01: {old}\n"
    workspace = imported(
        workspace_root,
        FILES | {"MEMORY.md": private, "memory/2026-05-01.md": "# Day\n"},
    )

    texts = [
        [
            one.replaces and one.replaces.text
            for one in suggestions(workspace, private=may)
        ]
        for may in (True, False)
    ]

    assert texts == [[old], [None]]


def test_another_subject_is_not_superseded(workspace: Workspace) -> None:
    other = "# 2026-05-01\n\nDecision: Postgres backups run at night\n"
    say(workspace, {"memory/2026-05-01.md": other})
    workspace.refresh_from_db()

    assert [one.replaces for one in suggestions(workspace)] == [None]


def test_a_decision_struck_through_in_another_file_is_superseded(
    workspace: Workspace,
) -> None:
    struck = f"# Choices\n\n## Decisions\n\n- ~~{OLD}~~ (9 May)\n"
    say(workspace, {"memory/choices.md": struck})

    (old,) = Decision.objects.filter(text=OLD)
    assert old.state == "superseded"
    assert_a_rebuild_changes_nothing(workspace)
