"""Dates of a text moved by a number of days, in the notations of the sample.

Moved are ``2026-11-20`` and ``20261120``, also within names and ids, the month of a
folder before them (``2026-11/2026-11-20.md``), ``20 November``, ``20 Nov 2026``,
``November 20, 2026``, names of weekdays, and seconds since 1970. Only dates near a
given day are, so that other numbers stay.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta

#: Days around the given one in which a number is taken for a date.
_NEAR = timedelta(days=300)
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August",
    "September", "October", "November", "December",
)  # fmt: skip
_WEEKDAYS = (
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
)  # fmt: skip
_NUMBERS = re.compile(
    r"(?<![0-9A-Za-z])(?P<folder>20[0-9]{2}-[0-9]{2}/)?"
    r"(?P<year>20[0-9]{2})(?P<dash>-?)(?P<month>[0-9]{2})(?P=dash)(?P<day>[0-9]{2})"
    r"(?![0-9])"
)
_MONTH = "|".join((*_MONTHS, *(name[:3] for name in _MONTHS)))
_DAY_FIRST = re.compile(
    rf"\b(?P<day>[0-9]{{1,2}}) (?P<month>{_MONTH})\b(?: (?P<year>20[0-9]{{2}})\b)?"
)
_MONTH_FIRST = re.compile(
    rf"\b(?P<month>{_MONTH}) (?P<day>[0-9]{{1,2}}), (?P<year>20[0-9]{{2}})\b"
)
_WEEKDAY = re.compile(
    rf"\b(?:{'|'.join((*_WEEKDAYS, *(name[:3] for name in _WEEKDAYS)))})\b"
)
_SECONDS = re.compile(r"\b1[0-9]{9}\b")


def with_dates_moved(text: str, days: int, near: date) -> str:
    """Return a text whose dates near a day lie `days` later."""
    by = timedelta(days=days)
    text = _NUMBERS.sub(_mover(_number, by, near), text)
    text = _DAY_FIRST.sub(_mover(_day_first, by, near), text)
    text = _MONTH_FIRST.sub(_mover(_month_first, by, near), text)
    text = _SECONDS.sub(lambda found: _seconds(found[0], by, near), text)
    return _WEEKDAY.sub(lambda found: _weekday(found[0], days), text)


def newest_date(names: list[str]) -> date | None:
    """Return the newest date written in numbers in any of the names."""
    found = (match for name in names for match in _NUMBERS.finditer(name))
    return max(
        filter(None, (_date_of(match, date.max) for match in found)), default=None
    )


def _mover(
    write: Callable[[re.Match[str], date], str], by: timedelta, near: date
) -> Callable[[re.Match[str]], str]:
    """Return a function that writes a found date `by` later, in its notation."""

    def moved(found: re.Match[str]) -> str:
        day = _date_of(found, near)
        return write(found, day + by) if day and abs(day - near) < _NEAR else found[0]

    return moved


def _date_of(found: re.Match[str], near: date) -> date | None:
    """Return the date of a match; without a year the one closest to a day."""
    month = found["month"]
    number = int(month) if month.isdigit() else _months_of(month)
    years = (
        [int(found["year"])] if found["year"] else [near.year + n for n in (-1, 0, 1)]
    )
    days = [day for year in years if (day := _day(year, number, int(found["day"])))]
    return min(days, key=lambda day: abs(day - near), default=None)


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _months_of(name: str) -> int:
    return [month[:3] for month in _MONTHS].index(name[:3]) + 1


def _month_like(found: re.Match[str], day: date) -> str:
    """Return the name of a date's month, short where the match's is."""
    name = _MONTHS[day.month - 1]
    return name[:3] if len(found["month"]) == 3 and found["month"] != "May" else name


def _number(found: re.Match[str], day: date) -> str:
    folder = f"{day:%Y-%m}/" if found["folder"] else ""
    return folder + day.strftime("%Y-%m-%d" if found["dash"] else "%Y%m%d")


def _day_first(found: re.Match[str], day: date) -> str:
    year = f" {day.year}" if found["year"] else ""
    return f"{day.day} {_month_like(found, day)}{year}"


def _month_first(found: re.Match[str], day: date) -> str:
    return f"{_month_like(found, day)} {day.day}, {day.year}"


def _seconds(digits: str, by: timedelta, near: date) -> str:
    day = datetime.fromtimestamp(int(digits), UTC).date()
    is_near = abs(day - near) < _NEAR
    return str(int(digits) + int(by.total_seconds())) if is_near else digits


def _weekday(name: str, days: int) -> str:
    at = [weekday[:3] for weekday in _WEEKDAYS].index(name[:3])
    moved = _WEEKDAYS[(at + days) % 7]
    return moved[:3] if len(name) == 3 else moved
