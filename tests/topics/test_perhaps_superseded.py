"""Decisions that another file goes over from: a suggestion, never a state."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client

from memoryhub.journal.models import Workspace
from snapshots.queries.suggestions import suggestions
from tests.factories import imported
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
