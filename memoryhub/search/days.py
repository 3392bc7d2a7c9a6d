"""Days that a query names, in English, German, French, Spanish, Chinese and Japanese.

A day without a year is that day of each of the last years. What may also be a plain
word ("may", "march") is a month only beside a number, a year or a preposition, or
where it is written as a name.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from typing import NamedTuple

from memoryhub.search.day_words import (
    AGO_BEFORE,
    IN,
    KEPT,
    LAST,
    MONTHS,
    NEAR,
    NUMBERS,
    OF,
    THIS,
    UNITS,
    UNSURE,
    WEEKDAYS,
)
from memoryhub.search.words import fold, name_token, words

#: Years back of which a day without a year can be.
_YEARS = 12
_MOST = 4
_WORD = re.compile(r"\d+(?:st|nd|rd|th|er|\.)?(?![\w-])|[^\W\d_]+|\d[\w./-]*\d|\d")
_ISO = re.compile(r"(?<![\w-])((?:19|20)\d\d)([-/.])(\d\d?)(?:\2(\d\d?))?(?![\w-])")
_GERMAN = re.compile(r"(?<![\w.])(\d\d?)\.(\d\d?)\.((?:19|20)\d\d)(?![\w])")
_CJK_NUMBER = {c: n for n, c in enumerate("〇一二三四五六七八九十")} | {
    "两": 2,
    "兩": 2,
    "天": 7,
    "日": 7,
}
_CJK_DATE = re.compile(
    r"(?:(\d{4})\s*年\s*)?(?:(\d\d?)\s*月\s*)?(?:(\d\d?)\s*[日号號])?"
)
_CJK_NEAR = {
    "今天": 0, "今日": 0, "昨天": 1, "昨日": 1, "前天": 2, "一昨日": 2, "おととい": 2,
}  # fmt: skip
_CJK_AGO = re.compile(
    r"(\d+|[一二两兩三四五六七八九十])\s*个?(天|日|周|週|星期|週間|月|か月|ヶ月|年)(?:之?前)"
)
_CJK_WEEKDAY = re.compile(r"(上|这|這|本)个?(?:周|週|星期|礼拜)([一二三四五六日天])?")
_CJK_SPANS = (
    (r"上个?月|先月", 1, "month"), (r"这个?月|本月|今月", 0, "month"),
    (r"去年", 1, "year"), (r"今年", 0, "year"),
    (r"先週", 1, "week"), (r"今週", 0, "week"),
)  # fmt: skip


class DaySpan(NamedTuple):
    """Days from the first to the last, as numbers, both included."""

    first: int
    last: int

    @classmethod
    def of(cls, first: date, last: date | None = None) -> DaySpan:
        """Return the span between two days, or of one."""
        return cls(first.toordinal(), (last or first).toordinal())

    @property
    def names(self) -> list[str]:
        """The years, months or days of the span, as ISO 8601 writes them."""
        first, last = date.fromordinal(self.first), date.fromordinal(self.last)
        if (first.month, first.day, last.month, last.day) == (1, 1, 12, 31):
            return [str(year) for year in range(first.year, last.year + 1)]
        if first.day == 1 and last.day == monthrange(last.year, last.month)[1]:
            return [f"{first:%Y-%m}"]
        days = range(self.first, self.last + 1)
        return [date.fromordinal(day).isoformat() for day in days]


@dataclass(frozen=True, slots=True)
class Days:
    """The days of a query, with the words that name them and nothing else."""

    spans: tuple[DaySpan, ...] = ()
    words: frozenset[str] = frozenset()
    parts: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.spans)

    def without(self, word: str) -> str:
        """Strip a query word to the part that may name a day.

        The name of a month stays, because a text may name it too.
        """
        if not self.spans or (folded := fold(word.strip(",.;:?!()"))) in KEPT:
            return word
        if folded in self.words or word in self.parts:
            return ""
        for part in self.parts:
            if not part.isascii():
                word = word.replace(part, " ")
        return word


NO_DAYS = Days()


class _Found(NamedTuple):
    """Spans named between two offsets of a text."""

    start: int
    end: int
    spans: list[DaySpan]


class _Token(NamedTuple):
    start: int
    end: int
    word: str
    is_name: bool

    @property
    def number(self) -> int:
        """The number that a word is; -1 if it is none."""
        found = re.match(r"\d+", self.word)
        if found and len(found[0]) <= 4:
            return int(found[0])
        return NUMBERS.get(self.word, -1)

    @property
    def is_digits(self) -> bool:
        return self.word[0].isdigit()

    @property
    def year(self) -> int:
        """The year that a word is; 0 if it is none."""
        year = self.number if self.is_digits else -1
        return year if 1900 <= year <= 2100 else 0

    @property
    def day(self) -> int:
        """The day of a month that a word is; 0 if it is none."""
        return self.number if self.is_digits and 0 < self.number <= 31 else 0


def days_in(text: str, today: date) -> Days:
    """Return the days that a text names."""
    found = sorted(_found(text, today), key=lambda one: (one.start, -one.end))
    chosen: list[_Found] = []
    for one in found:
        if one.spans and (not chosen or one.start >= chosen[-1].end):
            chosen.append(one)
    chosen = chosen[:_MOST]
    parts = [text[one.start : one.end] for one in chosen]
    return Days(
        tuple(dict.fromkeys(span for one in chosen for span in one.spans)),
        frozenset(fold(word) for part in parts for word in words(part)),
        tuple(parts),
    )


def _found(text: str, today: date) -> Iterator[_Found]:
    for iso in _ISO.finditer(text):
        year, month, day = (int(iso[part] or 0) for part in (1, 3, 4))
        yield _Found(*iso.span(), _of(year, month, day, today))
    for german in _GERMAN.finditer(text):
        year, month, day = map(int, reversed(german.groups()))
        yield _Found(*german.span(), _of(year, month, day, today))
    if not text.isascii():
        yield from _cjk(text, today)
    tokens = [
        _Token(*word.span(), fold(word[0]).rstrip("."), word[0][0].isupper())
        for word in _WORD.finditer(text)
    ]
    for at in range(len(tokens)):
        yield from _absolute(tokens, at, today)
        yield from _relative(tokens, at, today)


def _absolute(tokens: list[_Token], at: int, today: date) -> Iterator[_Found]:
    """Yield the month at a token with the day and the year around it, or a year."""
    token = tokens[at]
    if (month := MONTHS.get(token.word)) is None:
        before = tokens[at - 1].word if at else ""
        if token.year and before in IN:
            yield _Found(token.start, token.end, _of(token.year, 0, 0, today))
        return
    first, last, day, year = at, at, 0, 0
    lower = at - 1
    if lower > 0 and tokens[lower].word in OF:
        lower -= 1
    if lower >= 0 and (day := tokens[lower].day):
        first = lower
    after = at + 1
    if not day and after < len(tokens) and (day := tokens[after].day):
        last, after = after, after + 1
    if after < len(tokens) - 1 and tokens[after].word in OF:
        after += 1
    if after < len(tokens) and (year := tokens[after].year):
        last = after
    if day or year or _is_month(tokens, at):
        spans = _of(year, month, day, today)
        yield _Found(tokens[first].start, tokens[last].end, spans)


def _is_month(tokens: list[_Token], at: int) -> bool:
    """Return whether the name of a month stands for one without day and year."""
    before = tokens[at - 1].word if at else ""
    if before in IN or before in LAST or before in THIS:
        return True
    if tokens[at].word in UNSURE:
        return len(tokens) == 1 and tokens[at].is_name
    return True


def _relative(tokens: list[_Token], at: int, today: date) -> Iterator[_Found]:
    token, word = tokens[at], tokens[at].word
    before = tokens[at - 1] if at else None
    after = tokens[at + 1] if at + 1 < len(tokens) else None
    if word in NEAR and not (word == "hier" and not _is_french(tokens)):
        away = NEAR[word]
        if before and before.word in {"before", "avant"} and away == 1:
            yield _Found(before.start, token.end, _ago(today, 2))
        yield _Found(token.start, token.end, _ago(today, away))
    for other in (before, after):
        if other is None or other.word not in LAST | THIS:
            continue
        spans = _named(word, today, back=other.word in LAST)
        yield _Found(min(token.start, other.start), max(token.end, other.end), spans)
    if word in UNITS and before and before.number >= 0:
        size = UNITS[word]
        earlier = tokens[at - 2].word if at >= 2 else ""
        if after and after.word == "ago":
            yield _Found(before.start, after.end, _some_ago(today, before.number, size))
        elif earlier in AGO_BEFORE:
            start = tokens[at - 2 - len(AGO_BEFORE[earlier])].start
            yield _Found(start, token.end, _some_ago(today, before.number, size))


def _is_french(tokens: list[_Token]) -> bool:
    """Return whether "hier" is French "yesterday" rather than German "here"."""
    words = {token.word for token in tokens}
    return bool(
        words
        & {"le", "la", "les", "des", "du", "qu", "que", "est", "avons", "a", "fait"}
        or len(tokens) == 1
    )


def _named(word: str, today: date, *, back: bool) -> list[DaySpan]:
    """Return the last or the current weekday, week, month or year."""
    if word in WEEKDAYS:
        away = (today.weekday() - WEEKDAYS[word]) % 7
        return _ago(today, away or (7 if back else 0))
    if word in MONTHS:
        year = today.year - (MONTHS[word] > today.month - back)
        return _of(year, MONTHS[word], 0, today)
    units = {7: "week", 30: "month", 365: "year"}
    unit = units.get(UNITS.get(word, 0))
    return _unit(today, unit, int(back)) if unit else []


def _unit(today: date, unit: str, back: int) -> list[DaySpan]:
    """Return the week, month or year that was so many before today's."""
    if unit == "week":
        monday = today - timedelta(days=today.weekday() + 7 * back)
        return [DaySpan.of(monday, monday + timedelta(days=6))]
    if unit == "year":
        return _of(today.year - back, 0, 0, today)
    months = today.year * 12 + today.month - 1 - back
    return _of(months // 12, months % 12 + 1, 0, today)


def _ago(today: date, days: int) -> list[DaySpan]:
    return [DaySpan.of(today - timedelta(days=days))]


def _some_ago(today: date, number: int, size: int) -> list[DaySpan]:
    """Return the days about so many units ago: a week is meant by its days around."""
    if number * size > 365 * 100:
        return []
    day = today - timedelta(days=number * size)
    around = timedelta(days={1: 0, 7: 3, 30: 15, 365: 180}[size])
    return [DaySpan.of(day - around, min(today, day + around))]


def _of(year: int, month: int, day: int, today: date) -> list[DaySpan]:
    """Return a day, month or year; without a year that of each of the last years."""
    years = [year] if year else range(today.year, today.year - _YEARS, -1)
    spans = []
    for one in years:
        try:
            first = date(one, month or 1, day or 1)
        except ValueError:
            continue
        if day:
            last = first
        elif month:
            last = date(one, month, monthrange(one, month)[1])
        else:
            last = date(one, 12, 31)
        spans.append(DaySpan.of(first, last))
    return spans


def _cjk(text: str, today: date) -> Iterator[_Found]:
    for found in _CJK_DATE.finditer(text):
        year, month, day = (int(part or 0) for part in found.groups())
        if year or (month and found[0]):
            yield _Found(*found.span(), _of(year, month, day if month else 0, today))
    for name, away in _CJK_NEAR.items():
        for found in re.finditer(name, text):
            yield _Found(*found.span(), _ago(today, away))
    for found in _CJK_AGO.finditer(text):
        number = int(found[1]) if found[1].isdecimal() else _CJK_NUMBER[found[1]]
        unit = found[2]
        size = (
            1 if unit in "天日" else 365 if unit == "年" else 30 if "月" in unit else 7
        )
        yield _Found(*found.span(), _some_ago(today, number, size))
    for found in _CJK_WEEKDAY.finditer(text):
        (week,) = _unit(today, "week", int(found[1] == "上"))
        if found[2]:
            day = week.first + _CJK_NUMBER[found[2]] - 1
            week = DaySpan(day, day)
        yield _Found(*found.span(), [week])
    for pattern, back, unit in _CJK_SPANS:
        for found in re.finditer(pattern, text):
            yield _Found(*found.span(), _unit(today, unit, back))


def day_names(day: date) -> tuple[str, str, str]:
    """Return the names under which a day is indexed: itself, its month, its year."""
    return day.isoformat(), f"{day:%Y-%m}", str(day.year)


def day_token(name: str) -> str:
    """Return the index term of a day, month or year by its name."""
    return name_token(f"day:{name}")
