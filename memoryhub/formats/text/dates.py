"""Dates and times in agents' notations: strict, validated, never guessed."""

from __future__ import annotations

import datetime
import re

_DATE = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_TIMESTAMP = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})[T ]([0-9]{2}):([0-9]{2})"
    r"(?::([0-9]{2})(?:[.,]([0-9]{1,9}))?)?"
    r" ?(?:(Z|z)|([+-])([0-9]{2}):?([0-9]{2}))?"
)
#: A time, a blank and the rest of the text.
_TIMED = re.compile(rf"({_TIMESTAMP.pattern})(?:[ \t]+(?P<rest>.*))?", re.DOTALL)
_DATE_SIZE = len("YYYY-MM-DD")


def parse_date(text: str) -> datetime.date | None:
    """Return the day of exactly ``YYYY-MM-DD``; None for any other text."""
    found = _DATE.fullmatch(text)
    if not found:
        return None
    try:
        return datetime.date(int(found[1]), int(found[2]), int(found[3]))
    except ValueError:
        return None


def split_dated(text: str) -> tuple[datetime.date | None, str]:
    """Split ``YYYY-MM-DD: rest`` in two; a text without a day is returned unchanged.

    snap-memory's list lines start so; the day is advice to the model, not grammar.
    """
    if text[_DATE_SIZE : _DATE_SIZE + 1] != ":":
        return None, text
    rest = text[_DATE_SIZE + 1 :]
    day = parse_date(text[:_DATE_SIZE])
    if day is None or (rest and not rest[0].isspace()):
        return None, text
    return day, rest.strip()


def parse_timestamp(text: str) -> datetime.datetime | None:
    """Return the moment of an ISO text with ``T`` or a blank; None for others.

    Seconds, a fraction and a zone may be missing; without a zone the value is naive:
    the file does not name its clock's zone. None also for a moment outside the range
    of a calendar in UTC.
    """
    found = _TIMESTAMP.fullmatch(text.strip())
    day = parse_date(found[1]) if found else None
    if not found or not day:
        return None
    micro = int((found[5] or "").ljust(6, "0")[:6])
    try:
        clock = datetime.time(int(found[2]), int(found[3]), int(found[4] or 0), micro)
        moment = datetime.datetime.combine(day, clock, _zone(found))
        if moment.tzinfo:
            moment.astimezone(datetime.UTC)
    except (ValueError, OverflowError):
        return None
    return moment


def in_utc(moment: datetime.datetime) -> str:
    """Return a moment as a text that `parse_timestamp` reads, ending in ``Z``."""
    return moment.astimezone(datetime.UTC).isoformat().replace("+00:00", "Z")


def split_timed(text: str) -> tuple[datetime.datetime | None, str]:
    """Split ``2026-11-20T08:10:00Z rest`` in two; unchanged without a time."""
    found = _TIMED.fullmatch(text)
    moment = parse_timestamp(found[1]) if found else None
    if not found or not moment:
        return None, text
    return moment, found["rest"] or ""


def _zone(found: re.Match[str]) -> datetime.timezone | None:
    if found[6]:
        return datetime.UTC
    if not found[7]:
        return None
    hours, minutes = int(found[8]), int(found[9])
    if minutes > 59:
        raise ValueError(found[0])
    offset = datetime.timedelta(hours=hours, minutes=minutes)
    return datetime.timezone(-offset if found[7] == "-" else offset)
