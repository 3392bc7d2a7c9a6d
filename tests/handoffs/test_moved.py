"""What others did with an agent's handoffs, in its recall and at its prompts."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from memoryhub.dialects.handoff import Task, render_task
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.messages import ended_lines, moved_lines
from memoryhub.handoffs.services.leases import renew
from memoryhub.handoffs.services.steps import Step, move, take
from memoryhub.journal.models import Workspace
from memoryhub.people.callers import Caller
from memoryhub.tools.calling import call, request_of
from memoryhub.tools.registry import tool_named
from tests.claims.test_claims import NOW, workspace
from tests.claims.test_edits import told
from tests.handoffs.pairs import NOON, at, by, sent
from tests.handoffs.steps import mark_failed, send_back
from tests.handoffs.test_inbox_news import done, shop
from tests.writing import say

__all__ = ["shop", "workspace"]


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


def test_a_move_is_a_line_with_who_did_it_and_why(shop: Workspace) -> None:
    renew(shop, "bob", at(0))
    rows = [sent(shop, minutes=n, review="dan" if n == 3 else "") for n in range(6)]
    sent(shop, "eve fay"), sent(shop)
    said = take(sent(shop), by("bob", 8)).handoff
    send_back(rows[0], by("bob", 10), reason="which  door?\nleft?")
    mark_failed(rows[1], by("bob", 11), reason="x" * 200)
    done(take(rows[2], by("bob", 12)).handoff, "bob", 12)
    done(take(rows[3], by("bob", 13)).handoff, "bob", 13)
    for row in (rows[4], said):
        move(row, Step("said", "Hello"), by("bob", 14))
    take(rows[5], by("bob", 15))

    lines = moved_lines(shop, "ann", at(9), at(20), private=True)

    name = "20261120-0"
    ends = (
        f"{name}4 to bob: done by bob, to be accepted by dan. Two hinges",
        f"{name}3 to bob: done by bob. Two hinges",
        f"{name}2 to bob: failed by bob. {'x' * 160}",
        f"{name}1 to bob: sent back by bob. which door? left?",
    )
    assert lines == (f"{name}6 to bob: taken by bob.", *ends)
    assert ended_lines(shop, "ann", at(20), private=True) == ends
    assert ended_lines(shop, "", at(20), private=True) == ()
    assert moved_lines(shop, "bob", at(9), at(20), private=True) == ()
    assert len(moved_lines(shop, "dan", at(9), at(20), private=True)) == 1


def test_a_task_in_a_file_that_nobody_has_touched_is_no_move(shop: Workspace) -> None:
    task = render_task(Task("t1", "ann", "bob", "read_only", "c", "i"))
    say(shop, {"memory/t1.md": task})

    assert moved_lines(shop, "ann", NOON - timedelta(days=9), NOON, private=True) == ()


def test_at_most_ten_moves_are_named_the_newest_first(shop: Workspace) -> None:
    for minutes in range(12):
        row = sent(shop, minutes=minutes)
        mark_failed(row, by("bob", minutes), reason=f"no {minutes}")

    lines = ended_lines(shop, "ann", at(20), private=True)

    assert [line.rpartition(" ")[2] for line in lines] == [
        str(n) for n in range(11, 1, -1)
    ]
    assert moved_lines(shop, "ann", at(-1), at(20), private=True) == lines


def test_moves_in_the_private_file_are_for_its_owner_alone(shop: Workspace) -> None:
    task = render_task(Task("t1", "ann", "bob", "read_only", "c", "i"))
    say(shop, {"MEMORY.md": f"# Memory\n\n{task}"})
    mark_failed(Handoff.objects.get(), by("bob", 1), reason="no wood")

    def lines(*, private: bool) -> list[int]:
        return [
            len(ended_lines(shop, "ann", at(9), private=private)),
            len(moved_lines(shop, "ann", NOON - timedelta(days=1), at(9),
                            private=private)),
        ]  # fmt: skip

    assert (lines(private=True), lines(private=False)) == ([1, 1], [0, 0])
