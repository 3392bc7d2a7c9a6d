"""When a channel may send, by the clocks of its person."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryhub.notices.rules.timing import Timing

BERLIN = ZoneInfo("Europe/Berlin")
NIGHT = Timing(BERLIN, quiet=(22, 7))


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=BERLIN)


@pytest.mark.parametrize(
    ("now", "due"),
    [
        ("2026-11-25T21:59", "2026-11-25T21:59"),
        ("2026-11-25T22:00", "2026-11-26T07:00"),
        ("2026-11-26T06:59", "2026-11-26T07:00"),
        ("2026-11-26T07:00", "2026-11-26T07:00"),
        # The clocks change in these nights.
        ("2026-03-28T23:30", "2026-03-29T07:00"),
        ("2026-10-25T02:30", "2026-10-25T07:00"),
    ],
)
def test_what_comes_in_quiet_hours_is_due_at_their_end(now: str, due: str) -> None:
    assert NIGHT.due("overdue", at(now)) == at(due)


def test_quiet_hours_are_those_of_the_person() -> None:
    assert NIGHT.held_until("failed", datetime(2026, 7, 1, 20, 30, tzinfo=UTC))
    assert not NIGHT.held_until("failed", datetime(2026, 7, 1, 19, 30, tzinfo=UTC))


def test_quiet_hours_of_a_day_end_on_that_day() -> None:
    lunch = Timing(BERLIN, quiet=(12, 13))

    assert lunch.due("failed", at("2026-11-25T12:15")) == at("2026-11-25T13:00")
    assert lunch.held_until("failed", at("2026-11-25T13:00")) is None


def test_a_digest_is_due_at_its_next_hour_and_not_held_by_quiet_hours() -> None:
    daily = Timing(BERLIN, digest=6, quiet=(22, 7))

    assert daily.due("failed", at("2026-11-25T05:59")) == at("2026-11-25T06:00")
    assert daily.due("failed", at("2026-11-25T06:00")) == at("2026-11-26T06:00")
    assert daily.held_until("failed", at("2026-11-26T06:00")) is None


@pytest.mark.parametrize("kind", ["sign-off", "deadlock"])
def test_sign_offs_and_deadlocks_break_through_if_that_is_chosen(kind: str) -> None:
    now = at("2026-11-25T23:00")
    for timing in (NIGHT, Timing(BERLIN, digest=8)):
        through = Timing(timing.zone, timing.digest, timing.quiet, urgent=True)
        assert through.due(kind, now) == now < timing.due(kind, now)
        assert through.due("failed", now) == timing.due("failed", now)


@given(
    moment=st.datetimes(datetime(2025, 1, 1), datetime(2027, 12, 31)),
    first=st.integers(0, 23),
    end=st.integers(0, 23),
    zone=st.sampled_from(["Europe/Berlin", "Asia/Kathmandu", "Australia/Lord_Howe"]),
)
def test_no_message_is_due_in_quiet_hours_or_a_day_late(
    moment: datetime, first: int, end: int, zone: str
) -> None:
    now = moment.replace(tzinfo=UTC)
    timing = Timing(ZoneInfo(zone), quiet=(first, end) if first != end else None)

    due = timing.due("failed", now)

    assert now <= due and (due - now).total_seconds() <= 25 * 3600
    quiet_hours = {(first + n) % 24 for n in range((end - first) % 24)}
    assert due.astimezone(timing.zone).hour not in quiet_hours
