"""What others did with an agent's handoffs, in its recall and at its prompts."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from memoryhub.handoffs.queries.moved import ended_lines
from memoryhub.journal.models import Workspace
from memoryhub.people.callers import Caller
from memoryhub.tools.calling import call, request_of
from memoryhub.tools.registry import tool_named
from tests.claims.test_claims import NOW, workspace
from tests.claims.test_edits import told

__all__ = ["workspace"]


def ask(
    workspace: Workspace, agent: str, name: str, later: Any = 0, **fields: Any
) -> dict[str, Any]:
    """Call a tool as an agent, some minutes after `NOW`."""
    tool, now = tool_named(name), NOW + timedelta(minutes=later)
    caller = Caller(workspace, agent, agent, clock=lambda: now)
    return call(tool, caller, request_of(tool, fields)).model_dump(mode="json")


def send(workspace: Workspace, context: str) -> str:
    fields = {"to": "cook", "type": "read_only", "context": context, "input": "pot"}
    sent = ask(workspace, "host", "handoff_send", **fields)
    return str(sent["task_id"])


@pytest.fixture
def tasks(workspace: Workspace) -> list[str]:
    """Tasks that are done, failed, sent back, taken and untouched."""
    made = [send(workspace, f"Taste {dish}") for dish in "abcde"]
    for task in (made[0], made[3]):
        ask(workspace, "cook", "handoff_take", task_id=task)
    report = {"task_id": made[0], "status": "done", "output": "Needs salt"}
    ask(workspace, "cook", "handoff_report", **report)
    for task, action in ((made[1], "fail"), (made[2], "send_back")):
        why = {"action": action, "reason": "the pot leaks"}
        ask(workspace, "cook", "handoff_update", task_id=task, **why)
    return made


def test_a_recall_names_the_results_and_send_backs_of_the_senders_work(
    workspace: Workspace, tasks: list[str]
) -> None:
    text = ask(workspace, "host", "recall", later=30)["text"]

    assert "### What others did with your handoffs (3)" in text
    assert f"> {tasks[0]} to cook: done by cook. Needs salt" in text
    assert f"> {tasks[1]} to cook: failed by cook. the pot leaks" in text
    assert f"> {tasks[2]} to cook: sent back by cook. the pot leaks" in text
    assert "What others did" not in ask(workspace, "cook", "recall", later=30)["text"]


def test_a_recall_is_silent_on_them_after_three_days(
    workspace: Workspace, tasks: list[str]
) -> None:
    def at(hours: float) -> int:
        now = NOW + timedelta(hours=hours)
        return len(ended_lines(workspace, "host", now, private=True))

    assert (at(70), at(73)) == (3, 0)


def test_a_session_whose_start_nobody_heard_is_told_from_its_first_prompt(
    workspace: Workspace,
) -> None:
    said = {"session_id": "s9", "cwd": workspace.root, "prompt": "go on"}
    assert told(workspace, "UserPromptSubmit", said, "host", at=0) is None
    task = send(workspace, "Taste the soup")
    ask(workspace, "cook", "handoff_take", task_id=task, later=1)
    report = {"task_id": task, "status": "done", "output": "Needs salt"}
    ask(workspace, "cook", "handoff_report", later=2, **report)

    news = told(workspace, "UserPromptSubmit", said, "host", at=600)

    context = news["hookSpecificOutput"]["additionalContext"]
    assert f"> {task} to cook: done by cook. Needs salt" in context
    assert told(workspace, "UserPromptSubmit", said, "host", at=700) is None
