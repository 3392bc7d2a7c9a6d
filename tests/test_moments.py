"""Tests for the stored numbers of times."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.db import connection
from hypothesis import given
from hypothesis import strategies as st

from memoryhub.events.models import NO_TIME
from memoryhub.journal.moments import as_stored, in_numbers, moment_of

_TIMES = st.datetimes(timezones=st.just(UTC))


@given(one=_TIMES, other=_TIMES)
def test_numbers_are_as_exact_as_times_and_in_their_order(
    one: datetime, other: datetime
) -> None:
    assert moment_of(as_stored(one)) == one
    assert (as_stored(one) < as_stored(other)) == (one < other)


@pytest.mark.django_db
def test_an_upgrade_makes_numbers_of_times_in_text() -> None:
    times = [
        NO_TIME,
        datetime(1969, 12, 31, 23, 59, 59, 999_999, UTC),
        datetime(2026, 11, 20, 8, 30, tzinfo=UTC),
        datetime(2026, 11, 20, 8, 30, 59, 999_999, UTC),
        datetime(2026, 11, 20, 8, 31, 0, 40, UTC),
    ]
    with connection.cursor() as cursor:
        cursor.execute("CREATE TEMP TABLE told (at bigint, ended bigint)")
        rows = [[str(at.replace(tzinfo=None))] for at in times]
        cursor.executemany("INSERT INTO told VALUES (%s, NULL)", rows)
        cursor.execute(str(in_numbers("told", "at", "ended").sql))
        cursor.execute("SELECT at, ended FROM told ORDER BY rowid")

        assert cursor.fetchall() == [(as_stored(at), None) for at in times]
