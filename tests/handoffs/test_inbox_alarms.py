"""Alarms in an inbox: coordinators hear of every one, once, and others of their own."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from memoryhub.handoffs.queries.inbox import concerned, heads_of
from memoryhub.journal.models import Workspace
from tests.conftest import MakeWorkspace
from tests.handoffs.test_inbox import NOON, ROLES, TASK, agent, heard, told
from tests.tools.asking import asked, given
from tests.writing import say

FAILED = "- 2026-11-20 12:0{} scout: L2 failed, as reported: timed out\n"
OPEN_LOG = "# Errors\n\n" + "".join(map(FAILED.format, range(3)))


@pytest.fixture
def workspace(workspace_root: Path, make_workspace: MakeWorkspace) -> Workspace:
    workspace = make_workspace(workspace_root)
    say(workspace, {"AGENTS.md": ROLES + "- **lead**: Leads\n"})
    workspace.coordinators = ["lead"]
    workspace.save(update_fields=["coordinators"])
    return workspace


def alarms(inbox: dict[str, Any]) -> list[tuple[str, str, str]]:
    return [
        (news["what"], news["task_id"], news["recipient"])
        for news in inbox["news"]
        if news["kind"] == "alarm"
    ]


def fail(workspace: Workspace, reason: str = "no wood") -> str:
    planner, builder = agent(workspace, "planner"), agent(workspace, "builder")
    task: str = given(planner, "handoff_send", to="builder", **TASK)["task_id"]
    given(builder, "handoff_take", task_id=task)
    given(
        builder, "handoff_report", task_id=task, status="failed", output=reason,
        reason=reason,
    )  # fmt: skip
    return task


def test_an_open_breaker_reaches_the_coordinator_once(workspace: Workspace) -> None:
    lead = agent(workspace, "lead")
    since = heard(lead)["cursor"]
    say(workspace, {"memories/errors.md": OPEN_LOG})

    inbox = heard(lead, since)
    (news,) = inbox["news"]
    assert (news["kind"], news["what"]) == ("alarm", "breaker")
    assert (news["recipient"], news["task_id"], news["state"]) == ("scout", "", "")
    assert news["reason"] == "L2 failed, as reported: timed out"
    assert heard(lead, inbox["cursor"])["news"] == []
    assert heard(agent(workspace, "builder"))["news"] == []
    text = asked(lead, "handoff_inbox").as_text()
    assert "> scout alarm: breaker: L2 failed, as reported: timed out" in text


def test_failed_work_of_others_reaches_the_coordinator(workspace: Workspace) -> None:
    lead = agent(workspace, "lead")
    since = heard(lead)["cursor"]
    task = fail(workspace)

    inbox = heard(lead, since)
    assert alarms(inbox) == [("failed", task, "builder")]
    assert inbox["news"][-1]["reason"] == "builder: no wood"
    assert heard(lead, inbox["cursor"])["news"] == []
    assert alarms(heard(lead)) == [("failed", task, "builder")]


def test_a_coordinator_hears_once_that_its_own_task_failed(
    workspace: Workspace,
) -> None:
    workspace.coordinators = ["lead", "planner"]
    workspace.save(update_fields=["coordinators"])
    planner = agent(workspace, "planner")
    since = heard(planner)["cursor"]
    task = fail(workspace)

    inbox = heard(planner, since)
    assert ("step", task, "failed") in told(inbox) and not alarms(inbox)
    assert heard(planner, inbox["cursor"])["news"] == []


def test_claims_that_meet_reach_the_coordinator(workspace: Workspace) -> None:
    lead = agent(workspace, "lead")
    since = heard(lead)["cursor"]
    given(agent(workspace, "builder"), "files_claim", action="claim", paths=["src/"])
    given(
        agent(workspace, "scout"), "files_claim", action="claim", paths=["src/door.py"],
        force=True, reason="urgent",
    )  # fmt: skip

    (news,) = heard(lead, since)["news"]
    assert (news["what"], news["recipient"]) == ("claims", "scout")
    assert "builder" in news["reason"] and "src/door.py" in news["reason"]


def test_many_alarms_are_news_once(workspace: Workspace) -> None:
    planner = agent(workspace, "planner")
    for _ in range(60):
        given(planner, "handoff_send", to="builder", due="2026-11-20T12:10:00Z", **TASK)
    lead = agent(workspace, "lead", 30)
    inbox = heard(lead)

    assert len(alarms(inbox)) >= 60
    assert heard(lead, inbox["cursor"])["news"] == []


def test_a_breaker_wakes_only_coordinators(workspace: Workspace) -> None:
    before = heads_of(workspace, NOON)
    say(workspace, {"memories/errors.md": OPEN_LOG})
    workspace.refresh_from_db()
    after = heads_of(workspace, NOON + timedelta(seconds=1))

    assert concerned(workspace, before, after) == frozenset({"lead"})
