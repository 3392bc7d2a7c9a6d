"""What a log and its results come to, column by column."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from memoryhub.handoffs.models import Handoff, HandoffStep
from memoryhub.handoffs.rules.outcomes import outcome_of
from tests.handoffs.test_rules import outcome

#: A handoff without a time, read before its steps.
UNSENT: dict[str, Any] = {"precision": "none", "first_seq": -1}


def at(minute: int) -> datetime:
    return datetime(2026, 11, 20, 12, minute, tzinfo=UTC)


def step(verb: str, actor: str, minute: int, **columns: Any) -> HandoffStep:
    told = {"is_result": False, "first_seq": 0, "happened_at": at(minute)} | columns
    return HandoffStep(verb=verb, actor=actor, **told)


def log(*lines: str) -> list[HandoffStep]:
    """Return a step for each ``actor: verb -- reason``, a minute apart."""
    steps = []
    for minute, line in enumerate(lines):
        actor, _, rest = line.partition(": ")
        verb, _, reason = rest.partition(" -- ")
        steps.append(step(verb, actor, minute, reason=reason, first_seq=minute))
    return steps


def signed(actor: str, minute: int) -> HandoffStep:
    return step("signed off", actor, minute, confirmed=True)


def result(verb: str, minute: int, seq: int = 99) -> HandoffStep:
    return step(verb, "", minute, is_result=True, first_seq=seq)


def sent(minute: int, seq: int) -> Handoff:
    return Handoff(occurred_at=at(minute), precision="second", first_seq=seq)


@pytest.mark.parametrize(
    ("lines", "columns"),
    [
        ([], {"state": "open", "moves": 0, "last_verb": "", "last_actor": "",
              "last_at": None, "last_reason": "", "taken_at": None}),
        (["ana: sent", "dev: taken", "ana: put back", "eve: taken"],
         {"state": "in_progress", "moves": 4, "taken_by": "eve", "taken_at": at(1),
          "last_verb": "taken", "last_actor": "eve", "last_at": at(3),
          "finished_at": None}),
        (["ana: sent", "dev: taken", "dev: blocked -- no key"],
         {"state": "blocked", "taken_by": "dev", "last_reason": "no key",
          "last_verb": "blocked", "last_actor": "dev", "last_at": at(2)}),
        (["ana: sent", "dev: taken", "ana: revised"],
         {"state": "open", "taken_by": "", "taken_at": at(1)}),
        (["ana: sent", "dev: taken", "dev: done", "ana: reopened -- it squeaks"],
         {"state": "open", "taken_by": "", "times_sent_back": 1, "finished_at": None,
          "last_reason": "it squeaks"}),
        (["ana: sent", "dev: sent back -- a", "ana: revised", "dev: sent back -- b"],
         {"state": "returned", "times_sent_back": 2}),
        (["ana: sent", "ana: withdrawn"],
         {"state": "withdrawn", "finished_at": at(1), "last_actor": "ana"}),
        (["ana: sent", "dev: failed -- no wood", "ana: said -- pity"],
         {"state": "failed", "finished_at": at(1), "moves": 2, "last_verb": "failed",
          "last_reason": "no wood", "last_at": at(1)}),
        (["lead: overridden", "dev: blocked"], {"overridden": True}),
        (["lead: overridden", "dev: taken"], {"overridden": False}),
        (["dev: taken", "dev: put back", "lead: overridden"], {"overridden": True}),
        (["ana: sent"], {"overridden": False, "taken_by": "", "claimed_by": ""}),
    ],
)  # fmt: skip
def test_each_column_is_that_of_the_log(
    lines: list[str], columns: dict[str, Any]
) -> None:
    found = outcome(log(*lines))

    assert {name: found[name] for name in columns} == columns


def test_work_to_be_reviewed_is_in_review_and_has_not_ended() -> None:
    lines = log("ana: sent", "dev: taken", "dev: done")

    told = outcome_of(lines, Handoff(**UNSENT, review="ana"))
    accepted = outcome_of(
        [*lines, step("accepted", "ana", 9)], Handoff(**UNSENT, review="ana")
    )

    assert (told["state"], told["finished_at"], told["taken_by"]) == (
        "review",
        None,
        "dev",
    )
    assert (accepted["state"], accepted["finished_at"]) == ("done", at(9))


def test_a_result_without_a_line_gives_the_time_and_the_log_the_last_move() -> None:
    told = outcome([*log("ana: sent", "dev: taken"), result("done", 30)])

    assert (told["state"], told["moves"], told["finished_at"]) == ("done", 3, at(30))
    assert (told["last_verb"], told["last_actor"], told["last_at"]) == (
        "taken",
        "dev",
        at(30),
    )


def test_a_result_with_its_line_has_the_time_of_the_line() -> None:
    told = outcome([*log("ana: sent", "dev: done"), result("done", 30, seq=1)])

    assert (told["last_at"], told["finished_at"]) == (at(1), at(1))


def test_a_result_alone_is_the_last_move() -> None:
    told = outcome([result("failed", 30)])

    assert (told["last_verb"], told["last_at"], told["finished_at"]) == (
        "failed", at(30), at(30)
    )  # fmt: skip


@pytest.mark.parametrize(
    ("seq", "verb", "last", "end"),
    [(7, "done", at(8), None), (6, "done", at(30), at(30)),
     (7, "blocked", at(8), None), (7, "failed", at(8), None)],
)  # fmt: skip
def test_a_result_that_was_read_with_its_task_has_no_time(
    seq: int, verb: str, last: datetime, end: datetime | None
) -> None:
    moves = [step("sent", "ana", 2, first_seq=1), result(verb, 30, seq=7)]

    told = outcome_of(moves, sent(8, seq))

    assert (told["state"], told["last_at"], told["finished_at"]) == (verb, last, end)


def test_its_time_is_that_of_the_last_line_where_that_is_later() -> None:
    moves = [step("sent", "ana", 20, first_seq=1), result("done", 30, seq=7)]

    assert outcome_of(moves, sent(8, 7))["last_at"] == at(20)


def test_a_line_that_decides_has_its_time_though_it_was_read_with_the_task() -> None:
    told = outcome_of(log("ana: sent", "dev: done"), sent(8, 1))

    assert (told["last_at"], told["finished_at"]) == (at(1), at(1))


def test_what_a_stranger_did_is_a_move_that_decides_nothing() -> None:
    odd = step("taken", "mallory", 5, reason="mine", stranger=True)

    told = outcome([*log("ana: sent"), odd])

    assert told == outcome([]) | {
        "moves": 2, "last_verb": "taken", "last_actor": "mallory", "last_at": at(5),
        "last_reason": "mine",
    }  # fmt: skip


def test_the_last_sign_off_counts_and_a_claim_only_without_one() -> None:
    claim, first = log("eve: signed off")[0], signed("ann", 3)
    last = signed("bo", 4)

    told = outcome([claim, first, last])

    assert (told["signed_by"], told["signed_at"], told["claimed_by"]) == (
        "bo",
        at(4),
        "",
    )
    assert outcome([claim])["claimed_by"] == "eve"
    assert outcome([first, claim])["signed_by"] == "ann"


@pytest.mark.parametrize("verb", ["sent back", "reopened"])
def test_sending_back_cancels_sign_offs_and_claims(verb: str) -> None:
    back = step(verb, "ana", 8)
    before = [signed("ann", 3), *log("eve: signed off")]

    told = outcome([*before, back])
    again = outcome([*before, back, signed("bo", 9)])

    assert (told["signed_by"], told["signed_at"], told["claimed_by"]) == ("", None, "")
    assert (again["signed_by"], again["signed_at"]) == ("bo", at(9))
