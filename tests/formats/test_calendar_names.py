from __future__ import annotations

from tests.calendar_names import CALENDAR, written


def test_the_names_of_days_are_those_of_cldr() -> None:
    assert CALENDAR.read_text("utf-8") == written()
