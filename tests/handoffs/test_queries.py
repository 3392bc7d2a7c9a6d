"""The board, the list, one handoff, and what nobody understood."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memoryhub.dialects.handoff import Result, Task
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.board import Column, Filters, board, figures, listing
from memoryhub.handoffs.queries.conversation import conversation, unreadable
from memoryhub.handoffs.queries.lane import unfinished
from memoryhub.handoffs.queries.waiting import deadlocks
from memoryhub.handoffs.services.sending import Author, Terms, send
from memoryhub.handoffs.services.steps import report, take
from memoryhub.journal.models import Workspace
from tests.conftest import MakeWorkspace
from tests.handoffs.steps import block, put_back, reopen, withdraw
from tests.writing import say

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
LATER = NOON + timedelta(hours=3)


@pytest.fixture
def workspace(workspace_root: Path, make_workspace: MakeWorkspace) -> Workspace:
    return make_workspace(workspace_root)


def by(actor: str, minutes: int = 0, *, coordinates: bool = False) -> Author:
    return Author(actor, coordinates, at=NOON + timedelta(minutes=minutes))


def sent(
    workspace: Workspace, kind: str = "write", to: str = "builder", minutes: int = 0
) -> Handoff:
    task = Task("", "", to, kind, f"Mend {to}'s door", "Hinge 2")
    return send(workspace, task, by("planner", minutes)).handoff


def done(workspace: Workspace, took: int, minutes: int = 0) -> Handoff:
    handoff = sent(workspace, "read_only", minutes=minutes)
    take(handoff, by("builder", minutes + 1))
    result = Result("", "done", "ok", "changed `src/door.py` and docs/a.md")
    return report(handoff, result, by("builder", minutes + took)).done.handoff


def shown(columns: tuple[Column, ...]) -> dict[str, list[str]]:
    return {c.state: [card.task_id[-2:] for card in c.cards] for c in columns}


def many(workspace: Workspace, number: int) -> None:
    names = "<from>a</from>\n<to>b</to>\n<type>write</type>"
    say(workspace, {
        f"memory/a{n}.md": f"<task>\n{names}\n<task_id>t{n}</task_id>\n</task>\n"
        for n in range(number)
    })  # fmt: skip


def test_each_handoff_is_in_one_column_what_waits_for_you_first(
    workspace: Workspace,
) -> None:
    take(sent(workspace), by("builder"))
    sent(workspace, minutes=1)
    sent(workspace, "decision", minutes=2)
    block(sent(workspace, minutes=3), by("builder"), reason="no key")

    columns = board([workspace], Filters(), NOON)

    assert shown(columns) == {
        "open": ["03", "02"],
        "in_progress": ["01"],
        "blocked": ["04"],
        "done": [],
        "failed": [],
    }
    assert [column.count for column in columns] == [2, 1, 1, 0, 0]
    assert columns[0].cards[0].for_person
    assert columns[2].cards[0].last_reason == "no key"


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        (Filters(type="decision"), ["02"]),
        (Filters(for_person=True), ["02", "03"]),
        (Filters(recipient="builder"), ["01", "02"]),
        (Filters(agent="planner", text="you's"), ["03"]),
        (Filters(state="done"), []),
    ],
)
def test_the_board_can_be_narrowed(
    workspace: Workspace, filters: Filters, found: list[str]
) -> None:
    sent(workspace)
    sent(workspace, "decision")
    sent(workspace, to="You")

    assert sorted(shown(board([workspace], filters, NOON))["open"]) == found


def test_of_what_ended_at_one_moment_the_last_sent_is_first(
    workspace: Workspace,
) -> None:
    say(workspace, {
        f"memory/a{n}.md": f"<task>\n<to>b</to>\n<task_id>20261120-{n}</task_id>\n"
        f"</task>\n<r>\n<task_id>20261120-{n}</task_id>\n<status>done</status>\n</r>\n"
        for n in (9, 100, 10, 99, 101)
    })  # fmt: skip
    newest = ["20261120-101", "20261120-100", "20261120-99", "20261120-10"]

    *_, ended, _ = board([workspace], Filters(), NOON, limits={"done": 4})
    moved = listing([workspace], Filters(), NOON, limit=4, order="moved").cards

    assert [card.task_id for card in ended.cards] == newest
    assert [card.task_id for card in moved] == newest


def test_the_board_takes_as_many_queries_for_ten_as_for_a_hundred(
    workspace: Workspace,
) -> None:
    taken = []
    for number in (10, 100):
        many(workspace, number)
        with CaptureQueriesContext(
            connection,
        ) as queries:
            board([workspace], Filters(), NOON)
            unfinished(workspace)
        taken.append(len(queries))

    assert taken[0] == taken[1]


def test_the_list_goes_on_where_a_page_ends(workspace: Workspace) -> None:
    many(workspace, 5)

    first = listing([workspace], Filters(), NOON, limit=3)
    rest = listing([workspace], Filters(), NOON, after=first.next, limit=3)

    assert (len(first.cards), len(rest.cards), rest.next) == (3, 2, None)
    assert len({card.id for card in first.cards + rest.cards}) == 5


def test_what_is_past_its_time_is_overdue(workspace: Workspace) -> None:
    task = Task("", "", "builder", "write", "c", "i")
    send(workspace, task, by("planner"), Terms(NOON + timedelta(hours=1)))
    for number in range(5):
        done(workspace, 20, minutes=number)
    sent(workspace, "read_only", minutes=60)

    (open_, *_) = board([workspace], Filters(), NOON + timedelta(minutes=70))
    assert [card.overdue for card in open_.cards] == [True, False]
    (open_, *_) = board([workspace], Filters(), NOON + timedelta(minutes=81))
    assert [card.overdue for card in open_.cards] == [True, True]


def test_what_has_a_due_time_is_not_overdue_before_it(workspace: Workspace) -> None:
    for number in range(5):
        done(workspace, 20, minutes=number)
    task = Task("", "", "builder", "read_only", "c", "i")
    send(workspace, task, by("planner"), Terms(NOON + timedelta(hours=2)))

    (open_, *_) = board([workspace], Filters(), NOON + timedelta(minutes=119))

    assert [card.overdue for card in open_.cards] == [False]


def test_a_conversation_has_the_steps_and_the_files_touched(
    workspace: Workspace,
) -> None:
    sent(workspace)
    handoff = done(workspace, 20)

    told = conversation(handoff)

    assert [(s.step.verb, s.step.is_result) for s in told.steps] == [
        ("sent", False), ("taken", False), ("done", False), ("done", True)
    ]  # fmt: skip
    assert set(told.files) == {"src/door.py", "docs/a.md"}


def test_each_result_has_the_time_of_its_own_line_in_the_log(
    workspace: Workspace,
) -> None:
    handoff = sent(workspace, "read_only")
    for minutes in (10, 30):
        take(handoff, by("builder", minutes))
        result = Result("", "blocked", "no key yet")
        handoff = report(handoff, result, by("builder", minutes + 5)).done.handoff
        put_back(handoff, by("dana", minutes + 10, coordinates=True))

    told = [s for s in conversation(handoff).steps if s.step.is_result]

    assert [(s.step.verb, s.at) for s in told] == [
        ("blocked", NOON + timedelta(minutes=15)),
        ("blocked", NOON + timedelta(minutes=35)),
    ]


def test_what_was_not_understood_is_listed_with_its_text(workspace: Workspace) -> None:
    odd = "<r>\n<task_id>t1</task_id>\n<status>finished</status>\n</r>\n"
    nameless = "<r>\n<status>done</status>\n<o>x</o>\n</r>\n"
    lost = "<r>\n<task_id>t9</task_id>\n<status>done</status>\n</r>\n"
    say(workspace, {"memory/a.md": f"# A\n\n{odd}\n{nameless}\n{lost}"})

    found = {block.code: block.text for block in unreadable(workspace)}

    assert found == {
        "unknown-status": odd, "no-task-id": nameless, "no-such-task": lost
    }  # fmt: skip


@pytest.mark.parametrize(
    ("lacks", "code"),
    [("from", "no-sender"), ("to", "no-recipient"), ("type", "unknown-type")],
)
def test_a_task_that_lacks_something_says_what(
    workspace: Workspace, lacks: str, code: str
) -> None:
    fields = {"from": "ana", "to": "dev", "task_id": "t1", "type": "write"}
    del fields[lacks]
    lines = [f"<{name}>{value}</{name}>" for name, value in fields.items()]
    say(workspace, {"memory/a.md": "\n".join(["<task>", *lines, "</task>", ""])})

    assert [odd.code for odd in unreadable(workspace)] == [code]


def test_lines_of_a_file_that_were_not_understood_are_listed(
    workspace: Workspace,
) -> None:
    text = "# Handoff t1\n\n- due: soon\n\n## Log\n\n- dba: finished\n"
    say(workspace, {"memory/handoffs/t1.md": text})

    found = [(odd.task_id, odd.first_line, odd.text) for odd in unreadable(workspace)]

    assert found == [("t1", 3, "due: soon"), ("t1", 7, "dba: finished")]


def test_unrelated_waits_are_no_deadlock(workspace: Workspace) -> None:
    sent(workspace)
    sent(workspace, "decision", to="mason")
    send(workspace, Task("", "", "planner", "write", "c", "i"), by("builder"))

    assert [(wait.sender, wait.acts) for wait in unfinished(workspace).waits] == [
        ("planner", "builder"), ("planner", "person"), ("builder", "planner")
    ]  # fmt: skip
    assert deadlocks(workspace) == ()


def test_figures_tell_how_long_it_took_and_what_came_back(workspace: Workspace) -> None:
    for took in (10, 20, 40):
        handoff = done(workspace, took)
    reopen(handoff, by("planner", 50), reason="not that door")
    withdraw(sent(workspace), by("planner"))

    told = figures(workspace)

    (lead,) = told.lead_by_type
    assert (lead.name, len(lead.times), lead.median) == (
        "read_only", 2, timedelta(minutes=15)
    )  # fmt: skip
    assert [(s.name, s.sent_back, s.of) for s in told.sent_back] == [
        ("read_only", 1, 3)
    ]
    ends = [NOON + timedelta(minutes=took) for took in (10, 20)]
    assert told.done_at == tuple(int(end.timestamp()) for end in ends)
