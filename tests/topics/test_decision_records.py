"""Decisions in architecture decision records."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from memoryhub.journal.models import Workspace
from tests.writing import assert_a_rebuild_changes_nothing, say
from topics.models import Decision

RECORD = "docs/adr/0007-storage.md"


@pytest.fixture
def workspace(
    workspace_root: Path, make_workspace: Callable[[Path], Workspace]
) -> Workspace:
    return make_workspace(workspace_root)


def record(status: str) -> str:
    return (
        f"# 7. Storage\n\nDate: 2026-03-04\n\n## Status\n\n{status}\n\n"
        "## Decision\n\nWe store notes in SQLite, because one file is enough.\n"
    )


@pytest.mark.parametrize(
    ("status", "state"),
    [("Accepted", "stated"), ("Rejected", "rejected"), ("Deprecated", "superseded")],
)
def test_the_status_of_a_record_is_the_state_of_its_decision(
    workspace: Workspace, status: str, state: str
) -> None:
    say(workspace, {RECORD: record(status)})

    decision = Decision.objects.get()
    assert decision.state == state
    assert decision.decided_on == date(2026, 3, 4)
    assert_a_rebuild_changes_nothing(workspace)


def test_a_proposal_becomes_a_decision_when_it_is_accepted(
    workspace: Workspace,
) -> None:
    say(workspace, {RECORD: record("Proposed")})
    assert not Decision.objects.exists()

    say(workspace, {RECORD: record("Accepted")})
    assert Decision.objects.get().reason == "one file is enough"

    say(workspace, {RECORD: record("Superseded by ADR 9")})
    assert Decision.objects.get().state == Decision.State.SUPERSEDED
    assert_a_rebuild_changes_nothing(workspace)
