"""Dates and times in agents' notations: strict, validated, never guessed.

Zones in headings are kept as written; only those that mean one offset have one here.
"""

from __future__ import annotations

import datetime
import re
from functools import lru_cache
from typing import NamedTuple

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TIMESTAMP = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}"
    r"(?::[0-9]{2}(?:[.,][0-9]{1,9})?)?(?! ?[+-][0-9]{2}:?[6-9][0-9](?:[ \t]|\Z))"
    r"(?: ?(?:[Zz]|[+-][0-9]{2}:?[0-9]{2}))?"
)
#: A time, a blank and the rest of the text.
_TIMED = re.compile(rf"({_TIMESTAMP.pattern})(?:[ \t]+(?P<rest>.*))?", re.DOTALL)
_DATE_SIZE = len("YYYY-MM-DD")
_DIGIT = re.compile("[0-9]")
#: What may stand before the time that a line begins with.
_OPENING = re.compile(
    r"[\W_]*(?:\d{4}-\d\d-\d\d[ ,T]+|\d{1,2}\.\d{1,2}\.(?:\d{4})?,?[ ]+)?[\W_]*"
    r"(?:(?:at|around|um|gegen|ab|às|as|a las|las|à|vers|alle|ore|kl|klo|в|около|o"
    r"|godz|h)"
    r"\.?[ ]+)?",
    re.IGNORECASE,
)
#: A word for a part of the day before a time is shorter.
_PART_SIZE = 8

#: Scan limit of headings: times are not written later, and scans stay short.
_REACH = 240
#: The same for a time that a line begins with.
_LEADING = 60

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
    r"(?:[ \t]*(?P<open_zone>[(（])?"
    r"(?P<zone>(?i:UTC|GMT)(?: ?[+\-−]\d{1,2}(?::?[0-5]\d)?)?(?![\w+\-])"
    r"|Z(?!\w)|(?:" + "|".join(sorted(_ZONES, key=len, reverse=True)) + r")(?!\w))"
    r"(?(open_zone)[)）]))?"
)
#: Words for a part of the day before a time, and behind one, by what they do to an
#: hour up to twelve. `late`: before five it is past midnight.
_PARTS: dict[str, tuple[str, ...]] = {
    "am": (
        *("早上", "清晨", "上午", "早晨", "凌晨", "早", "午前", "朝", "早朝", "未明"),
        *("오전", "새벽", "아침"),
    ),
    "noon": ("中午", "正午", "昼", "낮", "점심", "한낮"),
    "pm": ("下午", "午后", "傍晚", "午後", "夕方", "오후", "저녁"),
    "late": (
        *("晚上", "晚间", "今晚", "昨晚", "晚", "夜里", "夜间", "深夜", "半夜", "午夜"),
        *("夜", "밤", "한밤", "늦은 밤"),
    ),
}
_TAILS: dict[str, tuple[str, ...]] = {
    "am": (
        *("da manhã", "da madrugada", "de la mañana", "de la madrugada", "del mattino"),
        *("di mattina", "du matin", "morgens", "früh", "vormittags", "утра", "ночи"),
        *("in the morning", "rano"),
    ),
    "noon": ("дня", "mittags"),
    "pm": (
        *(
            "da tarde",
            "de la tarde",
            "del pomeriggio",
            "de l'après-midi",
            "nachmittags",
        ),
        *("nachmittags", "in the afternoon"),
    ),
    "late": (
        *("da noite", "de la noche", "di sera", "du soir", "abends", "nachts"),
        *("вечера", "in the evening", "at night", "wieczorem"),
    ),
}
_SHIFTS = {
    word: shift
    for words in (_PARTS, _TAILS)
    for shift, listed in words.items()
    for word in listed
}


def _one_of(words: dict[str, tuple[str, ...]]) -> str:
    listed = [re.escape(word) for some in words.values() for word in some]
    return "|".join(sorted(listed, key=len, reverse=True))


_TIME = (
    rf"(?:(?P<part>{_one_of(_PARTS)})[ \t]*)?"
    r"(?P<hour>\d{1,2})(?:[:：](?P<minute>\d\d)(?:[:：]\d\d(?:\.\d{1,6})?)?"
    r"|\.(?P<dotted>[0-5]\d)(?![.\d])"
    r"|[ \t]?(?P<h>[hH])(?:[ \t]?(?P<h_minute>[0-5]\d))?(?:min)?(?![^\W_])"
    r"|[ \t]?(?P<mark>[点點時时](?!间|間|候|代|差|评|計)|시(?!간))"
    r"(?:(?P<half_hour>半|[ \t]?반)|[整钟鐘]|[ \t]?(?P<marked>[0-5]?\d)[分분])?)?"
    r"(?![\d:：%])"
    r"(?:[ \t]?(?P<clock>[Uu]hr(?![^\W_])|h\b)(?:[ \t](?P<uhr>[0-5]\d)\b)?)?"
    r"(?:[ \t]*(?:(?P<half>[AaPp]\.?[ ]?[Mm]\b\.?)"
    rf"|(?P<tail>{_one_of(_TAILS)})(?!\w)))?" + _ZONE
)
#: A time, and the second one of a range such as ``14:30-15:10``.
_CLOCK = re.compile(
    r"(?:(?<![A-Za-z0-9_.:：/#$€£第])(?<!\d[-+–])|(?<=\d\d\d\d-\d\d-\d\d[-_Tt]))"
    + _TIME
    + r"(?:[ \t]*(?:[-–—~～〜至]|bis|to|à|até|-|до)[ \t]*~?\d{1,2}"
    r"(?:[:：.hH]\d\d|[hH](?!\w)|[点點時时](?:\d{1,2}分)?|시(?:[ \t]?\d{1,2}분)?)"
    r"(?:[ \t]*(?:[AaPp][Mm]|Uhr)\b)?" + _ZONE.replace("zone", "zone_of_end") + r")?"
)
#: Groups of a time: its minute; words that make the digits a time, or a time of them
#: wherever they are.
_MINUTES = ("minute", "dotted", "h_minute", "marked", "uhr")
_SAYING_TIME = ("part", "tail", "mark", "clock", "h")
_STANDING_ALONE = ("half", "zone", "zone_of_end", "tail", "clock")
#: A day and a time in one stamp; its offset is kept as a zone.
_STAMP = re.compile(
    r"(?<!\d)\d{4}-\d\d-\d\d[Tt](?P<hour>\d\d):(?P<minute>\d\d)"
    r"(?::\d\d(?:[.,]\d{1,9})?)?(?P<zone>[Zz](?!\w)|[+-]\d\d:?\d\d(?!\d))"
)
#: Four digits, which are a time with a word that says so: ``0930h``, ``1430 UTC``.
_DIGITS = re.compile(
    r"(?<![\w.:/#$€£-])(?P<hour>[01]\d|2[0-3])(?P<minute>[0-5]\d)"
    r"[ \t]?(?:h(?:rs|ours)?(?!\w)|(?P<zone>UTC|GMT|Z)(?!\w))"
)
#: Text allowed before a time without a zone and without am or pm.
_LEAD = re.compile(
    r"(?:^|[(（\[【<~≈@,，、;|–—:：·•]|[ \t]-|\bat|\baround|\bsession|"
    r"\b(?:um|gegen|ab|às|as|a las|las|à|vers|alle|ore|kl|klo|в|около|o|około|godz"
    r"|h)\.?|"
    r"^\d{1,3}[.)]|\d{4}-\d\d-\d\d[Tt_-]?|day|"
    r"[/年月日号周午晨晚间一二三四五六])[ \t*_`]*$",
    re.IGNORECASE,
)
#: Words before a time with a full stop, which is a number or a day otherwise.
_LEAD_OF_DOTTED = re.compile(
    r"\b(?:um|gegen|ab|alle|ore|kl|klo|a las|às|à|vers|o|godz|h)\.?[ \t]*$",
    re.IGNORECASE,
)
_MORNING = ("6", "7", "8", "9")
_NOT_WORDS = re.compile(r"[^\w(（\[【<~≈@,，、;|–—:：·•.)\-/+]+")
#: What ends a title, or separates a time from the words behind it.
_ENDS = re.compile(r"[ \t*_`]*(?:$|[-–—|·•,，:：;)）\]】](?!\d)|[^\w\s\x00-\x7f])")
#: A blank or an end behind a mark such as 点, which also counts points.
_BLANK_OR_END = re.compile(r"[ \t]|$|[-–—|·•,，:：;)）\]】]")
#: The end of a title in a text that goes on behind it.
_ENDED = re.compile(r"[.:;](?:\s+|\Z)|[ \t*]*(?:\n\s*|\Z)|[。：；]")
_EMPTY_BRACKETS = re.compile(r"\([ \t,~≈@]*\)|（[ \t,~≈@]*）|\[[ \t~]*\]|【[ \t~]*】")
_EDGES = " \t-–—|,，:：·•~≈@*_"
#: A dash behind a time separates more than a comma before it.
_DASHES, _COMMAS = frozenset("-–—|"), ",，、;；"


def parse_date(text: str) -> datetime.date | None:
    """Return the day of exactly ``YYYY-MM-DD``; None for any other text."""
    try:
        return datetime.date.fromisoformat(text) if _DATE.fullmatch(text) else None
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
    written = text.strip()
    if not _TIMESTAMP.fullmatch(written):
        return None
    day, rest = written[:_DATE_SIZE], written[_DATE_SIZE + 1 :]
    try:
        rest = rest.replace(" ", "").upper()
        moment = datetime.datetime.fromisoformat(f"{day}T{rest}")
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


class ClockTime(NamedTuple):
    """A time of day, with the zone word it was written with."""

    hour: int
    minute: int
    zone: str = ""


def heading_time(title: str) -> ClockTime | None:
    """Return the time of day a heading names, or None.

    A time counts at the start, after a bracket, a dash, ``~`` or a date, or with a
    word that makes it one (``am``, ``Uhr``, a part of the day, a zone), so that ratios,
    ports and durations do not. Behind other words it ends the title or a part of it.
    """
    found = _find(title[:_REACH])
    return found[1] if found else None


def leading_time(text: str) -> ClockTime | None:
    """Return the time that a line begins with, behind marks, a day or a preposition."""
    opening = _OPENING.match(text)
    start = opening.end() if opening else 0
    if not _DIGIT.search(text, start, start + _PART_SIZE):
        return None
    found = _find(text[:_LEADING])
    return found[1] if found and found[0].start() <= start else None


@lru_cache(maxsize=2048)
def title_without_time(title: str) -> str:
    """Return a heading without its time and the time's separators; may be empty."""
    found = _find(title)
    if not found:
        return title.strip()
    start, end = found[0].span()
    before = title[:start].rstrip()
    after = title[end:]
    if not any(map(str.isalnum, before)):
        # An ornament before the time is the title's.
        after = after.lstrip(_EDGES)
    if after.lstrip()[:1] in _DASHES:
        before = before.rstrip(_COMMAS)
    rest = f"{before} {after}"
    return " ".join(_EMPTY_BRACKETS.sub(" ", rest).split()).strip(_EDGES)


def after_title(text: str, title: str) -> str:
    """Return an entry's text without its beginning that its title repeats.

    Before the title there may be a mark of a list and a time.
    """
    at = text.find(title) if title else -1
    if at < 0 or any(map(str.isalnum, title_without_time(text[:at]))):
        return text
    ended = _ENDED.match(text, at + len(title))
    return text[ended.end() :] if ended else text


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


@lru_cache(maxsize=2048)
def _find(title: str) -> tuple[re.Match[str], ClockTime] | None:
    if not _DIGIT.search(title, 0, _REACH):
        return None
    if found := _STAMP.search(title, 0, _REACH):
        return _stamped(found)
    for found in _CLOCK.finditer(title, 0, _REACH):
        time = _clock(found)
        if time and _stands_alone(title, found):
            return found, time
    if found := _DIGITS.search(title, 0, _REACH):
        return _stamped(found)
    return None


def _stamped(found: re.Match[str]) -> tuple[re.Match[str], ClockTime] | None:
    hour, minute, zone = int(found["hour"]), int(found["minute"]), found["zone"] or ""
    if hour > 23 or minute > 59:
        return None
    zone = zone.upper() if zone[:1] not in ("+", "-") else f"UTC{zone}"
    return found, ClockTime(hour, minute, zone)


def _clock(found: re.Match[str]) -> ClockTime | None:
    written, half = _written_minute(found), found["half"]
    if not (written or half or any(found.group(*_SAYING_TIME))):
        return None
    hour = int(found["hour"])
    minute = 30 if found["half_hour"] else int(written or 0)
    half = half.replace(".", "").replace(" ", "").lower() if half else ""
    if half and not 1 <= hour <= 12:
        # "14:30 PM" is written, and means 14:30.
        half = ""
    shift = half or _SHIFTS.get(found["part"] or found["tail"] or "", "")
    if shift and hour <= 12:
        hour = _shifted(hour, shift, is_half=bool(half))
    if hour > 23 or minute > 59:
        return None
    return ClockTime(
        hour, minute, (found["zone"] or found["zone_of_end"] or "").upper()
    )


def _written_minute(found: re.Match[str]) -> str | None:
    return next(filter(None, found.group(*_MINUTES)), None)


def _shifted(hour: int, shift: str, *, is_half: bool) -> int:
    """Return the hour of a day for one of half a day."""
    if shift == "am":
        return hour % 12
    if shift == "noon":
        return hour if hour >= 10 else hour + 12
    if shift == "late" and not is_half:
        return hour % 12 if hour < 5 or hour == 12 else hour + 12
    return hour % 12 + 12


def _is_dotted_time(
    found: re.Match[str], before: str, *, ends: re.Match[str] | None
) -> bool:
    """Return whether ``09.15`` is a time: behind a preposition, or as a title begins.

    Of one digit it is more often a number: only a usual time of the day counts.
    """
    if _LEAD_OF_DOTTED.search(before):
        return True
    usual = found["hour"] in _MORNING and int(found["dotted"]) % 5 == 0
    return not before and ends is not None and (len(found["hour"]) == 2 or usual)


def _stands_alone(title: str, found: re.Match[str]) -> bool:
    if any(found.group(*_STANDING_ALONE)):
        return True
    if found["part"]:
        return bool(_written_minute(found) or found["mark"] or found["h"])
    if found["mark"]:
        rest = _BLANK_OR_END.match(title, found.end())
        return bool(found["marked"] or found["half_hour"] or rest)
    before = _NOT_WORDS.sub(" ", title[: found.start()]).lstrip()
    if found["dotted"]:
        return _is_dotted_time(found, before, ends=_ENDS.match(title, found.end()))
    is_led = _LEAD.search(before) is not None
    ends = _ENDS.match(title, found.end()) is not None
    if found["h"] and not found["h_minute"]:
        # ``18h Réunion`` is a time, ``18h of work`` and ``2h Debugging`` are none.
        names = title[found.end() :].lstrip(" \t")[:1].isupper()
        stands = ends or (not before and names and len(found["hour"]) == 2)
        return stands and (not before or _LEAD_OF_DOTTED.search(before) is not None)
    return is_led or (ends and len(found["hour"]) == 2)
