"""What a task waits for: others by name, parts, lanes; and the work that is open."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memoryhub.dialects.handoff import Result, Task, render_task
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.board import Filters, held_up, ready
from memoryhub.handoffs.queries.lane import states_named, tasks_named, turns, unfinished
from memoryhub.handoffs.queries.waiting import deadlock_with, deadlocked, deadlocks
from memoryhub.handoffs.rules.acting import Lane, NotAllowed
from memoryhub.handoffs.services.steps import hand_off_again, report, take
from memoryhub.journal.models import Workspace
from tests.handoffs.pairs import NOON, at, by, sent
from tests.handoffs.steps import block, mark_failed, put_back, revise, sign_off
from tests.writing import say

Both = tuple[Workspace, Workspace]


def done(handoff: Handoff, actor: str) -> Handoff:
    taken = take(handoff, by(actor, 1)).handoff
    return report(taken, Result("", "done", "Mended"), by(actor, 2)).done.handoff


def numbers(rows: Any) -> list[str]:
    return [row.task_id[-2:] for row in rows]


def test_open_work_has_what_runs_waits_and_was_begun_unsigned(acme: Workspace) -> None:
    reads = [sent(acme, minutes=n) for n in range(3)]
    for row, minute in ((reads[0], 9), (reads[2], 8)):
        take(row, by("bob", minute))
    sent(acme, "ann cid", "decision", minutes=3)
    path = "memory/handoffs/20261120-05.md"
    task = render_task(Task("20261120-05", "ann", "cid", "decision", "c", "i"))
    say(acme, {path: f"{task}\n## Log\n\n- 2026-11-20T12:04:00Z cid: taken\n"})
    signed = sign_off(sent(acme, "ann cid", "decision", minutes=6), by("you", 7))
    take(signed.handoff, by("cid", 8))
    sent(acme, kind="write", minutes=9)

    found = unfinished(acme)

    assert numbers(found.reads) == ["01", "03"]
    assert numbers(found.unsigned) == ["05"]
    assert numbers(found.rows) == ["01", "02", "03", "04", "05", "06", "07"]
    assert numbers(found.lane.order) == ["07"]
    waits = [(row.task_id[-2:], row.sender, row.acts) for row in found.waits]
    assert waits[3:6] == [
        ("04", "ann", "person"), ("05", "ann", "person"), ("06", "ann", "cid")
    ]  # fmt: skip


def test_reads_that_began_at_once_are_the_last_sent_first(acme: Workspace) -> None:
    for row in [sent(acme, minutes=n) for n in range(3)]:
        take(row, by("bob", 9))

    assert numbers(unfinished(acme).reads) == ["03", "02", "01"]


def test_a_read_that_runs_elsewhere_is_not_among_those_here(both: Both) -> None:
    shop, mill = both
    take(sent(shop, "baker mill/miller"), by("mill/miller", 1))

    assert (unfinished(shop).reads, numbers(unfinished(mill).reads)) == ((), ["01"])
    assert [(row.sender, row.acts) for row in unfinished(shop).waits] == [
        ("baker", "mill/miller")
    ]


def test_nobody_waits_for_itself_to_accept(acme: Workspace) -> None:
    for review in ("sender", "cid", "person"):
        done(sent(acme, review=review), "bob")

    assert [row.acts for row in unfinished(acme).waits] == ["cid", "person"]


@pytest.mark.parametrize(
    ("writes", "order"),
    [
        ([{}, {}, {}], ["01"]),
        ([{"paths": "src"}, {}, {}], ["01", "02", "03"]),
        ([{"repository": "web"}, {}, {}], ["01", "02", "03"]),
        ([{}, {}, {"priority": "high"}], ["03", "01", "02"]),
    ],
)
def test_of_one_lane_only_the_writes_that_decide_are_read(
    acme: Workspace, writes: list[dict[str, Any]], order: list[str]
) -> None:
    rows = [sent(acme, kind="write", **fields) for fields in writes]

    assert numbers(turns(acme).order) == order
    own = numbers(turns(acme, rows[1].pk).order)
    assert own == (order if len(order) > 1 else ["01", "02"])


def test_the_lane_has_what_runs_before_what_is_next(acme: Workspace) -> None:
    rows = [sent(acme, kind="write", minutes=n) for n in range(4)]
    take(rows[0], by("bob", 5))
    block(rows[1], by("bob", 6), reason="no key")

    lane = turns(acme, rows[3].pk)

    assert [numbers(part) for part in (lane.order, lane.now, lane.next)] == [
        ["01", "03", "04"], ["01"], ["03", "04"]
    ]  # fmt: skip


def test_a_write_that_comes_after_others_knows_their_states(acme: Workspace) -> None:
    first = sent(acme)
    last = sent(acme, "ann cid", "write", after=first.task_id)

    assert turns(acme, last.pk).states == {first.task_id: "open"}
    assert unfinished(acme).lane.unmet(last) == (first.task_id,)
    done(first, "bob")
    assert turns(acme, last.pk).states == {first.task_id: "done"}
    assert unfinished(acme).lane.unmet(last) == ()


def test_of_two_tasks_of_one_name_both_have_to_be_done(acme: Workspace) -> None:
    task = render_task(Task("t1", "ann", "bob", "read_only", "c", "i"))
    say(acme, {"memory/a.md": task, "memory/b.md": task})
    first, second = Handoff.objects.filter(task_id="t1")
    done(first, "bob")
    second = take(second, by("bob", 4)).handoff
    assert states_named(acme, ["t1, t9"]) == {"t1": "in_progress"}

    report(second, Result("", "done", "x"), by("bob", 9))

    assert states_named(acme, ["t1", "t1, t9"]) == {"t1": "done"}
    assert states_named(acme, []) == {}


def test_tasks_of_others_are_named_by_their_workspace(both: Both) -> None:
    shop, mill = both
    own, there = sent(shop), sent(mill, "cid dan")
    names = [own.task_id, "mill/" + there.task_id, "mill/x", "mill", "oven/1", ""]

    found = tasks_named(shop, names)

    assert {name: numbers(rows) for name, rows in found.items()} == {
        own.task_id: ["01"], f"mill/{there.task_id}": ["01"]
    }  # fmt: skip
    assert found[f"mill/{there.task_id}"][0].sender == "cid"
    assert tasks_named(shop, names, bound=True).keys() == {own.task_id}
    assert tasks_named(shop, []) == {}


@pytest.mark.parametrize("to", ["cid", "mill/miller"])
def test_names_are_those_that_the_workspace_that_works_has_for_them(
    both: Both, to: str
) -> None:
    shop, mill = both
    first, there = sent(shop), sent(mill, "dan eve")
    names = f"{first.task_id}, mill/{there.task_id}"

    sent(shop, f"ann {to}", after=names, parent=first.task_id)

    row = Handoff.objects.exclude(after="").get()
    own = "" if to == "cid" else "shop/"
    other = "mill/" if to == "cid" else ""
    assert row.after == f"{own}{first.task_id}, {other}{there.task_id}"
    assert row.parent == f"{own}{first.task_id}"


def test_what_is_ready_is_the_first_of_what_can_be_taken(acme: Workspace) -> None:
    for minutes in (4, 0, 2):
        sent(acme, minutes=minutes)

    rows = ready(acme, Filters(), turns(acme), NOON, limit=2)

    assert numbers(rows) == ["02", "03"]


def test_a_write_outside_of_the_lane_that_was_read_is_held_up_by_it(
    acme: Workspace,
) -> None:
    rows = [sent(acme, kind="write", minutes=n) for n in range(3)]

    def why(row: Handoff) -> NotAllowed | None:
        return held_up(Handoff.objects.get(pk=row.pk), turns(acme))

    assert why(rows[0]) is None
    refused = why(rows[2])
    assert refused and refused.parameters == {
        "task_id": rows[2].task_id, "first": rows[0].task_id
    }  # fmt: skip


def test_a_write_that_a_lane_lacks_is_judged_by_the_states_that_it_knows(
    acme: Workspace,
) -> None:
    first = sent(acme)
    row = sent(acme, kind="write", after=first.task_id)

    assert held_up(row, Lane(states={first.task_id: "done"})) is None
    refused = held_up(row, Lane(states={first.task_id: "open"}))
    assert refused and refused.parameters["state"] == "open"


def test_the_last_handoff_of_a_chain_has_the_work(acme: Workspace) -> None:
    first = sent(acme)
    heirs = [first]
    for minute, to in enumerate(("cid", "dan"), 3):
        heirs.append(hand_off_again(heirs[-1], by("ann", minute), recipient=to).handoff)
    other = sent(acme, "ann eve", after=first.task_id, minutes=9)

    found = unfinished(acme)

    assert found.named == {first.task_id: (heirs[-1].pk,)}
    assert found.states == {first.task_id: "open"}
    with pytest.raises(NotAllowed) as refused:
        hand_off_again(first, by("ann", 10))
    assert refused.value.parameters == {
        "task_id": first.task_id, "other": heirs[-1].task_id
    }  # fmt: skip
    assert other.after == first.task_id


def circle(acme: Workspace, *agents: str) -> list[Handoff]:
    """Return reads, each after the one before, and the first after the last."""
    rows: list[Handoff] = []
    for minute, agent in enumerate(agents):
        after = rows[-1].task_id if rows else ""
        rows.append(sent(acme, f"ann {agent}", after=after, minutes=minute))
    revise(rows[0], by("ann", 30), after=rows[-1].task_id)
    return [Handoff.objects.get(pk=row.pk) for row in rows]


def test_a_circle_is_told_from_each_of_its_tasks_and_of_none_else(
    acme: Workspace,
) -> None:
    rows = circle(acme, "bob", "cid", "dan")
    behind = sent(acme, "ann eve", after=rows[0].task_id, minutes=40)
    sent(acme, minutes=41)
    names = tuple(row.task_id for row in rows)

    found = deadlocked(acme)

    assert [(d.handoff.pk, d.since) for d in found] == [
        (row.pk, at(30)) for row in rows
    ]
    assert [d.deadlock.tasks for d in found] == [
        (names[0], names[2], names[1]), (names[1], names[0], names[2]),
        (names[2], names[1], names[0]),
    ]  # fmt: skip
    assert found[1].deadlock.agents == ("cid", "bob", "dan")
    told = {row.pk: deadlock_with(row) for row in (*rows, behind)}
    assert told[behind.pk] is None
    assert {d and d.tasks for d in told.values()} == {
        None, (names[0], names[2], names[1])
    }  # fmt: skip
    assert len(deadlocks(acme)) == 1


def test_of_two_circles_the_shorter_is_told(acme: Workspace) -> None:
    rows = circle(acme, "bob", "cid", "dan")
    both = f"{rows[1].task_id}, {rows[2].task_id}"
    revise(rows[0], by("ann", 40), after=both)

    told = deadlock_with(Handoff.objects.get(pk=rows[0].pk))

    assert told and told.tasks == (rows[0].task_id, rows[1].task_id)
    assert told.agents == ("bob", "cid")


@pytest.mark.parametrize("end", ["done", "failed", "begun", "revised"])
def test_a_circle_ends_with_the_wait_of_one_task(acme: Workspace, end: str) -> None:
    first, last = circle(acme, "bob", "cid")
    if end == "failed":
        mark_failed(first, by("bob", 40), reason="no wood")
    elif end == "revised":
        revise(first, by("ann", 40), after="")
    else:
        verb = "taken" if end == "begun" else "done"
        path = first.file.path
        text = Path(acme.root, path).read_text()
        say(acme, {path: f"{text}- 2026-11-20T12:40:00Z bob: {verb}\n"})

    assert deadlocks(acme) == () and deadlocked(acme) == ()
    assert deadlock_with(Handoff.objects.get(pk=last.pk)) is None


def test_a_circle_names_who_holds_each_task(acme: Workspace) -> None:
    whole = take(sent(acme, "ann any", "write"), by("cid", 1)).handoff
    sent(acme, "ann dan", "write", parent=whole.task_id)

    assert [found.agents for found in deadlocks(acme)] == [("cid", "dan")]


def test_a_part_that_the_holder_of_the_whole_can_do_waits_for_nobody(
    acme: Workspace,
) -> None:
    whole = take(sent(acme), by("bob", 1)).handoff
    sent(acme, kind="write", parent=whole.task_id)

    assert deadlocks(acme) == ()


def test_a_circle_names_a_person_by_the_word_for_it(acme: Workspace) -> None:
    circle(acme, "You", "cid")

    assert [found.agents for found in deadlocks(acme)] == [("You", "cid")]


def test_a_circle_of_two_workspaces_names_each_from_where_it_is_seen(
    both: Both,
) -> None:
    shop, mill = both
    first = sent(shop, "ann bob")
    sent(shop, "ann mill/eve", after=first.task_id, minutes=3)
    there = f"mill/{Handoff.objects.get(workspace=mill).task_id}"
    revise(first, by("ann", 9), after=there)

    (here,), (found,) = deadlocked(shop), deadlocks(shop)

    assert here.handoff.pk == first.pk and here.since == at(9)
    assert found.tasks == here.deadlock.tasks == (first.task_id, there)
    assert found.agents == ("bob", "mill/eve")


def test_a_copy_that_is_gone_hides_no_circle_through_work_handed_off_again(
    acme: Workspace,
) -> None:
    first = sent(acme)
    last = sent(acme, "ann cid", after=first.task_id, minutes=1)
    heir = hand_off_again(first, by("ann", 3), recipient="dan").handoff
    revise(heir, by("ann", 4), after=last.task_id)
    copied = Task(first.task_id, "ann", "bob", "read_only", "c", "i", after="t9")
    for text in (render_task(copied), None):
        say(acme, {"memory/copy.md": text})

    assert {one.handoff.pk for one in deadlocked(acme)} == {last.pk, heir.pk}


def test_what_is_put_back_waits_again(acme: Workspace) -> None:
    first = sent(acme)
    second = sent(acme, "ann cid", after=first.task_id, parent=first.task_id)
    assert deadlock_with(second) and deadlock_with(first)

    take(first, by("bob", 5))
    assert deadlocks(acme)
    put_back(first, by("bob", 6))

    assert deadlocks(acme) == (deadlock_with(second),)
