"""Filters, orders and pages of handoffs, and what is past its time."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from memoryhub.dialects.handoff import Result
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.board import (
    Filters,
    board,
    counts,
    listing,
    names,
    wanted_handoffs,
)
from memoryhub.handoffs.queries.decisions import unsigned
from memoryhub.handoffs.services.steps import report, take
from memoryhub.journal.models import Workspace
from tests.factories import TOPIC
from tests.handoffs.pairs import NOON, by, sent
from tests.handoffs.steps import block, mark_failed
from tests.writing import say

#: Sender and recipient of most tasks.
PAIR = "planner builder"
Both = tuple[Workspace, Workspace]


def shown(workspace: Workspace, filters: Filters, **more: Any) -> list[str]:
    cards = listing([workspace], filters, NOON, **more).cards
    return [card.task_id[-2:] for card in cards]


@pytest.fixture
def five(acme: Workspace) -> Workspace:
    """Return a workspace with five handoffs, a minute apart."""
    sent(acme, PAIR, kind="write")
    sent(acme, "scout planner", minutes=1, parent="20261120-01", input="Nail")
    held = sent(acme, "planner mason", minutes=2, context="Mend the roof")
    done = sent(acme, PAIR, minutes=3)
    sent(acme, "builder operator", minutes=4, context="Which paint?")
    begun = take(done, by("builder", 5)).handoff
    report(begun, Result("", "done", "Oiled"), by("builder", 20))
    block(held, by("mason", 30), reason="no ladder")
    return acme


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        (Filters(), "05 04 03 02 01"), (Filters(sender="planner"), "04 03 01"),
        (Filters(sender="mason"), ""), (Filters(recipient="planner"), "02"),
        (Filters(agent="planner"), "04 03 02 01"),
        (Filters(agent="builder"), "05 04 01"),
        (Filters(type="write"), "01"), (Filters(state="blocked"), "03"),
        (Filters(type="write", state="blocked"), ""),
        (Filters(parent="20261120-01"), "02"), (Filters(parent="20261120-02"), ""),
        (Filters(text="-04"), "04"), (Filters(text="ROOF"), "03"),
        (Filters(text="nail"), "02"), (Filters(text="oiled"), "04"),
        (Filters(text="ladder"), "03"), (Filters(text="nowhere"), ""),
        (Filters(for_person=True), "05"), (Filters(topic_ids=()), ""),
        (Filters(without_file="MEMORY/handoffs/20261120-03.md"), "05 04 02 01"),
        (Filters(sender="planner", recipient="builder"), "04 01"),
        (Filters(agent="planner", text="door", type="read_only"), "04 02"),
    ],
)  # fmt: skip
def test_each_filter_leaves_what_it_names(
    five: Workspace, filters: Filters, found: str
) -> None:
    assert " ".join(shown(five, filters)) == found


def test_rows_are_chosen_by_their_ids(five: Workspace) -> None:
    wanted = Handoff.objects.filter(task_id__in=("20261120-02", "20261120-05"))
    ids = tuple(wanted.values_list("pk", flat=True))

    assert shown(five, Filters(ids=ids)) == ["05", "02"]


@pytest.mark.parametrize(
    ("order", "found"),
    [
        ("newest", "05 04 03 02 01"), ("oldest", "01 02 03 04 05"),
        ("moved", "03 04 05 02 01"), ("from", "05 04 03 01 02"),
        ("to", "04 01 03 05 02"), ("type", "05 04 03 02 01"),
        ("state", "03 04 05 02 01"),
    ],
)  # fmt: skip
def test_each_order_is_by_its_column_and_then_the_newest_first(
    five: Workspace, order: str, found: str
) -> None:
    assert " ".join(shown(five, Filters(), order=order)) == found


@pytest.mark.parametrize("order", ["newest", "oldest"])
def test_only_the_newest_first_has_further_pages(five: Workspace, order: str) -> None:
    page = listing([five], Filters(), NOON, limit=2, order=order)

    assert len(page.cards) == 2
    assert (page.next is not None) == (order == "newest")
    assert listing([five], Filters(), NOON, limit=5).next is None


@pytest.mark.parametrize("limit", [1, 2, 3, 4])
def test_pages_have_each_handoff_once_in_the_order_of_the_list(
    acme: Workspace, limit: int
) -> None:
    for minutes in (0, 0, 0, 1, 2, 3, 3):
        sent(acme, PAIR, minutes=minutes)
    whole = [card.pk for card in listing([acme], Filters(), NOON).cards]

    page = listing([acme], Filters(), NOON, limit=limit)
    found = [card.pk for card in page.cards]
    while page.next:
        page = listing([acme], Filters(), NOON, limit=limit, after=page.next)
        found += [card.pk for card in page.cards]

    assert (len(whole), found) == (7, whole)


def test_a_column_counts_what_it_leaves_out(five: Workspace) -> None:
    columns = board([five], Filters(), NOON, limits={"open": 1})

    told = {c.state: (c.count, len(c.cards), c.left_out) for c in columns}
    assert told == {
        "open": (3, 1, 2), "in_progress": (0, 0, 0), "blocked": (1, 1, 0),
        "done": (1, 1, 0), "failed": (0, 0, 0),
    }  # fmt: skip
    assert [card.task_id[-2:] for card in columns[0].cards] == ["05"]


def test_a_board_trusts_counts_that_are_known(five: Workspace) -> None:
    columns = board([five], Filters(), NOON, counts={"open": 3, "review": 0})

    told = {column.state: len(column.cards) for column in columns}
    assert told == {"open": 3, "in_progress": 0, "blocked": 0, "done": 0, "failed": 0}


def test_columns_of_what_runs_are_oldest_first_and_of_what_ended_newest_first(
    acme: Workspace,
) -> None:
    rows = [sent(acme, PAIR, minutes=n) for n in range(4)]
    for row, minute in zip(rows[:2], (30, 20), strict=True):
        take(row, by("builder", minute))
    for row, minute in zip(rows[2:], (50, 40), strict=True):
        mark_failed(row, by("builder", minute), reason="no wood")

    columns = {c.state: c.cards for c in board([acme], Filters(), NOON)}

    assert [card.pk for card in columns["in_progress"]] == [rows[0].pk, rows[1].pk]
    assert [card.pk for card in columns["failed"]] == [rows[2].pk, rows[3].pk]


@pytest.mark.parametrize(
    ("due", "is_late"),
    [("12:29:59", True), ("12:30:00", False), ("12:30:30", False), ("12:31:00", False)],
)
def test_it_is_overdue_from_the_minute_after_its_due_time(
    acme: Workspace, due: str, is_late: bool
) -> None:
    at = datetime.fromisoformat(f"2026-11-20T{due}+00:00")
    sent(acme, PAIR, due=at)
    now = NOON.replace(minute=30, second=59)

    found = listing([acme], Filters(overdue=True), now).cards

    assert bool(found) is is_late
    assert listing([acme], Filters(), now).cards[0].overdue is is_late


def test_only_unfinished_work_is_overdue(acme: Workspace) -> None:
    due = NOON + timedelta(minutes=1)
    failed, held = sent(acme, PAIR, due=due), sent(acme, PAIR, due=due)
    mark_failed(failed, by("builder", 9), reason="no wood")
    block(held, by("builder", 9), reason="no key")

    found = listing([acme], Filters(overdue=True), NOON + timedelta(days=1)).cards

    assert [card.pk for card in found] == [held.pk]


def test_the_usual_time_is_that_of_its_own_type(acme: Workspace) -> None:
    for number in range(5):
        row = take(sent(acme, PAIR, minutes=number), by("builder", number + 1)).handoff
        report(row, Result("", "done", "ok"), by("builder", number + 20))
    late = sent(acme, PAIR, minutes=60)
    sent(acme, PAIR, kind="write", minutes=60)

    def overdue(minutes: int) -> list[int]:
        now = NOON + timedelta(minutes=minutes)
        return [c.pk for c in listing([acme], Filters(overdue=True), now).cards]

    assert (overdue(80), overdue(81)) == ([], [late.pk])


def test_decisions_wait_for_a_sign_off_the_oldest_first(acme: Workspace) -> None:
    for minutes in (5, 1, 3):
        sent(acme, PAIR, kind="decision", minutes=minutes)
    sent(acme, "planner operator")
    sent(acme, PAIR)

    found = unsigned(acme, Filters(), NOON)

    assert [row.task_id[-2:] for row in found] == ["02", "03", "01"]
    assert unsigned(acme, Filters(sender="nobody"), NOON) == ()


COUNTED = {
    "types": {"read_only": 3, "write": 1, "decision": 1},
    "states": {"open": 4, "blocked": 1}, "for_person": 2, "overdue": 2,
}  # fmt: skip


@pytest.mark.parametrize(
    ("filters", "changed"),
    [
        (Filters(), {}),
        (Filters(type="read_only"),
         {"states": {"open": 2, "blocked": 1}, "for_person": 1, "overdue": 1}),
        (Filters(type="write"),
         {"states": {"open": 1}, "for_person": 0, "overdue": 1}),
        (Filters(for_person=True),
         {"types": {"read_only": 1, "write": 0, "decision": 1},
          "states": {"open": 2, "blocked": 0}, "overdue": 1}),
        (Filters(overdue=True),
         {"types": {"read_only": 1, "write": 1, "decision": 0},
          "states": {"open": 2, "blocked": 0}, "for_person": 1}),
        (Filters(for_person=True, overdue=True),
         {"types": {"read_only": 1, "write": 0, "decision": 0},
          "states": {"open": 1, "blocked": 0}, "for_person": 1, "overdue": 1}),
        (Filters(sender="scout"), {"types": {}, "states": {}, "for_person": 0,
                                   "overdue": 0}),
    ],
)  # fmt: skip
def test_chips_count_what_each_leaves_of_the_other_filters(
    acme: Workspace, filters: Filters, changed: dict[str, Any]
) -> None:
    past = NOON - timedelta(hours=1)
    sent(acme, "planner operator", due=past)
    sent(acme, PAIR, kind="write", due=past)
    sent(acme, PAIR, kind="decision")
    sent(acme, PAIR)
    block(sent(acme, PAIR), by("builder", 1), reason="no key")

    found = counts(acme, filters, NOON)

    told = {name: getattr(found, name) for name in COUNTED}
    assert told == COUNTED | changed


def test_names_are_those_of_the_side_in_their_order(both: Both) -> None:
    shop, mill = both
    for name in ("bread", "apples"):
        say(shop, {f"memory/context-{name}.md": TOPIC.replace("api", name)})
    sent(shop, "baker mill/miller", topic="bread")
    sent(shop, "cook baker", topic="bread"), sent(shop, "cook baker", topic="apples")

    here, there = names(shop), names(mill)

    assert here.agents == ("baker", "cook", "mill/miller")
    assert [name for _, name in here.topics] == ["apples", "bread"]
    assert (there.agents, there.topics) == (("miller", "shop/baker"), ())


def test_a_topic_is_asked_for_by_its_name_in_addresses(both: Both) -> None:
    shop, _ = both
    for name in ("bread", "apples"):
        say(shop, {f"memory/context-{name}.md": TOPIC.replace("api", name)})
    sent(shop, "baker mill/miller", topic="bread")
    sent(shop, "cook baker", topic="bread"), sent(shop, "cook baker", topic="apples")
    sent(shop, "cook baker")

    def found(name: str, **more: Any) -> int:
        return len(shown(shop, wanted_handoffs(shop, topic=name, **more)))

    assert [found(name) for name in ("bread", "apples", "milk", "")] == [2, 1, 0, 4]
    assert (found("bread", agent="cook"), found("", sender="cook")) == (1, 3)


@pytest.mark.parametrize(
    ("filters", "here", "there"),
    [
        (Filters(sender="baker"), 2, 0), (Filters(sender="shop/baker"), 1, 1),
        (Filters(recipient="mill/miller"), 1, 0), (Filters(recipient="miller"), 0, 1),
        (Filters(parent="20261120-01"), 1, 0),
        (Filters(parent="shop/20261120-01"), 0, 1),
        (Filters(agent="mill/miller"), 1, 0),
    ],
)  # fmt: skip
def test_filters_have_the_names_of_the_workspace_that_asks(
    both: Both, filters: Filters, here: int, there: int
) -> None:
    shop, mill = both
    sent(shop, "baker cook")
    sent(shop, "baker mill/miller", parent="20261120-01")

    assert (len(shown(shop, filters)), len(shown(mill, filters))) == (here, there)


def test_parts_of_a_task_elsewhere_are_found_by_the_name_that_it_has_here(
    both: Both,
) -> None:
    shop, mill = both
    whole = sent(mill, "boss miller")
    sent(shop, "baker mill/miller", parent=f"mill/{whole.task_id}")
    sent(shop, "baker cook", parent=f"mill/{whole.task_id}")

    found = shown(shop, Filters(parent=f"mill/{whole.task_id}"))

    assert (len(found), shown(mill, Filters(parent=whole.task_id))) == (2, ["02"])
    assert shown(shop, Filters(parent=f"oven/{whole.task_id}")) == []


def test_since_counts_what_was_sent_and_what_moved(five: Workspace) -> None:
    assert shown(five, Filters(since=NOON + timedelta(minutes=15))) == ["04", "03"]
    assert shown(five, Filters(since=NOON - timedelta(minutes=1))) == [
        "05", "04", "03", "02", "01"
    ]  # fmt: skip
    assert shown(five, Filters(since=NOON + timedelta(hours=9))) == []
