"""Where moves lead, and who may do what; the lane is tried through the services."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

import pytest

from memoryhub.handoffs.models import Handoff, HandoffStep
from memoryhub.handoffs.rules.acting import (
    Actor,
    Lane,
    NotAllowed,
    begun_unsigned,
    check,
    lane_of,
)
from memoryhub.handoffs.rules.outcomes import outcome_of
from memoryhub.handoffs.rules.parties import is_coordinator, is_signer

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


def row(kind: str = "read_only", state: str = "open", **columns: Any) -> Handoff:
    """Return a handoff of one workspace, from ana to dev."""
    told = {"task_id": "7", "sender": "ana", "recipient": "dev"} | columns
    return Handoff(type=kind, state=state, **told)


def moves(*verbs: str) -> list[HandoffStep]:
    """Return a line of a log for each verb, a minute apart."""
    return [
        HandoffStep(
            verb=verb,
            actor="dev",
            happened_at=NOON.replace(minute=n),
            is_result=False,
            first_seq=0,
        )
        for n, verb in enumerate(verbs)
    ]


def outcome(steps: Iterable[HandoffStep]) -> dict[str, Any]:
    """Return the state of a handoff with these steps, read before them."""
    return outcome_of(steps, Handoff(precision="none", first_seq=-1))


def allowed(verb: str, actor: str, row: Handoff) -> bool:
    try:
        check(verb, row, Actor(actor), Lane(), 1)
    except NotAllowed:
        return False
    return True


def test_a_handoff_without_moves_is_open() -> None:
    told = outcome([])

    assert (told["state"], told["moves"]) == ("open", 0)


def test_it_is_over_when_the_log_says_so() -> None:
    told = outcome(moves("sent", "taken", "put back", "taken", "done"))

    assert (told["state"], told["finished_at"]) == ("done", NOON.replace(minute=4))
    assert told["taken_at"] == NOON.replace(minute=1)


def test_a_result_without_its_line_ends_it() -> None:
    (result,) = moves("failed")
    result.is_result = True
    told = outcome([*moves("sent"), result])

    assert (told["state"], told["moves"], told["last_verb"]) == ("failed", 2, "sent")


def test_a_sign_off_that_no_person_confirmed_is_a_claim() -> None:
    first, second = moves("sent", "signed off")
    told = outcome([first, second])
    assert (told["signed_by"], told["claimed_by"]) == ("", "dev")
    (given,) = moves("signed off")
    given.confirmed = True
    told = outcome([first, given, second])
    assert (told["signed_by"], told["claimed_by"]) == ("dev", "")


def test_what_was_sent_back_is_unsigned_and_unfinished() -> None:
    told = outcome(moves("sent", "signed off", "done", "sent back"))

    assert (told["signed_by"], told["finished_at"], told["times_sent_back"]) == (
        "",
        None,
        1,
    )


def test_a_write_is_out_of_turn_until_it_is_taken() -> None:
    assert outcome(moves("overridden", "put back"))["overridden"]
    assert not outcome(moves("overridden", "taken", "put back"))["overridden"]


@pytest.mark.parametrize(
    ("verb", "who", "row"),
    [
        ("taken", "dev", row()),
        ("withdrawn", "ana", row(state="blocked")),
        ("put back", "eve", row(state="in_progress", taken_by="eve")),
        ("sent back", "dev", row(state="in_progress")),
        ("reopened", "ana", row(state="done")),
        ("revised", "ana", row(state="returned")),
        ("done", "dev", row()),
        ("handed off again", "dev", row(state="failed")),
    ],
)
def test_only_those_concerned_do_it(verb: str, who: str, row: Handoff) -> None:
    everyone = ("ana", "dev", "eve", "zoe")

    assert allowed(verb, who, row)
    assert not all(allowed(verb, other, row) for other in everyone)
    assert not allowed(verb, "zoe", row)


@pytest.mark.parametrize(
    ("verb", "row", "why"),
    [
        ("taken", row(state="in_progress"), "state"),
        ("taken", row(state="done"), "over"),
        ("put back", row(), "state"),
        ("done", row("write"), "not-taken"),
        ("done", row("write", state="blocked"), "not-taken"),
        ("signed off", row(), "type-other"),
        ("signed off", row("decision", signed_by="lead"), "signed"),
        ("overridden", row(), "type-other"),
        ("blocked", row(state="blocked"), "state"),
        ("withdrawn", row(state="failed"), "over"),
        ("failed", row(state="done"), "over"),
        ("taken", row(state="withdrawn"), "withdrawn"),
        ("taken", row(state="returned"), "state"),
        ("sent back", row(state="done"), "over"),
    ],
)
def test_not_even_a_coordinator_can_do_it_now(
    verb: str, row: Handoff, why: str
) -> None:
    with pytest.raises(NotAllowed, match=f"handoff-{why} "):
        check(verb, row, Actor("lead", coordinates=True, person=True), Lane(), 1)


def test_a_refusal_names_the_handoff_its_state_and_the_verb() -> None:
    with pytest.raises(NotAllowed) as caught:
        check("put back", row(), Actor("lead", coordinates=True), Lane(), 1)

    asked = {"task_id": "7", "state": "open", "verb": "put back"}
    assert caught.value.parameters == asked


def test_a_sign_off_without_a_person_names_who_asked() -> None:
    with pytest.raises(NotAllowed, match=r"sign-off-needs-person .*actor=lead"):
        check("signed off", row("decision"), Actor("lead", True), Lane(), 1)


@pytest.mark.parametrize(
    ("row", "is_begun"),
    [
        (row("decision", state="in_progress"), True),
        (row("decision", state="in_progress", claimed_by="ana"), True),
        (row("decision", state="in_progress", signed_by="ana"), False),
        (row("decision", state="done"), True),
        (row("decision", state="done", claimed_by="ana"), False),
        (row("decision", state="withdrawn"), False),
        (row("decision"), False),
        (row("write", state="in_progress"), False),
    ],
)
def test_a_decision_is_begun_unsigned_where_nobody_signed_it(
    row: Handoff, is_begun: bool
) -> None:
    assert begun_unsigned(row) is is_begun


@pytest.mark.parametrize(
    ("name", "does"),
    [
        ("coordinator", True), ("Lead-Coordinator", True), ("协调者", True),
        ("not-coordinator", False), ("coordinator-2", False), ("lead", False),
    ],
)  # fmt: skip
def test_a_coordinator_is_named_so(name: str, does: bool) -> None:
    assert is_coordinator(name) is does


@pytest.mark.parametrize(
    ("role", "does"),
    [
        ("Coordinator", True), ("Coordinator of all", True),
        ("**Lead coordinator**, signs decisions", True), ("协调者：全部", True),
        ("the coordinator -- keeps the lane", True), ("总协调人", True),
        ("reviews, reports to the coordinator", False), ("coordinates", False),
        ("Coordinator's assistant", False), ("coordinator-in-training", False),
        ("no coordinator", False), ("协调者的助手", False), ("向协调者汇报", False),
    ],
)  # fmt: skip
def test_a_role_that_only_mentions_a_coordinator_is_none(role: str, does: bool) -> None:
    assert is_coordinator("dev", [role]) is does


@pytest.mark.parametrize(
    ("role", "does"),
    [
        ("Approver", True), ("**Approver** of releases", True), ("审批人", True),
        ("builder", False), ("needs approval", False), ("", False),
    ],
)  # fmt: skip
def test_a_role_that_signs_off_is_named_so(role: str, does: bool) -> None:
    assert is_signer(role) is does


def test_writes_of_one_second_go_by_number() -> None:
    ids = ("20261120-100", "20261120-99", "20261120-101")
    writes = [
        Handoff(id=7, task_id=task_id, occurred_at=NOON, first_seq=1, position=0)
        for task_id in ids
    ]

    order = [write.task_id for write in lane_of(writes).order]

    assert order == ["20261120-99", "20261120-100", "20261120-101"]
