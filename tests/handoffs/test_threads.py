"""To whom a message is, since when, and which are repeated or stand for others."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from memoryhub.dialects.handoff import Task, render_task
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.messages import (
    messages_to,
    messages_to_people,
    newest_threads,
    recent_lines,
    thread_of,
)
from memoryhub.handoffs.services.sending import Author, send
from memoryhub.handoffs.services.steps import Step, move, take
from memoryhub.journal.models import Workspace
from memoryhub.people.callers import Caller
from tests.handoffs.test_messages import NOON, by, sent, workspace, write
from tests.tools.asking import given
from tests.writing import say

__all__ = ["workspace"]


def test_messages_are_those_that_came_since_a_time(workspace: Workspace) -> None:
    handoff = sent(workspace)
    for minutes in (10, 20, 30):
        write(handoff, "planner", f"minute {minutes}", minutes)

    def since(minutes: int) -> list[str]:
        found = messages_to(workspace, "builder", NOON + timedelta(minutes=minutes))
        return [message.step.reason for message in found]

    assert since(9) == ["minute 10", "minute 20", "minute 30"]
    assert since(20) == ["minute 30"]
    assert since(30) == []


@pytest.mark.parametrize(
    ("agent", "hears"),
    [("planner", 1), ("Builder", 1), ("cid", 1), ("scout", 1), ("dan", 0), ("lead", 0)],
)
def test_a_message_is_for_all_that_have_a_part_in_its_handoff(
    workspace: Workspace, agent: str, hears: int
) -> None:
    task = Task("", "", "builder", "write", "Mend", "It", review="scout")
    handoff = send(workspace, task, by("planner")).handoff
    taken = take(handoff, replace(by("cid", 1), coordinates=True)).handoff
    write(taken, "lead", "Which hinge?", 2)

    found = messages_to(workspace, agent)

    assert [(m.by, m.line) for m in found] == [
        ("lead", f"{handoff.task_id} lead: Which hinge?")
    ] * hears


def test_messages_elsewhere_reach_the_side_that_sent_the_task(
    both: tuple[Workspace, Workspace],
) -> None:
    shop, mill = both
    task = Task("", "", "mill/miller", "write", "Grind", "Wheat")
    send(shop, task, by("baker"))
    send(mill, Task("", "", "miller", "write", "Own", "x"), by("baker"))
    for row in Handoff.objects.order_by("task_id"):
        write(row, "miller", f"About {row.context}", 2)

    def texts(workspace: Workspace, minutes: int) -> list[str]:
        since = NOON + timedelta(minutes=minutes)
        return [m.step.reason for m in messages_to(workspace, "baker", since)]

    assert (texts(shop, 1), texts(shop, 2)) == (["About Grind"], [])
    assert texts(mill, 1) == ["About Grind", "About Own"]


def test_a_recall_repeats_messages_of_a_week_in_unfinished_handoffs(
    workspace: Workspace,
) -> None:
    old, over = sent(workspace), sent(workspace)
    write(old, "planner", "The  left\none", 1)
    write(over, "planner", "The right one", 1)
    move(over, Step("withdrawn"), by("planner", 2))

    def lines(agent: str, **later: int) -> tuple[str, ...]:
        now = NOON + timedelta(minutes=1) + timedelta(**later)
        return recent_lines(workspace, agent, now, private=True)

    told = (f"{old.task_id} planner: The left one",)
    assert (lines("builder", days=6), lines("builder", days=7)) == (told, ())
    assert (lines("", days=1), lines("dan", days=1)) == ((), ())


@pytest.mark.parametrize("name", ["MEMORY.md", "memory.md"])
def test_messages_in_the_private_file_are_repeated_to_its_owner_alone(
    workspace: Workspace, name: str
) -> None:
    task = render_task(Task("t1", "planner", "builder", "write", "c", "i"))
    say(workspace, {name: task})
    write(Handoff.objects.get(), "planner", "The left one")

    found = [
        len(recent_lines(workspace, "builder", NOON, private=own))
        for own in (True, False)
    ]

    assert found == [1, 0]


@pytest.mark.parametrize(
    ("sender", "to", "review", "text", "is_theirs"),
    [
        ("planner", "builder", "", "Left?", False),
        ("you", "builder", "", "Left?", True), ("planner", "you", "", "Left?", True),
        ("planner", "builder", "me", "Left?", True),
        ("planner", "builder", "scout", "Left?", False),
        ("planner", "builder", "", "@owner, left?", True),
    ],
)  # fmt: skip
def test_people_get_messages_of_their_handoffs_and_those_that_mention_them(
    workspace: Workspace, sender: str, to: str, review: str, text: str, is_theirs: bool
) -> None:
    task = Task("", "", to, "write", "Mend", "It", review=review)
    write(send(workspace, task, by(sender)).handoff, "scout", text)

    found = messages_to_people(workspace)

    assert [(m.by, m.unread, m.is_to) for m in found] == [
        ("scout", True, ())
    ] * is_theirs


def test_of_each_thread_the_newest_unread_message_stands_for_the_others(
    workspace: Workspace,
) -> None:
    first, second, third = (sent(workspace, "operator") for _ in range(3))
    for number, row in enumerate((first, second, first, third, second)):
        write(row, "builder", f"text {number}", number)
    write(second, "operator", "Wait", 8)
    write(second, "builder", "text 9", 9)
    write(third, "operator", "Done", 10)

    found = newest_threads(messages_to_people(workspace))

    assert [(m.step.reason, number) for m, number in found] == [
        ("text 9", 1), ("text 2", 2)
    ]  # fmt: skip


def test_a_thread_is_read_from_its_beginning(workspace: Workspace) -> None:
    handoff, other = sent(workspace), sent(workspace)
    for number in (3, 1):
        write(handoff, "builder", f"text {number}", number)
    write(other, "builder", "Other"), take(handoff, by("builder", 9))
    path = handoff.file.path
    lines = "".join(
        f"- 2026-11-20T12:10:00Z builder: said -- text {n}\n" for n in (9, 7, 8, 5, 6)
    )
    say(workspace, {path: Path(workspace.root, path).read_text() + lines})

    found = [step.reason.rpartition(" ")[2] for step in thread_of(handoff)]

    assert found == ["3", "1", "9", "7", "8", "5", "6"]


@pytest.mark.parametrize(("shared", "is_told"), [(False, True), (True, False)])
def test_a_prompt_of_a_shared_session_has_no_message_of_the_private_file(
    workspace: Workspace, shared: bool, is_told: bool
) -> None:
    task = render_task(Task("t1", "planner", "builder", "write", "c", "i"))
    say(workspace, {"MEMORY.md": task})
    caller = Caller(workspace, "builder", "builder", shared=shared)

    def event(name: str) -> str:
        said: dict[str, Any] = {"session_id": "s1", "cwd": workspace.root}
        asked = {"host": "claude-code", "event": name, "said": said}
        return str(given(caller, "lifecycle_event", **asked))

    event("SessionStart")
    move(Handoff.objects.get(), Step("said", "The left hinge"), Author("planner"))

    assert ("The left hinge" in event("UserPromptSubmit")) is is_told
