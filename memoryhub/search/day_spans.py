"""Spans of days: a date with or without a year, a time ago, a week, a month."""

from __future__ import annotations

from calendar import monthrange
from datetime import date, timedelta
from typing import NamedTuple

from memoryhub.search.words import name_token

#: Years back of which a day without a year can be.
_YEARS = 12
#: A longer time ago names no days.
_LONGEST_YEARS = 100
#: Days before and after one so many units ago that are meant too, by the unit's days.
_AROUND = {1: 0, 7: 3, 30: 15, 365: 180}


class DaySpan(NamedTuple):
    """Days from the first to the last, as numbers, both included."""

    first: int
    last: int

    @classmethod
    def of(cls, first: date, last: date | None = None) -> DaySpan:
        """Return the span between two days, or of one."""
        return cls(first.toordinal(), (last or first).toordinal())

    @property
    def is_year(self) -> bool:
        """Whether these are whole years."""
        first, last = date.fromordinal(self.first), date.fromordinal(self.last)
        return (first.month, first.day, last.month, last.day) == (1, 1, 12, 31)

    @property
    def names(self) -> list[str]:
        """The years, months or days of the span, as ISO 8601 writes them."""
        first, last = date.fromordinal(self.first), date.fromordinal(self.last)
        if self.is_year:
            return [str(year) for year in range(first.year, last.year + 1)]
        is_month = (first.year, first.month) == (last.year, last.month)
        if is_month and (first.day, last.day) == (1, monthrange(*_month(last))[1]):
            return [f"{first:%Y-%m}"]
        days = range(self.first, self.last + 1)
        return [date.fromordinal(day).isoformat() for day in days]


class Found(NamedTuple):
    """Spans named between two offsets of a text."""

    start: int
    end: int
    spans: list[DaySpan]


def _month(day: date) -> tuple[int, int]:
    return day.year, day.month


def days_of(year: int, month: int, day: int, today: date) -> list[DaySpan]:
    """Return a day, month or year; without a year that of each of the last years.

    0 stands for none; dates that do not exist are left out.
    """
    years = [year] if year else range(today.year, today.year - _YEARS, -1)
    spans = []
    for one in years:
        try:
            first = date(one, month or 1, day or 1)
        except (ValueError, OverflowError):
            continue
        if day:
            last = first
        elif month:
            last = date(one, month, monthrange(one, month)[1])
        else:
            last = date(one, 12, 31)
        spans.append(DaySpan.of(first, last))
    return spans


def ago(today: date, days: int) -> list[DaySpan]:
    """Return the day so many days ago."""
    return [DaySpan.of(today - timedelta(days=days))]


def around(today: date, number: int, size: int) -> list[DaySpan]:
    """Return the days about so many units of `size` days ago.

    A week is meant by its days around.
    """
    if number * size > 365 * _LONGEST_YEARS:
        return []
    day = today - timedelta(days=number * size)
    near = timedelta(days=_AROUND[size])
    return [DaySpan.of(day - near, min(today, day + near))]


def newest(today: date, number: int, size: int) -> list[DaySpan]:
    """Return the days of the last so many units, at most of a year."""
    if not 0 < number * size <= 366:
        return []
    return [DaySpan.of(today - timedelta(days=number * size), today)]


def unit_of(today: date, unit: str, back: int) -> list[DaySpan]:
    """Return the week, month or year that was so many before today's."""
    if unit == "week":
        monday = today - timedelta(days=today.weekday() + 7 * back)
        return [DaySpan.of(monday, monday + timedelta(days=6))]
    if unit == "year":
        return days_of(today.year - back, 0, 0, today)
    months = today.year * 12 + today.month - 1 - back
    return days_of(months // 12, months % 12 + 1, 0, today)


def day_names(day: date) -> tuple[str, str, str]:
    """Return the names under which a day is indexed: itself, its month, its year."""
    return day.isoformat(), f"{day:%Y-%m}", str(day.year)


def day_token(name: str) -> str:
    """Return the index term of a day, month or year by its name."""
    return name_token(f"day:{name}")
