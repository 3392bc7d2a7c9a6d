"""A stranger's line on somebody's task does not count, and is shown."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.test import Client

from memoryhub.dialects.handoff import Task
from memoryhub.handoffs.models import Handoff, HandoffStep
from memoryhub.handoffs.services.sending import Author, send
from memoryhub.handoffs.services.steps import take
from memoryhub.journal.models import Workspace
from tests.conftest import MakeWorkspace
from tests.handoffs.steps import put_back
from tests.writing import assert_a_rebuild_changes_nothing, say

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


@pytest.fixture
def workspace(workspace_root: Path, make_workspace: MakeWorkspace) -> Workspace:
    return make_workspace(workspace_root)


def by(actor: str, minutes: int = 0, *, coordinates: bool = False) -> Author:
    return Author(actor, coordinates, at=NOON + timedelta(minutes=minutes))


def sent(workspace: Workspace, to: str = "builder") -> Handoff:
    return send(workspace, Task("", "", to, "read_only", "c", "i"), by("ann")).handoff


def with_lines(workspace: Workspace, handoff: Handoff, *lines: str) -> Handoff:
    path = Path(workspace.root) / handoff.file.path
    log = "".join(f"- 2026-11-20T12:3{n}:00Z {line}\n" for n, line in enumerate(lines))
    say(workspace, {handoff.file.path: f"{path.read_text()}{log}"})
    handoff.refresh_from_db()
    return handoff


def test_work_by_a_stranger_does_not_count(workspace: Workspace) -> None:
    handoff = with_lines(workspace, sent(workspace), "mallory: taken", "mallory: done")

    assert (handoff.state, handoff.taken_by, handoff.moves) == ("open", "", 3)
    assert HandoffStep.objects.filter(stranger=True).count() == 2
    assert take(handoff, by("builder", 60)).handoff.state == "in_progress"
    assert_a_rebuild_changes_nothing(workspace)


def test_it_is_shown_in_the_log(client: Client, workspace: Workspace) -> None:
    handoff = with_lines(workspace, sent(workspace), "mallory: done")

    page = client.get(f"/w/{workspace.slug}/handoffs/{handoff.code}/").content.decode()

    assert "done, by somebody it is not for: it does not count" in page


@pytest.mark.parametrize(
    ("to", "actor"),
    [
        ("builder", "Builder"), ("builder", "notes/builder"), ("any", "mallory"),
        ("builder", "ann"), ("builder", "operator"), ("builder", "lead-coordinator"),
    ],
)  # fmt: skip
def test_work_by_those_whom_it_concerns_counts(
    workspace: Workspace, to: str, actor: str
) -> None:
    handoff = with_lines(workspace, sent(workspace, to), f"{actor}: done")

    assert handoff.state == "done"


def test_what_a_coordinator_did_through_the_hub_counts(workspace: Workspace) -> None:
    taken = take(sent(workspace), by("eve", 1, coordinates=True)).handoff
    assert (taken.state, taken.taken_by) == ("in_progress", "eve")

    assert with_lines(workspace, taken, "eve: done").state == "done"
    assert_a_rebuild_changes_nothing(workspace)


def test_what_was_put_back_by_a_person_counts(workspace: Workspace) -> None:
    taken = take(sent(workspace), by("builder", 1)).handoff

    assert put_back(taken, by("zoe", 2, coordinates=True)).handoff.state == "open"
    assert_a_rebuild_changes_nothing(workspace)
