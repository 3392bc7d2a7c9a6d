"""Dates of a text moved by a number of days, in the notations of the sample.

Moved are ``2026-11-20`` and ``20261120``, also within names and ids, the month of a
folder before them (``2026-11/2026-11-20.md``), ``20 November``, ``20 Nov 2026``,
``November 20, 2026``, names of weekdays, and seconds since 1970. Only dates near a
given day are, so that other numbers stay.
"""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta

from memoryhub.formats.text.days import any_of, names_of

#: Days around the given one in which a number is taken for a date.
_NEAR = timedelta(days=300)
_MONTHS, _WEEKDAYS = names_of("months", "en"), names_of("weekdays", "en")
_NUMBERS = re.compile(
    r"(?<![0-9A-Za-z])(?P<folder>20[0-9]{2}-[0-9]{2}/)?"
    r"(?P<year>20[0-9]{2})(?P<dash>-?)(?P<month>[0-9]{2})(?P=dash)(?P<day>[0-9]{2})"
    r"(?![0-9])"
)
_MONTH = any_of(name.capitalize() for name in _MONTHS)
_WORDS = re.compile(
    rf"\b(?:(?P<day>[0-9]{{1,2}}) (?P<month>{_MONTH})\b(?: (?P<year>20[0-9]{{2}})\b)?"
    rf"|(?P<MONTH>{_MONTH}) (?P<DAY>[0-9]{{1,2}}), (?P<YEAR>20[0-9]{{2}})\b)"
)
_WEEKDAY = re.compile(rf"\b(?:{any_of(name.capitalize() for name in _WEEKDAYS)})\b")
_SECONDS = re.compile(r"\b1[0-9]{9}\b")


def with_dates_moved(text: str, days: int, near: date) -> str:
    """Return a text whose dates near a day lie `days` later."""
    by = timedelta(days=days)

    def moved(found: re.Match[str]) -> str:
        day = _date_of(found, near)
        return _like(found, day + by) if day and abs(day - near) < _NEAR else found[0]

    def later(seconds: re.Match[str]) -> str:
        day = datetime.fromtimestamp(int(seconds[0]), UTC).date()
        is_near = abs(day - near) < _NEAR
        return str(int(seconds[0]) + days * 86_400) if is_near else seconds[0]

    def weekday(name: re.Match[str]) -> str:
        day = date.min + timedelta(_WEEKDAYS[name[0].casefold()] - 1 + days % 7)
        return f"{day:%a}" if len(name[0]) == 3 else f"{day:%A}"

    for pattern in (_NUMBERS, _WORDS):
        text = pattern.sub(moved, text)
    return _WEEKDAY.sub(weekday, _SECONDS.sub(later, text))


def newest_date(names: list[str]) -> date | None:
    """Return the newest date written in numbers in any of the names."""
    found = (match for name in names for match in _NUMBERS.finditer(name))
    return max(
        filter(None, (_date_of(match, date.max) for match in found)), default=None
    )


def _part(found: re.Match[str], name: str) -> str:
    return found[name] or (found[name.upper()] if found.re is _WORDS else "") or ""


def _date_of(found: re.Match[str], near: date) -> date | None:
    """Return the date of a match; without a year the one closest to a day."""
    year, month, day = (_part(found, name) for name in ("year", "month", "day"))
    number = int(month) if month.isdigit() else _MONTHS[month.casefold()]
    years = [int(year)] if year else [near.year + n for n in (-1, 0, 1)]
    days = []
    for one in years:
        with suppress(ValueError):
            days.append(date(one, number, int(day)))
    return min(days, key=lambda day: abs(day - near), default=None)


def _like(found: re.Match[str], day: date) -> str:
    """Return a date in the notation of a match."""
    if found.re is _NUMBERS:
        folder = f"{day:%Y-%m}/" if found["folder"] else ""
        return folder + day.strftime("%Y-%m-%d" if found["dash"] else "%Y%m%d")
    written = _part(found, "month")
    month = f"{day:%b}" if len(written) == 3 and written != "May" else f"{day:%B}"
    if found["DAY"]:
        return f"{month} {day.day}, {day.year}"
    return f"{day.day} {month}" + (f" {day.year}" if found["year"] else "")
