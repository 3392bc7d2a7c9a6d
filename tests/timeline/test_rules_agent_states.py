"""Each rule of an agent's state, and that the first that holds decides."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from memoryhub.events.rules.agent_states import (
    AgentState,
    Work,
    active_at,
    quiet_after,
    state_of,
    usual_gap,
)

NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
LOOKED = NOW - timedelta(minutes=2)


def ago(**units: float) -> datetime:
    return LOOKED - timedelta(**units)


def state(work: Work, *, now: datetime = NOW) -> AgentState:
    return state_of(work, LOOKED, now)


EVERYTHING = Work(
    last_at=ago(minutes=5),
    asks="t1",
    snapshot_at=ago(minutes=5),
    snapshot_blocked=True,
    blocked_by="upstream",
    sent_at=ago(minutes=4),
    sent_to="builder",
    open_work=True,
)


def test_who_asks_a_person_needs_you_before_anything_else() -> None:
    assert state(EVERYTHING) == AgentState("turn", "asks-person", {"task": "t1"})


def test_a_newest_snapshot_that_is_blocked_blocks() -> None:
    found = state(replace(EVERYTHING, asks=""))

    assert found == AgentState("blocked", "snapshot-blocked", {"reason": "upstream"})


def test_a_blocked_result_blocks_until_a_snapshot_says_otherwise() -> None:
    stuck = Work(result_blocked_at=ago(hours=1), result_blocked="t2")

    assert state(stuck).rule == "result-blocked"
    assert state(replace(stuck, snapshot_at=ago(hours=2))).rule == "result-blocked"
    assert state(replace(stuck, snapshot_at=ago(minutes=1))).kind == "idle"


def test_who_sent_work_and_told_nothing_since_waits() -> None:
    work = Work(last_at=ago(minutes=5), sent_at=ago(minutes=5), sent_to="builder")

    assert state(work) == AgentState("waiting", "sent-handoff", {"agent": "builder"})


def test_who_sent_work_and_went_on_works() -> None:
    work = Work(last_at=ago(minutes=5), sent_at=ago(minutes=6), sent_to="builder")

    assert state(work).kind == "working"


def test_who_went_on_and_has_nothing_else_still_waits() -> None:
    work = Work(last_at=ago(hours=1), sent_at=ago(hours=3), sent_to="builder")

    assert state(work) == AgentState("waiting", "awaits-handoff", {"agent": "builder"})
    assert state(replace(work, open_work=True)).rule == "open-work"


def test_half_an_hour_before_the_last_look_is_working() -> None:
    assert state(Work(last_at=ago(minutes=30))).kind == "working"
    assert state(Work(last_at=ago(minutes=31))).kind == "idle"


def test_a5_old_data_shows_nobody_working() -> None:
    work = Work(last_at=ago(minutes=1))

    assert state(work, now=LOOKED + timedelta(minutes=60)).kind == "working"
    assert state(work, now=LOOKED + timedelta(minutes=61)).kind == "idle"


def test_open_work_without_a_word_is_quiet_after_two_hours() -> None:
    work = Work(last_at=ago(hours=2, minutes=1), open_work=True)

    assert state(work).kind == "quiet"
    assert state(replace(work, last_at=ago(hours=2))).rule == "open-work"
    assert state(replace(work, open_work=False)).rule == "nothing-open"


def test_a_slow_topic_is_quiet_after_three_usual_gaps() -> None:
    work = Work(last_at=ago(hours=8), open_work=True, usual_gap=timedelta(hours=3))

    assert state(work).kind == "idle"
    assert state(replace(work, last_at=ago(hours=10))).kind == "quiet"
    assert quiet_after(timedelta(minutes=1)) == timedelta(hours=2)


def test_silence_of_the_importer_is_not_silence_of_an_agent() -> None:
    work = Work(last_at=ago(hours=1), open_work=True)

    assert state(work, now=NOW + timedelta(days=3)).kind == "idle"


def test_nothing_known_is_idle() -> None:
    assert state_of(Work(), None, NOW) == AgentState("idle", "nothing-open")


def test_the_usual_gap_is_the_median_of_at_least_three_events() -> None:
    moments = [ago(hours=h) for h in (9, 8, 6, 1)]

    assert usual_gap(moments) == timedelta(hours=2)
    assert usual_gap([*moments[:2], moments[0]]) is None


@pytest.mark.parametrize(
    ("precision", "acted", "expected"),
    [
        ("minute", False, ago(hours=5)),
        ("day", False, ago(hours=5)),
        ("none", False, None),
        ("minute", True, LOOKED),
        ("none", True, LOOKED),
    ],
)
def test_an_event_says_when_its_agent_was_active(
    precision: str, acted: bool, expected: datetime | None
) -> None:
    assert active_at(ago(hours=5), LOOKED, precision, acted=acted) == expected


def test_nobody_was_active_later_than_the_hub_knows() -> None:
    ahead = LOOKED + timedelta(days=400)

    assert active_at(ahead, LOOKED, "minute", acted=False) == LOOKED
