"""Each refusal of the rules: its code, and whom and what it names."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.rules.acting import (
    Actor,
    Lane,
    NotAllowed,
    check,
    depends_on_lane,
    hindrance,
    lane_of,
    person_of,
)
from memoryhub.handoffs.rules.fields import standing
from memoryhub.values.identity import code_of
from tests.handoffs.test_rules import row as handoff

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
LEAD = Actor("lead", coordinates=True)
ANN = Actor("ann", coordinates=True, person=True)
POOL = handoff(recipient="role:mason")
DECISION = handoff("decision")


def write(number: int, state: str = "open", **fields: Any) -> Handoff:
    """Return a write with this id, sent so many minutes after noon."""
    told = {"task_id": f"w{number}", "recipient": "dev", "type": "write"} | fields
    at = NOON.replace(minute=number)
    row: dict[str, Any] = {"id": number, "occurred_at": at, "first_seq": 1}
    return Handoff(**row | {"position": 0, "state": state} | told)


def refused(verb: str, row: Handoff, actor: Actor, lane: Lane | None = None) -> Any:
    """Return the code and the parameters of a refusal; None where it is allowed."""
    try:
        check(verb, row, actor, lane or Lane(), 1)
    except NotAllowed as told:
        return told.code, told.parameters
    return None


@pytest.mark.parametrize(
    ("verb", "row", "actor", "code", "named"),
    [
        ("signed off", DECISION, LEAD, "sign-off-needs-person", {"actor": "lead"}),
        ("accepted", handoff(state="review", review="person"), LEAD,
         "review-needs-person", {"actor": "lead"}),
        ("signed off", DECISION, ANN._replace(signers=("shop/bo", "cy")),
         "sign-off-not-yours", {"who": "bo, cy", "actor": "ann"}),
        ("overridden", handoff("write"), Actor("dev"),
         "handoff-needs-coordinator", {"actor": "dev"}),
        ("sent back", DECISION, Actor("dev"),
         "handoff-needs-coordinator", {"actor": "dev"}),
        ("reopened", handoff("decision", state="done"), Actor("ana"),
         "handoff-needs-coordinator", {"actor": "ana"}),
        ("accepted", handoff(state="review", review="coordinator"), Actor("ana"),
         "handoff-needs-coordinator", {"actor": "ana"}),
        ("done", handoff(state="in_progress", taken_by="eve"), Actor("zoe"),
         "handoff-not-yours", {"who": "dev / eve", "actor": "zoe"}),
        ("done", handoff(state="in_progress"), Actor("zoe"),
         "handoff-not-yours", {"who": "dev", "actor": "zoe"}),
        ("handed off again", handoff(), Actor("zoe"),
         "handoff-not-yours", {"who": "ana / dev", "actor": "zoe"}),
        ("reopened", handoff(state="review", review="sender"), Actor("dev"),
         "handoff-not-yours", {"who": "ana", "actor": "dev"}),
        ("signed off", handoff("write"), ANN, "handoff-type-other",
         {"task_id": "7", "type": "write", "verb": "signed off"}),
        ("overridden", handoff(), LEAD, "handoff-type-other",
         {"task_id": "7", "type": "read_only", "verb": "overridden"}),
        ("signed off", handoff("decision", signed_by="bo", signed_at=NOON), ANN,
         "handoff-signed",
         {"task_id": "7", "actor": "bo", "at": "2026-11-20T12:00+00:00"}),
        ("signed off", handoff("decision", signed_by="bo"), ANN,
         "handoff-signed", {"task_id": "7", "actor": "bo", "at": ""}),
        ("taken", handoff(state="withdrawn", last_actor="ana"), LEAD,
         "handoff-withdrawn", {"task_id": "7", "actor": "ana"}),
        ("taken", handoff(state="failed"), LEAD,
         "handoff-over", {"task_id": "7", "state": "failed"}),
        ("done", handoff("write", "blocked"), LEAD, "handoff-not-taken",
         {"task_id": "7", "state": "blocked", "verb": "done"}),
        ("done", handoff("write", "returned"), LEAD, "handoff-state",
         {"task_id": "7", "state": "returned", "verb": "done"}),
        ("taken", handoff(problem="not-closed"), LEAD,
         "handoff-broken", {"problems": "not-closed"}),
        ("taken", handoff(after="8, 9"), LEAD, "handoff-after",
         {"task_id": "7", "first": "8", "state": "unknown"}),
        ("done", handoff(after="8"), LEAD, "handoff-after",
         {"task_id": "7", "first": "8", "state": "unknown"}),
        ("taken", DECISION, LEAD, "handoff-not-signed", {"task_id": "7"}),
    ],
)  # fmt: skip
def test_a_refusal_names_who_may_or_what_stands_in_the_way(
    verb: str, row: Handoff, actor: Actor, code: str, named: dict[str, str]
) -> None:
    assert refused(verb, row, actor) == (code, named)


@pytest.mark.parametrize(
    ("verb", "row", "actor"),
    [
        ("said", handoff(state="done"), Actor("zoe")),
        ("signed off", DECISION, Actor("ann", person=True)),
        ("signed off", DECISION, Actor("mill/bo", person=True, signers=("shop/bo",))),
        ("accepted", handoff(state="review", review="person"), ANN),
        ("accepted", handoff(state="review", review="cy"), Actor("cy")),
        ("reopened", handoff(state="review", review="cy"), Actor("cy")),
        ("reopened", handoff(state="withdrawn"), Actor("ana")),
        ("handed off again", handoff(state="returned"), Actor("ana")),
        ("withdrawn", handoff(state="review"), Actor("ana")),
        ("revised", handoff(state="blocked", after="8"), Actor("ana")),
        ("done", handoff(state="in_progress", after="8"), Actor("dev")),
        ("blocked", handoff(state="in_progress", taken_by="eve"), Actor("eve")),
        ("done", handoff("write", "in_progress"), Actor("dev")),
        ("done", handoff(state="blocked"), Actor("dev")),
        ("taken", handoff("decision", signed_by="ann"), Actor("dev")),
        ("taken", handoff("write", "blocked"), Actor("dev")),
        ("taken", POOL, Actor("cid", role="Mason")),
        (
            "taken",
            handoff(recipient="role:mason", state="blocked", taken_by="cid"),
            Actor("dan", role="Mason"),
        ),
        (
            "sent back",
            handoff(recipient="role:mason", state="in_progress", taken_by="cid"),
            Actor("cid"),
        ),
        (
            "sent back",
            handoff(recipient="role:mason", taken_by="cid"),
            Actor("dan", role="Mason"),
        ),
    ],
)
def test_those_whom_it_concerns_are_not_refused(
    verb: str, row: Handoff, actor: Actor
) -> None:
    assert refused(verb, row, actor) is None


@pytest.mark.parametrize("state", ["in_progress", "blocked"])
def test_of_a_pool_only_the_taker_ends_the_work(state: str) -> None:
    row = handoff(recipient="role:mason", state=state, taken_by="cid")

    told = refused("failed", row, Actor("dan", role="Mason"))

    assert told == ("handoff-not-yours", {"who": "cid", "actor": "dan"})


@pytest.mark.parametrize(("name", "person"), [("shop/bo", "bo"), ("bo", "bo")])
def test_a_person_has_one_name_in_every_workspace(name: str, person: str) -> None:
    assert person_of(name) == person


@pytest.mark.parametrize(
    ("verb", "row", "needs"),
    [
        ("taken", handoff("write"), True),
        ("taken", handoff(), False),
        ("taken", handoff(after="8"), True),
        ("done", handoff(after="8"), True),
        ("done", handoff("write"), False),
        ("put back", handoff("write", after="8"), False),
    ],
)
def test_only_what_begins_or_ends_work_needs_the_lane(
    verb: str, row: Handoff, needs: bool
) -> None:
    assert depends_on_lane(verb, row) is needs


@pytest.mark.parametrize(
    ("moves", "verb", "actor", "token"),
    [(2, "taken", "dev", "2 taken, dev"), (1, "sent", "", "1 sent"), (0, "", "", "0")],
)
def test_a_version_token_reads_as_the_last_move(
    moves: int, verb: str, actor: str, token: str
) -> None:
    assert standing(moves, verb, actor) == token


def test_a_lane_has_what_runs_what_is_next_and_what_is_held() -> None:
    rows = [
        write(5, paths="e"), write(2, "in_progress"), write(1, "blocked"),
        write(3, after="8"), write(4, after="9"), write(6, "in_progress", after="8"),
        write(7, "blocked", after="9"),
    ]  # fmt: skip
    lane = replace(lane_of(rows), states={"8": "failed", "9": "done"})

    def ids(writes: tuple[Any, ...]) -> list[int]:
        return [row.id for row in writes]

    assert ids(lane.order) == [1, 2, 3, 4, 5, 6, 7]
    assert (ids(lane.now), ids(lane.next)) == ([2, 6], [4, 5])
    assert (ids(lane.held), ids(lane.overlapping)) == ([1, 3, 7], [2, 6])
    assert lane.places == {4: 3, 5: 4}


@pytest.mark.parametrize("name", ["repository", "paths"])
def test_places_are_counted_apart_where_writes_name_their_files(name: str) -> None:
    lane = lane_of([write(n, **{name: own}) for n, own in enumerate(("a", "b", "a"))])

    assert lane.places == {0: 1, 1: 1, 2: 2}
    assert lane_of([write(1), write(2)]).places == {1: 1, 2: 2}


@pytest.mark.parametrize(
    ("others", "own", "first"),
    [
        ([write(1)], write(2), 1),
        ([write(1, "blocked")], write(2), None),
        ([write(1, after="8")], write(2), None),
        ([write(1, paths="docs")], write(2, paths="src"), None),
        ([write(1)], write(2, overridden=True), None),
        ([write(1, "in_progress")], write(2, overridden=True), 1),
        ([write(3, "in_progress")], write(2), 3),
        ([write(1, "in_progress", paths="docs"), write(3, "in_progress", paths="src")],
         write(2, paths="src"), 3),
        ([write(3)], write(2), None),
        ([write(3, priority="high")], write(2), 3),
    ],
)  # fmt: skip
def test_a_write_waits_for_what_runs_and_for_what_is_before_it(
    others: list[Handoff], own: Handoff, first: int | None
) -> None:
    found = lane_of([*others, own]).before(own)

    assert (found and found.id) == first


def test_writes_of_one_second_and_id_go_by_journal_place_and_row() -> None:
    same: dict[str, Any] = {"task_id": "t", "occurred_at": NOON}
    rows = [
        write(1, first_seq=2, **same), write(2, position=4, **same),
        write(4, position=3, **same), write(3, position=3, **same),
    ]  # fmt: skip

    assert [row.id for row in lane_of(rows).order] == [3, 4, 2, 1]


def test_a_name_that_two_writes_have_is_told_by_its_code() -> None:
    rows = [write(1), write(2), write(3, task_id="w2"), write(4)]
    lane = replace(lane_of(rows), shared=frozenset({"w4"}))

    names = [lane.name_of(row) for row in rows]

    assert names == ["w1", code_of(2), code_of(3), code_of(4)]


@pytest.mark.parametrize(
    ("running", "code", "named"),
    [
        (write(9, "in_progress", taken_by="eve"), "handoff-lane-busy",
         {"task_id": "w9", "actor": "eve"}),
        (write(9, "in_progress"), "handoff-lane-busy",
         {"task_id": "w9", "actor": "dev"}),
        (write(0), "handoff-lane-order", {"task_id": "7", "first": "w0"}),
    ],
)  # fmt: skip
def test_a_write_is_told_what_it_waits_for_and_who_has_that(
    running: Handoff, code: str, named: dict[str, str]
) -> None:
    lane = lane_of([running, write(1)])

    found = hindrance(handoff("write"), lane, 1)

    assert found and (found.code, found.parameters) == (code, named)


def test_nothing_hinders_a_write_that_runs_or_is_alone() -> None:
    own, other = write(1, paths="src"), write(2, "in_progress", paths="docs")
    assert hindrance(handoff("write"), lane_of([write(1)]), 1) is None
    assert hindrance(handoff("write", paths="src"), lane_of([own, other]), 1) is None
    busy = lane_of([write(1, "in_progress")])
    assert hindrance(handoff("write"), busy, 1) is None
    assert hindrance(handoff("write"), lane_of([write(2)]), 1) is None
