"""Days that a query names, in English, German, French, Spanish, Chinese and Japanese.

A day without a year is that day of each of the last years. What may also be a plain
word ("may", "march") is a month only beside a number, a year or a preposition, or
where it is written as a name.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import chain
from typing import NamedTuple

from memoryhub.formats.text.days import any_of, names_of
from memoryhub.search.words import fold, name_token, words

#: Years back of which a day without a year can be.
_YEARS = 12
#: A longer time ago names no days.
_LONGEST_YEARS = 100
#: Days before and after one so many units ago that are meant too, by the unit's days.
_AROUND = {1: 0, 7: 3, 30: 15, 365: 180}
#: Days named by a query at most.
_MOST = 4

_LANGUAGES = ("en", "de", "fr", "es")
#: "ago" is Spanish too, but seldom.
_MONTHS = {fold(n): at for n, at in names_of("months", *_LANGUAGES).items()}
del _MONTHS["ago"]
#: Names that are also words, or too short to be sure.
_UNSURE = {name for name in _MONTHS if len(name) == 3} - {"mai"} | {"mars"}
#: Months whose name is a verb too.
_MOVES = {"march"}
_MAYBE = _UNSURE | _MOVES
#: Weekdays from 0, without short names, which are words too.
_WEEKDAYS = {
    fold(name): at - 1
    for name, at in names_of("weekdays", *_LANGUAGES).items()
    if len(name) > 4
}
_IN = "in|im|en|during|since|seit|depuis|desde|of|by|until|early|late|mid"
_OF = "of|the|de|der|den|le|el|du"
#: Words before or behind a week, a weekday or a month, by how many before this one.
_BACK = {
    0: "this|current|diese[nrsm]?|ce|cette|cet|est[ea]",
    1: "last|past|previous|(?:letzte|vergangene|vorige)[nrs]?|derni(?:er|ere)s?"
    "|pasad[oa]s?|ultim[oa]s?",
    2: "vorletzte[nrs]?",
}
_UNITS = {
    1: "days?|tag(?:e|en)?|jours?|dias?",
    7: "weeks?|wochen?|semaines?|semanas?",
    30: "months?|monat(?:e|en|s)?|mois|mes(?:es)?",
    365: "years?|jahr(?:e|en|s)?|annees?|an|ans|anos?",
}
_PARTS_OF_DAYS = (
    "night|evening|morning|afternoon|nacht|abend|nuit|soir|matin|noche|manana"
)
_NUMBERS = {
    name: number
    for number, names in enumerate(
        (
            "a an one ein eine einem einer un une uno una", "two zwei deux dos couple",
            "three drei trois tres", "four vier quatre cuatro", "five funf cinq cinco",
            "six sechs seis", "seven sieben sept siete", "eight acht huit ocho",
            "nine neun neuf nueve", "ten zehn dix diez", "eleven elf onze once",
            "twelve zwolf douze doce",
        ),
        1,
    )
    for name in names.split()
}  # fmt: skip
#: Words for a day, by the days since.
_NEAR = {
    "today": 0, "tonight": 0, "heute": 0, "hoy": 0, "yesterday": 1, "gestern": 1,
    "hier": 1, "ayer": 1, "vorgestern": 2, "anteayer": 2,
}  # fmt: skip
#: Words that show that "hier" is French "yesterday" rather than German "here".
_FRENCH = re.compile(
    r"\b(?:le|la|les|des|du|qu|que|est|avons|a|fait|soir|matin|avant|etait|ete|quoi)\b"
)


def _known(words: dict[int, str], found: str) -> int:
    """Return the number by which a word is known."""
    return next(key for key, names in words.items() if re.fullmatch(names, found))


def _rule(pattern: str) -> re.Pattern[str]:
    """Return a pattern of folded words, which capitals name; a blank is any gap."""
    spelled = {
        "MONTH": any_of(_MONTHS), "WEEKDAY": any_of(_WEEKDAYS), "PART": _PARTS_OF_DAYS,
        "BACK": "|".join(_BACK.values()), "UNIT": "|".join(_UNITS.values()),
        "WEEK": _UNITS[7], "YEARS": _UNITS[365], "NEAR": any_of(_NEAR), "IN": _IN,
        "OF": _OF, "NUMBER": rf"\d{{1,4}}|{any_of(_NUMBERS)}",
        "DAY": "0?[1-9]|[12][0-9]|3[01]",
        "TH": r"(?:(?:st|nd|rd|th|er|\.)?-\d\d?)?(?:st|nd|rd|th|er|\.)?",
        "FULL": r"(?:19|20)\d\d(?![\w-])",
    }  # fmt: skip
    written = re.sub("[A-Z]{2,}", lambda name: f"(?:{spelled[name[0]]})", pattern)
    return re.compile(written.replace(" ", r"[\W_]+"))


_DATED = _rule(
    r"(?:(?<![a-z\d_.])(?<!\d-)(?P<before>DAY)TH(?: OF )?[\W_]*)?"
    r"(?<![^\W\d_])(?P<month>MONTH)(?![^\W\d_])"
    r"(?(before)|(?:[\W_]*(?P<day>DAY)TH(?!\w))?)(?: (?:OF )?(?P<year>FULL))?"
)
#: What makes a month's name one, without a day and a year.
_IN_BEFORE, _BACK_BEFORE = _rule(r"\bIN $"), _rule(r"\b(?P<back>BACK) $")
_OF_YEAR = _rule(r" (?:OF )*(?:BACK (?:OF )*YEARS|YEARS (?:OF )*BACK)\b")
_IN_YEAR = _rule(r"\bIN (?P<year>FULL)")
_NEAREST = _rule(r"\b(?:(?P<before>before|avant) )?(?P<near>NEAR)\b")
_OF_WEEK = _rule(
    r"\b(?P<day>WEEKDAY) (?:OF )*(?:(?P<back>BACK) (?:OF )*WEEK"
    r"|WEEK (?:OF )*(?P<behind>BACK))\b"
)
_NAMED = "(?:WEEKDAY|MONTH|PART|UNIT)"
_BESIDE = _rule(
    rf"\b(?:(?P<back>BACK) (?P<name>{_NAMED})"
    rf"|(?P<named>{_NAMED}) (?P<behind>BACK)(?! {_NAMED}\b))\b"
)
_COUNTED = _rule(
    r"\b(?:(?:(?P<since>vor|il y a|hace)|(?P<back>BACK)) )?(?P<count>NUMBER)"
    r"(?: (?P<between>BACK))?(?: |(?<=\d))(?P<unit>UNIT)(?P<ago> ago)?\b"
)

_YEAR = re.compile(r"(?:19|20)\d\d")
_ISO = re.compile(
    r"(?<![\w-])(?P<year>(?:19|20)\d\d)(?P<mark>[-/.])(?P<month>\d\d?)"
    r"(?:(?P=mark)(?P<day>\d\d?))?(?![\w-])"
)
_GERMAN = re.compile(
    r"(?P<led>(?<=\bam )|(?<=\bvom )|(?<=\bzum ))?(?<![\w.])(?P<day>\d\d?)\."
    r"(?P<month>\d\d?)\.(?P<year>(?:19|20)\d\d)?(?!\w)"
)
#: The order of day and month is not known: both are meant.
_SLASHED = re.compile(r"(?<![\w/])(\d\d?)/(\d\d?)/((?:19|20)\d\d)(?![\w/])")
#: Names of months that are no words otherwise: a text may name them too.
_KEPT = _MONTHS.keys() - _UNSURE

_DIGITS = {c: n for n, c in enumerate("〇一二三四五六七八九")} | {
    "零": 0, "两": 2, "兩": 2,
}  # fmt: skip
_CJK_NUMBER = r"(?:\d+|[〇零一二两兩三四五六七八九十]+)"
_YEARS_BACK = {"今年": 0, "本年": 0, "去年": 1, "昨年": 1, "前年": 2, "一昨年": 2}
_CJK_YEAR = any_of(_YEARS_BACK)
_CJK_DATE = re.compile(
    r"(?=[\d〇零一二两兩三四五六七八九十今本去昨前])"
    rf"(?:(?:(?P<year>\d{{4}}|[〇零一二三四五六七八九]{{4}})\s*年|(?P<back>{_CJK_YEAR})的?の?)\s*)?"
    rf"(?:(?P<month>{_CJK_NUMBER})\s*月份?)?(?:\s*(?P<day>{_CJK_NUMBER})\s*[日号號])?"
)
#: Words for a day, by the days since.
_CJK_NEAR = {
    "今天": 0, "今日": 0, "今早": 0, "今晚": 0, "今朝": 0, "今夜": 0, "今晩": 0,
    "昨天": 1, "昨日": 1, "昨晚": 1, "昨夜": 1, "昨晩": 1, "きのう": 1,
    "前天": 2, "一昨日": 2, "おととい": 2, "大前天": 3,
}  # fmt: skip
_CJK_NEAREST = re.compile(any_of(_CJK_NEAR))
#: Days in a unit of time; longer words come first.
_CJK_UNITS = {
    "星期": 7, "礼拜": 7, "禮拜": 7, "週間": 7, "周": 7, "週": 7,
    "か月": 30, "ヶ月": 30, "ケ月": 30, "カ月": 30, "ヵ月": 30, "月": 30,
    "年": 365, "天": 1, "日": 1,
}  # fmt: skip
_CJK_AGO = re.compile(rf"({_CJK_NUMBER})\s*[个個]?({'|'.join(_CJK_UNITS)})[之以]?前")
_CJK_RECENT = re.compile(
    rf"(?:最近|过去|過去|直近)の?({_CJK_NUMBER})\s*[个個]?({'|'.join(_CJK_UNITS)})間?"
)
_CJK_BACK = {"上上": 2, "先々": 2, "上": 1, "先": 1, "这": 0, "這": 0, "本": 0, "今": 0}
_WHICH = "|".join(_CJK_BACK)
_CJK_WEEK = re.compile(
    rf"({_WHICH})[个個]?(?:周|週|星期|礼拜|禮拜)"
    r"(?:([一二三四五六日天末])|の?([月火水木金土日])曜日?)?"
)
_CJK_MONTH = re.compile(rf"({_WHICH})[个個]?月")
_CJK_WEEKDAYS = {c: n for n, c in enumerate("一二三四五六日")} | {
    "天": 6, "月": 0, "火": 1, "水": 2, "木": 3, "金": 4, "土": 5,
}  # fmt: skip
_WEEKEND = "末"


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


#: Spans named between two offsets of a text.
Found = tuple[int, int, list[DaySpan]]


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

        The name of a month and a year stay, because a text may name them too.
        """
        folded = fold(word.strip(",.;:?!()"))
        if not self.spans or folded in _KEPT or _YEAR.fullmatch(folded):
            return word
        if folded in self.words or word in self.parts:
            return ""
        for part in self.parts:
            if not part.isascii():
                word = word.replace(part, " ")
        return word


NO_DAYS = Days()


def days_in(text: str, today: date) -> Days:
    """Return the days that a text names."""
    found = sorted(_found(text, today), key=lambda one: (one[0], -one[1]))
    chosen: list[Found] = []
    for one in found:
        if one[2] and (not chosen or one[0] >= chosen[-1][1]):
            chosen.append(one)
    chosen = chosen[:_MOST]
    parts = [text[start:end] for start, end, _ in chosen]
    return Days(
        tuple(dict.fromkeys(_in_their_year([one[2] for one in chosen]))),
        frozenset(fold(word) for part in parts for word in words(part)),
        tuple(parts),
    )


def _in_their_year(found: Sequence[list[DaySpan]]) -> Iterator[DaySpan]:
    """Yield spans; days without a year are in the only year that the query names."""
    years = [spans[0] for spans in found if len(spans) == 1 and spans[0].is_year]
    dated = [spans for spans in found if len(spans) > 1]
    if len(years) != 1 or not dated:
        yield from chain.from_iterable(found)
        return
    ((first, last),) = years
    yield from (span for span in chain(*dated) if first <= span.first <= last)


def _found(text: str, today: date) -> Iterator[Found]:
    """Yield the days that a text names, with their places; they can overlap."""
    plain = "".join((fold(letter) or letter)[0] for letter in text)
    yield from _numeric(plain, today)
    for found in _DATED.finditer(plain):
        day, year = int(found["before"] or found["day"] or 0), int(found["year"] or 0)
        if day or year or _is_month(text, plain, found):
            month = _MONTHS[found["month"]]
            yield *found.span(), days_of(year, month, day, today)
    for found in _IN_YEAR.finditer(plain):
        yield *found.span("year"), days_of(int(found["year"]), 0, 0, today)
    for found in _NEAREST.finditer(plain):
        if found["near"] != "hier" or plain == "hier" or _FRENCH.search(plain):
            away = _NEAR[found["near"]]
            is_before = away == 1 and found["before"]
            start = found.start() if is_before else found.start("near")
            yield start, found.end(), _ago(today, 2 if is_before else away)
    yield from _relative(text, plain, today)
    if not text.isascii():
        yield from _cjk_days(text, today)


def _numeric(plain: str, today: date) -> Iterator[Found]:
    for rule in (_ISO, _GERMAN):
        for found in rule.finditer(plain):
            if rule is _ISO or found["year"] or found["led"] is not None:
                year, month, day = (
                    int(found[p] or 0) for p in ("year", "month", "day")
                )
                yield *found.span(), days_of(year, month, day, today)
    for slashed in _SLASHED.finditer(plain):
        one, other, year = map(int, slashed.groups())
        spans = days_of(year, one, other, today) + days_of(year, other, one, today)
        yield *slashed.span(), spans


def _is_month(text: str, plain: str, found: re.Match[str]) -> bool:
    """Return whether the name of a month stands for one without day and year."""
    before, name = plain[: found.start("month")], found["month"]
    is_name = text[found.start("month")].isupper()
    if _IN_BEFORE.search(before) or _OF_YEAR.match(plain, found.end()):
        return True
    if back := _BACK_BEFORE.search(before):
        return is_name or name not in _MAYBE or _known(_BACK, back["back"]) > 0
    if name in _MOVES and not is_name:
        return not re.search(r"\w", plain[found.end() :])
    return name not in _UNSURE or (is_name and len(words(text)) == 1)


def _relative(text: str, plain: str, today: date) -> Iterator[Found]:
    """Yield what is named by its distance: "last week", "three days ago"."""
    for found in _OF_WEEK.finditer(plain):
        back = _known(_BACK, found["back"] or found["behind"])
        day = _unit_of(today, 7, back)[0].first + _WEEKDAYS[found["day"]]
        yield *found.span(), [DaySpan(day, day)]
    for found in _BESIDE.finditer(plain):
        part = "name" if found["name"] else "named"
        back = _known(_BACK, found["back"] or found["behind"])
        is_sure = found[part] not in _MAYBE or text[found.start(part)].isupper()
        if is_sure or (back and found["back"]):
            yield *found.span(), _named(found[part], today, back=back)
    for found in _COUNTED.finditer(plain):
        count, size = found["count"], _known(_UNITS, found["unit"])
        number = int(count) if count.isdecimal() else _NUMBERS[count]
        if found["since"] or found["ago"]:
            yield *found.span(), _around(today, number, size)
        elif found["back"] or found["between"]:
            yield *found.span(), _newest(today, number, size)


def _named(word: str, today: date, *, back: int) -> list[DaySpan]:
    """Return the weekday, week, month or year so many before the current one."""
    if word in _WEEKDAYS:
        away = (today.weekday() - _WEEKDAYS[word]) % 7
        return _ago(today, away or (7 if back else 0))
    if word in _MONTHS:
        year = today.year - (_MONTHS[word] > today.month - min(back, 1))
        return days_of(year, _MONTHS[word], 0, today)
    if re.fullmatch(_PARTS_OF_DAYS, word):
        return _ago(today, back)
    size = _known(_UNITS, word)
    return _unit_of(today, size, back) if size > 1 else []


def _cjk_days(text: str, today: date) -> Iterator[Found]:
    """Yield the days that a text names, with their places; they can overlap."""
    yield from _cjk_dates(text, today)
    for found in _CJK_NEAREST.finditer(text):
        yield (*found.span(), _ago(today, _CJK_NEAR[found[0]]))
    for found in _CJK_AGO.finditer(text):
        spans = _around(today, _number(found[1]), _CJK_UNITS[found[2]])
        yield (*found.span(), spans)
    for found in _CJK_RECENT.finditer(text):
        spans = _newest(today, _number(found[1]), _CJK_UNITS[found[2]])
        yield (*found.span(), spans)
    for found in _CJK_WEEK.finditer(text):
        (week,) = _unit_of(today, 7, _CJK_BACK[found[1]])
        yield (*found.span(), [_within(week, found[2] or found[3])])
    for found in _CJK_MONTH.finditer(text):
        yield (*found.span(), _unit_of(today, 30, _CJK_BACK[found[1]]))


def _cjk_dates(text: str, today: date) -> Iterator[Found]:
    for found in _CJK_DATE.finditer(text):
        year = _digits(found["year"]) if found["year"] else 0
        if found["back"]:
            year = today.year - _YEARS_BACK[found["back"]]
        month = _number(found["month"]) if found["month"] else 0
        day = _number(found["day"]) if month and found["day"] else 0
        if year or month:
            yield (*found.span(), days_of(year, month, day, today))


def _within(week: DaySpan, day: str | None) -> DaySpan:
    """Return a day of a week, its weekend, or all of it without one."""
    if not day:
        return week
    if day == _WEEKEND:
        return DaySpan(week.first + 5, week.last)
    return DaySpan(*[week.first + _CJK_WEEKDAYS[day]] * 2)


def _digits(text: str) -> int:
    """Return a number written digit by digit: 2026, 二零二六."""
    return int("".join(str(_DIGITS.get(letter, letter)) for letter in text))


def _number(text: str) -> int:
    """Return a number up to 99 in characters, or in digits: 二十三, 23."""
    tens, is_tens, ones = text[-6:].rpartition("十")
    tens = tens.replace("十", "")
    if not is_tens:
        return _digits(ones)
    return 10 * (_digits(tens[-2:]) if tens else 1) + (_digits(ones) if ones else 0)


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


def _ago(today: date, days: int) -> list[DaySpan]:
    """Return the day so many days ago."""
    return [DaySpan.of(today - timedelta(days=days))]


def _around(today: date, number: int, size: int) -> list[DaySpan]:
    """Return the days about so many units of `size` days ago.

    A week is meant by its days around.
    """
    if number * size > 365 * _LONGEST_YEARS:
        return []
    day = today - timedelta(days=number * size)
    near = timedelta(days=_AROUND[size])
    return [DaySpan.of(day - near, min(today, day + near))]


def _newest(today: date, number: int, size: int) -> list[DaySpan]:
    """Return the days of the last so many units, at most of a year."""
    if not 0 < number * size <= 366:
        return []
    return [DaySpan.of(today - timedelta(days=number * size), today)]


def _unit_of(today: date, size: int, back: int) -> list[DaySpan]:
    """Return the week, month or year that was so many before today's."""
    if size == 7:
        monday = today - timedelta(days=today.weekday() + 7 * back)
        return [DaySpan.of(monday, monday + timedelta(days=6))]
    if size == 365:
        return days_of(today.year - back, 0, 0, today)
    months = today.year * 12 + today.month - 1 - back
    return days_of(months // 12, months % 12 + 1, 0, today)


def day_names(day: date) -> tuple[str, str, str]:
    """Return the names under which a day is indexed: itself, its month, its year."""
    return day.isoformat(), f"{day:%Y-%m}", str(day.year)


def day_token(name: str) -> str:
    """Return the index term of a day, month or year by its name."""
    return name_token(f"day:{name}")
