"""Lookups of handoffs: by id, by side, by decision; tasks of others; past overlaps."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from memoryhub.dialects.handoff import Task, render_task
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.decisions import citing, sign_offs
from memoryhub.handoffs.queries.foreign import foreign_tasks
from memoryhub.handoffs.queries.ids import (
    handoffs_named,
    is_used,
    last_number,
    past_handoff,
)
from memoryhub.handoffs.queries.lane import past_overlaps
from memoryhub.handoffs.queries.sides import (
    called,
    handoffs_of,
    home_ids,
    last_seq_at,
    moments_there,
    seen_from,
)
from memoryhub.handoffs.services.steps import take
from memoryhub.journal.models import Revision, Workspace
from memoryhub.workspaces.services.removal import begin_removal
from tests.factories import TOPIC
from tests.handoffs.pairs import at, by, sent
from tests.handoffs.sides import of
from tests.handoffs.steps import sign_off, withdraw
from tests.writing import say

Both = tuple[Workspace, Workspace]


def block(task_id: str) -> str:
    return render_task(Task(task_id, "ann", "bob", "read_only", "c", "i"))


@pytest.mark.parametrize(
    ("ids", "number"),
    [
        ([], 0), (["20261120-07", "20261120-12", "20261120-9"], 12),
        (["20261120-2", "20261121-8", "20261119-9", "20261120"], 2),
        (["20261120-x", "20261120-3b", "20261120-03"], 3), (["20261120-x"], 0),
        (["20261120-123456", "20261120-1234567"], 123456),
        (["20261120-100", "20261120-99"], 100), (["20261120-٣٣", "20261120-4"], 4),
        ([f"20261120-{n:05}x" for n in range(55)] + ["20261120-6"], 6),
    ],
)  # fmt: skip
def test_the_last_number_of_a_day_is_its_highest(
    acme: Workspace, ids: list[str], number: int
) -> None:
    say(acme, {"memory/all.md": "\n".join(map(block, ids))})

    assert last_number([acme], "20261120") == number


def test_numbers_of_steps_without_a_task_and_of_work_elsewhere_count(
    both: Both,
) -> None:
    shop, mill = both
    result = "<r>\n<task_id>20261120-07</task_id>\n<status>done</status>\n</r>\n"
    say(shop, {"memory/r.md": result})
    assert [last_number([w], "20261120") for w in both] == [7, 0]
    sent(shop, "ann mill/bob")

    assert [last_number([w], "20261120") for w in both] == [8, 8]
    sent(mill, task_id="20261120-30")
    assert [last_number(ws, "20261120") for ws in ([shop], [mill], [shop, mill])] == [
        8, 30, 30
    ]  # fmt: skip


def test_an_id_is_used_by_tasks_steps_and_what_was_sent_elsewhere(both: Both) -> None:
    shop, mill = both
    for number, task_id in ((1, "7"), (2, "t7")):
        result = f"<r>\n<task_id>{task_id}-r</task_id>\n<status>done</status>\n</r>\n"
        say(shop, {f"memory/{number}.md": f"{block(task_id)}\n{result}"})
        sent(shop, "ann mill/bob", task_id=f"{task_id}-9")
    names = ("7", "7-r", "7-9", "8", "t7", "T7", "T7-R", "T7-9", "t8")

    assert [is_used(shop, name) for name in names] == [
        True, True, True, False, True, True, True, True, False
    ]  # fmt: skip
    assert [name for name in names if is_used(mill, name)] == ["7-9", "T7-9"]
    say(shop, {"memory/1.md": None})
    assert is_used(shop, "7") and is_used(shop, "7-r")


def test_handoffs_are_found_by_id_else_by_code(both: Both) -> None:
    shop, mill = both
    say(shop, {f"memory/{name}.md": block("t1") for name in "ab"})
    there = sent(shop, "ann mill/bob")
    first, second = Handoff.objects.filter(task_id="t1").order_by("file__path")
    odd = sent(shop, task_id=first.code)

    assert handoffs_named(shop, "t1") == [first, second]
    assert handoffs_named(shop, second.code) == [second]
    assert handoffs_named(shop, first.code) == [odd]
    assert [row.away for row in handoffs_named(shop, there.code)] == [True]
    assert handoffs_named(mill, there.task_id) == [there]
    assert handoffs_named(mill, "t1") == handoffs_named(mill, second.code) == []
    assert handoffs_named(shop, "none") == []


def test_a_past_handoff_is_found_by_its_code_from_both_sides(both: Both) -> None:
    shop, mill = both
    own, there = sent(shop), sent(shop, "ann mill/bob")
    assert past_handoff(shop, own.code) is None
    say(shop, {own.file.path: None}), say(mill, {there.file.path: None})

    def found(workspace: Workspace) -> list[int | None]:
        rows = [past_handoff(workspace, row.code) for row in (own, there)]
        return [row.pk if row else None for row in rows]

    assert (found(shop), found(mill)) == ([own.pk, there.pk], [None, there.pk])
    assert past_handoff(shop, "none") is None


@pytest.mark.parametrize(
    ("name", "told"),
    [("bob", "mill/bob"), ("shop/ann", "ann"), ("oven/eve", "oven/eve")],
)
def test_an_agent_is_called_by_its_workspace_elsewhere(name: str, told: str) -> None:
    assert called(name, "mill", "shop") == told


def test_a_row_has_the_names_and_the_topic_of_the_side_that_looks(both: Both) -> None:
    shop, mill = both
    say(shop, {"memory/context-bread.md": TOPIC.replace("api", "bread")})
    first = sent(shop, "ann mill/bob", "decision", topic="bread")
    sign_off(of(mill), by("dana", 1))
    take(of(mill), by("bob", 2))

    (row,) = seen_from([shop], handoffs_of(shop))
    (there,) = seen_from([mill], handoffs_of(mill).select_related("topic"))
    (whole,) = seen_from(both, handoffs_of(*both))

    assert (row.sender, row.recipient, row.acts) == ("ann", "mill/bob", "mill/bob")
    assert (row.taken_by, row.signed_by) == ("mill/bob", "mill/dana")
    assert row.topic and row.topic.name == "bread" and row.workspace == mill
    assert (row.viewer, there.viewer, whole.viewer) == (shop, None, None)
    assert (there.sender, there.topic, whole.sender) == ("shop/ann", None, "shop/ann")
    assert first.pk == row.pk


def test_what_waits_for_a_person_elsewhere_waits_for_a_person_here_too(
    both: Both,
) -> None:
    sent(both[0], "ann mill/you", "write")

    (row,) = seen_from([both[0]], handoffs_of(both[0]))

    assert (row.acts, row.recipient, row.in_lane) == ("person", "mill/you", False)


def test_the_homes_of_what_was_sent_are_those_that_have_its_files(both: Both) -> None:
    shop, mill = both
    assert home_ids(shop) == (shop.pk,)
    there = sent(shop, "ann mill/bob")
    assert (home_ids(shop), home_ids(mill)) == ((shop.pk, mill.pk), (mill.pk,))

    say(mill, {there.file.path: None})
    assert home_ids(shop) == (shop.pk,)


def test_a_moment_here_is_the_last_one_before_it_there(both: Both) -> None:
    shop, mill = both
    for minutes, workspace in enumerate((shop, mill, shop, mill, shop)):
        sent(workspace, minutes=minutes)
    seqs = list(Revision.objects.filter(workspace=shop).values_list("seq", flat=True))
    there = list(Revision.objects.filter(workspace=mill).values_list("seq", flat=True))

    found = moments_there(shop, [mill.pk], [0, *sorted(seqs)])

    first, last = sorted(there)
    assert [found[mill.pk, seq] for seq in sorted(seqs)] == [0, first, last]
    assert found[mill.pk, 0] == 0 and len(found) == 4
    assert moments_there(shop, [], seqs) == {}


@pytest.mark.parametrize(("minutes", "number"), [(-1, 0), (0, 1), (5, 1), (10, 2)])
def test_a_journal_had_what_was_recorded_by_then(
    acme: Workspace, minutes: int, number: int
) -> None:
    sent(acme), sent(acme, minutes=10)
    seqs = [0, *Revision.objects.order_by("seq").values_list("seq", flat=True)]

    assert last_seq_at(acme.pk, at(minutes)) == seqs[number]


def test_a_time_out_of_the_calendar_is_before_or_after_everything(
    acme: Workspace,
) -> None:
    sent(acme)
    (seq,) = Revision.objects.values_list("seq", flat=True)
    west, east = (timezone(timedelta(hours=hours)) for hours in (-9, 9))

    assert last_seq_at(acme.pk, datetime.max.replace(tzinfo=west)) == seq
    assert last_seq_at(acme.pk, datetime.min.replace(tzinfo=east)) == 0


def test_the_last_given_sign_off_of_a_decision_counts_before_a_pending_one(
    both: Both,
) -> None:
    shop, mill = both
    first = sent(shop, kind="decision", context="Use events")
    decision = first.decision_id
    assert decision

    def told() -> tuple[Any, ...]:
        known = sign_offs(shop.pk, {decision: "Use events"})[decision]
        return tuple(known.values())[1:]

    second = sent(shop, "ann mill/bob", "decision", minutes=1, context="Use events")
    assert told()[1:] == ("", None)
    sign_off(of(mill), by("dana", 5))
    sent(shop, kind="decision", minutes=9, context="Use events")
    assert told() == (second.task_id, "mill/dana", at(5))
    sign_off(first, by("you", 6))
    assert told() == (second.task_id, "mill/dana", at(5))
    say(mill, {second.file.path: None})
    assert told()[1] == "mill/dana"


def test_a_request_to_sign_ends_with_its_handoff(acme: Workspace) -> None:
    row = sent(acme, kind="decision", context="Use events")
    assert row.decision_id
    asked = {row.decision_id: "Use events"}
    pending = sign_offs(acme.pk, asked)[row.decision_id]
    assert [*pending.values()] == [row.pk, row.task_id, "", None]

    withdraw(row, by("ann", 1))

    assert sign_offs(acme.pk, asked) == sign_offs(acme.pk, {}) == {}


@pytest.mark.parametrize(
    "part", ["context", "input", "expected_output", "constraints", "last_reason"]
)
def test_every_text_of_a_handoff_can_cite_a_decision(
    acme: Workspace, part: str
) -> None:
    if part == "last_reason":
        withdraw(sent(acme), by("ann", 1))
        Handoff.objects.update(last_reason="So: use EVENTS only")
    else:
        texts: dict[str, Any] = {part: "So: use EVENTS only"}
        sent(acme, **texts)
    sent(acme)

    assert len(citing(acme, "Use events", [])) == 1
    assert len(citing(acme, "only\n\nx", [])) == 0


def test_at_most_twenty_of_those_that_cite_are_shown_the_newest_first(
    acme: Workspace,
) -> None:
    files: dict[str, str | bytes | None] = {
        f"memory/n{n}.md": block(f"t{n}").replace("<context>c", "<context>Use events")
        for n in range(22)
    }
    say(acme, files)
    newest = sent(acme, context="Use events", minutes=60 * 24 * 9000)

    found = citing(acme, "Use events", [])

    assert (len(found), found[0].pk) == (20, newest.pk)
    ids = [row.pk for row in found[1:]]
    assert ids == sorted(ids, reverse=True)


def test_tasks_of_others_have_their_owner_place_and_time(acme: Workspace) -> None:
    def issue(key: str, day: int, status: str = "open", **more: str) -> str:
        made = f"2026-11-{day:02}T08:00:00Z"
        held = {"id": key, "title": f"Do {key}", "status": status, "created_at": made}
        return json.dumps(held | more) + "\n"

    text = issue("q-1", 1, assignee="otter") + issue("q-2", 3) + issue("q-3", 2)
    path = ".beads/issues.jsonl"
    say(acme, {"IDENTITY.md": "- **Name:** Grebe\n"})
    say(acme, {path: text + issue("q-4", 4, "in_progress") + issue("q-5", 5, "closed"),
               ".claude/tasks/quay/3.json": json.dumps(
                   {"id": "3", "subject": "Paint", "status": "pending"})})  # fmt: skip

    found = foreign_tasks(acme)

    beads = [one for one in found["open"] if one.path == path]
    assert [(one.text, one.agent, one.line) for one in beads] == [
        ("q-2 Do q-2", "", 2), ("q-3 Do q-3", "", 3), ("q-1 Do q-1", "otter", 1)
    ]  # fmt: skip
    assert beads[0].at == datetime(2026, 11, 3, 8, tzinfo=UTC)
    assert {state: len(tasks) for state, tasks in found.items()} == {
        "open": 4, "in_progress": 1, "done": 1
    }  # fmt: skip
    assert {one.state for one in found["done"]} == {"done"}
    assert len({one.source for one in found["open"]}) == 2
    say(acme, {path: None})
    acme.refresh_from_db()
    assert [one.path for one in foreign_tasks(acme)["open"]] == [
        ".claude/tasks/quay/3.json"
    ]


def log_of(name: str, *steps: tuple[int, str]) -> dict[str, str | bytes | None]:
    task = render_task(Task(name, "ann", "dev", "write", "c", "i"))
    lines = [f"- {at(minute):%Y-%m-%dT%H:%M:%SZ} dev: {verb}" for minute, verb in steps]
    return {
        f"memory/handoffs/{name}.md": f"{task}\n## Log\n\n" + "\n".join(lines) + "\n"
    }


def test_the_last_three_overlaps_are_told_the_newest_first(acme: Workspace) -> None:
    begun = [(n * 100, "taken") for n in range(5)]
    ended = [(n * 100 + 50, "put back") for n in range(5)]
    other = [(n * 100 + 10, "taken") for n in range(5)]
    over = [(n * 100 + 20, "blocked") for n in range(5)]
    say(acme, log_of("t1", *sorted([*begun, *ended]))
        | log_of("t2", *sorted([*other, *over])))  # fmt: skip

    found = past_overlaps(acme, at(600))

    assert found == tuple(
        (at(n * 100 + 10), at(n * 100 + 20), ("t1", "t2")) for n in (4, 3, 2)
    )


def test_an_overlap_lasts_from_its_second_write_to_its_last_but_one(
    acme: Workspace,
) -> None:
    say(acme, log_of("t1", (0, "taken"), (30, "done"))
        | log_of("t2", (10, "taken"), (12, "said -- hello"), (20, "failed"))
        | log_of("t3", (15, "taken"), (40, "withdrawn"))
        | log_of("t4", (41, "taken"), (50, "done")))  # fmt: skip

    assert past_overlaps(acme, at(60)) == ((at(10), at(30), ("t1", "t2", "t3")),)
    assert past_overlaps(acme, at(20) + timedelta(days=3))
    assert past_overlaps(acme, at(31) + timedelta(days=3)) == ()


def test_what_a_removed_workspace_did_is_not_seen(both: Both) -> None:
    shop, mill = both
    sent(shop, "ann mill/bob")
    begin_removal(mill)

    assert not handoffs_of(shop).exists()
