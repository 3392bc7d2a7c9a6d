"""Dates and times in agents' notations: strict, validated, never guessed.

Zones in headings are kept as written; only those that mean one offset have one here.
"""

from __future__ import annotations

import datetime
import re
from typing import NamedTuple

_DATE = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_TIMESTAMP = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})[T ]([0-9]{2}):([0-9]{2})"
    r"(?::([0-9]{2})(?:[.,]([0-9]{1,9}))?)?"
    r" ?(?:(Z|z)|([+-])([0-9]{2}):?([0-9]{2}))?"
)
#: A time, a blank and the rest of the text.
_TIMED = re.compile(rf"({_TIMESTAMP.pattern})(?:[ \t]+(?P<rest>.*))?", re.DOTALL)
_DATE_SIZE = len("YYYY-MM-DD")

#: Scan limit of headings: times are not written later, and scans stay short.
_REACH = 240

#: Offsets from UTC, in minutes, of zone words that mean one zone in practice.
#: None: known as a zone, but of several places or of both halves of the year.
_ZONES: dict[str, int | None] = {
    "UTC": 0, "GMT": 0, "Z": 0, "WET": 0,
    "CET": 60, "CEST": 120, "EET": 120, "EEST": 180, "MSK": 180,
    "WIB": 420, "SGT": 480, "HKT": 480, "AWST": 480, "KST": 540, "JST": 540,
    "AEST": 600, "AEDT": 660, "NZST": 720, "NZDT": 780,
    "BRT": -180, "EDT": -240, "EST": -300, "MDT": -360, "PDT": -420, "PST": -480,
    "AKDT": -480, "AKST": -540, "HST": -600,
    "CST": None, "CDT": None, "MST": None, "IST": None, "BST": None, "ART": None,
    "ET": None, "CT": None, "MT": None, "PT": None,
}  # fmt: skip

_OFFSET = re.compile(r"(?:UTC|GMT) ?([+\-−])(\d{1,2})(?::?([0-5]\d))?")
_ZONE = (
    r"(?:[ \t]*(?P<zone>(?i:UTC|GMT)(?: ?[+\-−]\d{1,2}(?::?[0-5]\d)?)?(?![\w+\-])"
    r"|Z(?!\w)|(?:" + "|".join(sorted(_ZONES, key=len, reverse=True)) + r")(?!\w)))?"
)
_TIME = (
    r"(?P<hour>\d{1,2})(?:[:：](?P<minute>\d\d)(?:[:：]\d\d(?:\.\d{1,6})?)?)?"
    r"(?![\d:：%])(?:[ \t]*(?P<half>[AaPp]\.?[Mm]\b\.?))?" + _ZONE
)
#: A time, and the second one of a range such as ``14:30-15:10``.
_CLOCK = re.compile(
    r"(?:(?<![A-Za-z0-9_.:：/#$€£])(?<!\d[-+–])|(?<=\d\d\d\d-\d\d-\d\d[-_Tt]))"
    + _TIME
    + r"(?:[ \t]*[-–—~～至][ \t]*~?\d{1,2}[:：]\d\d(?:[ \t]*[AaPp][Mm]\b)?"
    + _ZONE.replace("zone", "zone_of_end")
    + r")?"
)
#: Text allowed before a time without a zone and without am or pm.
_LEAD = re.compile(
    r"(?:^|[(（\[【<~≈@,，、;|–—:：·•]|[ \t]-|\bat|\baround|\bsession|"
    r"^\d{1,3}[.)]|\d{4}-\d\d-\d\d[Tt_-]?|day|"
    r"[/年月日号周午晨晚间一二三四五六])[ \t*_`]*$",
    re.IGNORECASE,
)
_NOT_WORDS = re.compile(r"[^\w(（\[【<~≈@,，、;|–—:：·•.)\-/+]+")
_EMPTY_BRACKETS = re.compile(r"\([ \t,~≈@]*\)|（[ \t,~≈@]*）|\[[ \t~]*\]|【[ \t~]*】")
_EDGES = " \t-–—|,，:：·•~≈@*_"


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


class ClockTime(NamedTuple):
    """A time of day, with the zone word it was written with."""

    hour: int
    minute: int
    zone: str = ""


def heading_time(title: str) -> ClockTime | None:
    """Return the time of day a heading names, or None.

    A time counts at the start, after a bracket, a dash, ``~`` or a date, or with
    ``am``, ``pm`` or a zone behind it, so that ratios and ports do not.
    """
    found = _find(title)
    return found[1] if found else None


def title_without_time(title: str) -> str:
    """Return a heading without its time and the time's separators; may be empty."""
    found = _find(title)
    if not found:
        return title.strip()
    start, end = found[0].span()
    rest = f"{title[:start]} {title[end:]}"
    return " ".join(_EMPTY_BRACKETS.sub(" ", rest).split()).strip(_EDGES)


def zone_offset(zone: str) -> int | None:
    """Return a zone's minutes east of UTC, None if it is unknown or ambiguous."""
    word = zone.strip().upper()
    if word in _ZONES:
        return _ZONES[word]
    found = _OFFSET.fullmatch(word)
    if not found:
        return None
    minutes = int(found[2]) * 60 + int(found[3] or 0)
    if minutes > 14 * 60:
        return None
    return minutes if found[1] == "+" else -minutes


def _find(title: str) -> tuple[re.Match[str], ClockTime] | None:
    for found in _CLOCK.finditer(title, 0, _REACH):
        time = _clock(found)
        if time and _stands_alone(title, found):
            return found, time
    return None


def _clock(found: re.Match[str]) -> ClockTime | None:
    half = (found["half"] or "").replace(".", "").lower()
    if not found["minute"] and not half:
        return None
    hour, minute = int(found["hour"]), int(found["minute"] or 0)
    if half and not 1 <= hour <= 12:
        # "14:30 PM" is written, and means 14:30.
        half = ""
    if half:
        hour = hour % 12 + (12 if half == "pm" else 0)
    if hour > 23 or minute > 59:
        return None
    return ClockTime(
        hour, minute, (found["zone"] or found["zone_of_end"] or "").upper()
    )


def _stands_alone(title: str, found: re.Match[str]) -> bool:
    if found["half"] or found["zone"] or found["zone_of_end"]:
        return True
    before = _NOT_WORDS.sub(" ", title[: found.start()])
    return _LEAD.search(before.lstrip()) is not None
