"""Broken blocks in files are named, and nobody takes them for good work."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.test import Client

from memoryhub.dialects.handoff import block_problems, find_tasks, hindrance_of
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.board import Filters, ready
from memoryhub.handoffs.queries.conversation import unreadable
from memoryhub.handoffs.queries.lane import turns
from memoryhub.handoffs.rules.acting import NotAllowed
from memoryhub.handoffs.services.sending import Author
from memoryhub.handoffs.services.steps import take
from memoryhub.journal.models import Problem, Workspace
from tests.conftest import MakeWorkspace
from tests.handoffs.steps import revise
from tests.writing import say

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
TASK = (
    "<task>\n<from>ann</from>\n<to>bob</to>\n<task_id>7</task_id>\n<type>{kind}</type>\n"
    "<context>c</context>\n<input>i</input>\n{end}\n"
)
WHOLE = TASK.format(kind="write", end="</task>")


@pytest.fixture
def workspace(workspace_root: Path, make_workspace: MakeWorkspace) -> Workspace:
    return make_workspace(workspace_root)


def named(text: str) -> list[tuple[str, int, object]]:
    return [
        (p.code.removeprefix("handoff-block-"), p.line, p.parameters.get("problem"))
        for p in block_problems(text)
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (WHOLE, []),
        (TASK.format(kind="write", end=""), [("broken", 1, "not-closed")]),
        (TASK.format(kind="rw", end="</task>"), [("broken", 1, "unknown-type")]),
        (WHOLE.replace(">c<", f">{'c' * 201}<"), [("broken", 1, "context-too-long")]),
        (f"# Plan\n\n```xml\n{WHOLE}```\n", [("unread", 4, None)]),
        (f"- do {WHOLE.strip()}\n", [("unread", 1, None)]),
        ("    " + WHOLE.strip().replace("\n", "\n    "), [("unread", 1, None)]),
        ("See `<task>` and `</task>` blocks.\n", []),
        (f"```\n{WHOLE.replace('ann', '{sender}')}```\n", []),
        (f"```\n{WHOLE.replace('ann', '')}```\n", []),
        ("Sent:\n\n> " + WHOLE.strip().replace("\n", "\n> "), [("unread", 3, None)]),
        (
            "\n<r>\n<task_id>7</task_id>\n<status>ready</status>\n</r>\n",
            [("broken", 2, "unknown-status")],
        ),
        (
            "<r>\n<status>done</status>\n<o>x",
            [("broken", 1, "not-closed"), ("broken", 1, "o-not-closed")],
        ),
        (WHOLE.replace(">ann<", "><"), []),
    ],
)
def test_what_is_broken_or_not_read_is_named(
    text: str, found: list[tuple[str, int, object]]
) -> None:
    assert named(text) == found


def test_a_quoted_task_is_named_by_its_id_without_the_quote() -> None:
    whole = WHOLE.replace(">7<", ">\n7\n<").strip()

    (unread,) = block_problems("> " + whole.replace("\n", "\n> "))

    assert unread.parameters == {"task_id": "7"}


def test_a_task_too_long_to_be_looked_at_hides_no_later_one() -> None:
    long = WHOLE.replace(">i<", f">{'i' * 20_001}<").strip()

    assert named(f"- do {long}\n- do {WHOLE.strip()}\n") == [
        ("unread", long.count("\n") + 2, None)
    ]
    longest = long.replace("i" * (len(long) - 20_000), "", 1)
    assert named(f"- do {longest}\n") == [("unread", 1, None)]


def test_at_most_fifty_unread_tasks_are_named_and_by_short_ids() -> None:
    long = TASK.format(kind="rw", end="</task>").replace(">7<", f">{'7 ' * 300}<")

    found = list(block_problems(f"```\n{WHOLE * 60}```\n"))
    (broken,) = block_problems(long)

    assert [p.parameters for p in found] == [{"task_id": "7"}] * 50
    assert broken.parameters["task_id"] == ("7 " * 300)[:200]


@pytest.mark.parametrize(
    ("block", "hindrance"),
    [
        (WHOLE, ""),
        (WHOLE.replace(">c<", f">{'c' * 201}<"), ""),
        (TASK.format(kind="rw", end="</task>"), "unknown-type"),
        (TASK.format(kind="rw", end=""), "not-closed"),
        (TASK.format(kind="write", end="<after>1\n</task>"), "after-not-closed"),
    ],
)
def test_a_block_that_is_cut_off_or_of_no_type_is_not_taken(
    block: str, hindrance: str
) -> None:
    (task,) = find_tasks(block)

    assert hindrance_of(task) == hindrance


@pytest.mark.parametrize(
    ("kind", "end"), [("write", ""), ("rw", "</task>"), ("read_only", "<input>")]
)
def test_nobody_takes_a_broken_task_and_no_write_waits_for_it(
    workspace: Workspace, kind: str, end: str
) -> None:
    good = WHOLE.replace(">7<", ">8<")
    bad = TASK.format(kind=kind, end=end)
    say(workspace, {"memory/handoffs/7.md": bad, "memory/handoffs/8.md": good})

    rows = ready(workspace, Filters(), turns(workspace), NOON, limit=9)
    assert [row.task_id for row in rows] == ["8"]
    with pytest.raises(NotAllowed) as refused:
        take(Handoff.objects.get(task_id="7"), Author("bob"))
    assert refused.value.code == "handoff-broken"


def test_a_broken_task_is_on_health_and_not_understood(
    client: Client, workspace: Workspace
) -> None:
    path = "memory/notes.md"
    say(workspace, {path: TASK.format(kind="write", end="")})

    (problem,) = Problem.objects.filter(workspace=workspace)
    assert (problem.code_name, problem.path) == ("handoff-block-broken", path)
    assert [row.code for row in unreadable(workspace)] == ["not-closed"]
    page = client.get(f"/w/{workspace.slug}/handoffs/").content.decode()
    assert "its block has no end" in page
    health = client.get(f"/w/{workspace.slug}/health/").content.decode()
    assert "the block of 7 is broken: not-closed" in health


def test_its_sender_mends_it(workspace: Workspace) -> None:
    bad = f"# Handoff 7\n\n{TASK.format(kind='write', end='')}\n## Log\n"
    say(workspace, {"memory/handoffs/7.md": bad})
    handoff = Handoff.objects.get()
    assert handoff.problem == "not-closed"

    mended = revise(handoff, Author("ann"), input="hinge 2").handoff

    assert (mended.problem, mended.in_lane) == ("", True)
