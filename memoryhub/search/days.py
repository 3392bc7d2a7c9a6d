"""Days that a query names, in English, German, French, Spanish, Chinese and Japanese.

A day without a year is that day of each of the last years. What may also be a plain
word ("may", "march") is a month only beside a number, a year or a preposition, or
where it is written as a name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import chain
from typing import NamedTuple

from memoryhub.search.day_spans import (
    DaySpan,
    Found,
    ago,
    around,
    days_of,
    newest,
    unit_of,
)
from memoryhub.search.words import fold, words

_DIGITS = {c: n for n, c in enumerate("〇一二三四五六七八九")} | {
    "零": 0, "两": 2, "兩": 2,
}  # fmt: skip
_NUMBER = r"(?:\d+|[〇零一二两兩三四五六七八九十]+)"
_YEARS_BACK = {"今年": 0, "本年": 0, "去年": 1, "昨年": 1, "前年": 2, "一昨年": 2}
_CJK_YEAR = "|".join(sorted(_YEARS_BACK, key=len, reverse=True))
_DATE = re.compile(
    r"(?=[\d〇零一二两兩三四五六七八九十今本去昨前])"
    rf"(?:(?:(?P<year>\d{{4}}|[〇零一二三四五六七八九]{{4}})\s*年|(?P<back>{_CJK_YEAR})的?の?)\s*)?"
    rf"(?:(?P<month>{_NUMBER})\s*月份?)?(?:\s*(?P<day>{_NUMBER})\s*[日号號])?"
)
#: Words for a day, by the days since.
_NEAR = {
    "今天": 0, "今日": 0, "今早": 0, "今晚": 0, "今朝": 0, "今夜": 0, "今晩": 0,
    "昨天": 1, "昨日": 1, "昨晚": 1, "昨夜": 1, "昨晩": 1, "きのう": 1,
    "前天": 2, "一昨日": 2, "おととい": 2, "大前天": 3,
}  # fmt: skip
_NEAREST = re.compile("|".join(sorted(_NEAR, key=len, reverse=True)))
#: Days in a unit of time; longer words come first.
_UNITS = {
    "星期": 7, "礼拜": 7, "禮拜": 7, "週間": 7, "周": 7, "週": 7,
    "か月": 30, "ヶ月": 30, "ケ月": 30, "カ月": 30, "ヵ月": 30, "月": 30,
    "年": 365, "天": 1, "日": 1,
}  # fmt: skip
_AGO = re.compile(rf"({_NUMBER})\s*[个個]?({'|'.join(_UNITS)})[之以]?前")
_RECENT = re.compile(
    rf"(?:最近|过去|過去|直近)の?({_NUMBER})\s*[个個]?({'|'.join(_UNITS)})間?"
)
_BACK = {"上上": 2, "先々": 2, "上": 1, "先": 1, "这": 0, "這": 0, "本": 0, "今": 0}
_WHICH = "|".join(_BACK)
_WEEK = re.compile(
    rf"({_WHICH})[个個]?(?:周|週|星期|礼拜|禮拜)"
    r"(?:([一二三四五六日天末])|の?([月火水木金土日])曜日?)?"
)
_MONTH = re.compile(rf"({_WHICH})[个個]?月")
_WEEKDAYS = {c: n for n, c in enumerate("一二三四五六日")} | {
    "天": 6, "月": 0, "火": 1, "水": 2, "木": 3, "金": 4, "土": 5,
}  # fmt: skip
_WEEKEND = "末"


def cjk_days(text: str, today: date) -> Iterator[Found]:
    """Yield the days that a text names, with their places; they can overlap."""
    yield from _dates(text, today)
    for found in _NEAREST.finditer(text):
        yield Found(*found.span(), ago(today, _NEAR[found[0]]))
    for found in _AGO.finditer(text):
        spans = around(today, _number(found[1]), _UNITS[found[2]])
        yield Found(*found.span(), spans)
    for found in _RECENT.finditer(text):
        spans = newest(today, _number(found[1]), _UNITS[found[2]])
        yield Found(*found.span(), spans)
    for found in _WEEK.finditer(text):
        (week,) = unit_of(today, "week", _BACK[found[1]])
        yield Found(*found.span(), [_within(week, found[2] or found[3])])
    for found in _MONTH.finditer(text):
        yield Found(*found.span(), unit_of(today, "month", _BACK[found[1]]))


def _dates(text: str, today: date) -> Iterator[Found]:
    for found in _DATE.finditer(text):
        year = _digits(found["year"]) if found["year"] else 0
        if found["back"]:
            year = today.year - _YEARS_BACK[found["back"]]
        month = _number(found["month"]) if found["month"] else 0
        day = _number(found["day"]) if month and found["day"] else 0
        if year or month:
            yield Found(*found.span(), days_of(year, month, day, today))


def _within(week: DaySpan, day: str | None) -> DaySpan:
    """Return a day of a week, its weekend, or all of it without one."""
    if not day:
        return week
    if day == _WEEKEND:
        return DaySpan(week.first + 5, week.last)
    return DaySpan(*[week.first + _WEEKDAYS[day]] * 2)


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


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_MONTH_NAMES = (
    "january jan januar janner enero janvier",
    "february feb februar febrero fevrier",
    "march mar marz mars marzo",
    "april apr avril abril",
    "may mai mayo",
    "june jun juni juin junio",
    "july jul juli juillet julio",
    "august aug aout agosto",
    "september sep sept septembre septiembre",
    "october oct okt oktober octobre octubre",
    "november nov novembre noviembre",
    "december dec dez dezember decembre diciembre",
)
MONTHS = {
    name: number
    for number, names in enumerate(_MONTH_NAMES, 1)
    for name in names.split()
}


#: Names that are also words, or too short to be sure.
UNSURE = _words("may mar mars jan jun sep dec dez nov oct okt apr aug jul feb")
#: Names of months that are no words otherwise: a text may name them too.
KEPT = frozenset(MONTHS) - UNSURE
_WEEKDAY_NAMES = (
    "monday montag lundi lunes", "tuesday dienstag mardi martes",
    "wednesday mittwoch mercredi miercoles", "thursday donnerstag jeudi jueves",
    "friday freitag vendredi viernes", "saturday samstag sonnabend samedi sabado",
    "sunday sonntag dimanche domingo",
)  # fmt: skip
WEEKDAYS = {
    name: number
    for number, names in enumerate(_WEEKDAY_NAMES)
    for name in names.split()
}
IN = _words("in im en during since seit depuis desde of by until early late mid")
OF = _words("of the de der den le el du")
#: Months whose name is a verb too.
MOVES = _words("march")
#: Words before or behind a week, a weekday or a month, by how many before this one.
BACK = {
    **dict.fromkeys(
        _words("this current diese diesen dieser dieses diesem ce cette cet este esta"),
        0,
    ),
    **dict.fromkeys(
        _words(
            "last past previous letzte letzten letzter letztes vergangene vergangenen"
            " vorige vorigen dernier derniere derniers dernieres pasado pasada pasados"
            " pasadas ultimo ultima ultimos ultimas"
        ),
        1,
    ),
    **dict.fromkeys(_words("vorletzte vorletzten vorletzter vorletztes"), 2),
}
PARTS_OF_DAYS = _words(
    "night evening morning afternoon nacht abend nuit soir matin noche manana"
)
#: Words that show that a text is French.
FRENCH = _words(
    "le la les des du qu que est avons a fait soir matin avant etait ete quoi"
)
_UNIT_NAMES = {
    1: "day days tag tage tagen jour jours dia dias",
    7: "week weeks woche wochen semaine semaines semana semanas",
    30: "month months monat monate monaten monats mois mes meses",
    365: "year years jahr jahre jahren jahrs annee annees an ans ano anos",
}
UNITS = {name: days for days, names in _UNIT_NAMES.items() for name in names.split()}
_NUMBER_NAMES = {
    1: "a an one ein eine einem einer un une uno una", 2: "two zwei deux dos couple",
    3: "three drei trois tres", 4: "four vier quatre cuatro",
    5: "five funf cinq cinco", 6: "six sechs seis", 7: "seven sieben sept siete",
    8: "eight acht huit ocho", 9: "nine neun neuf nueve", 10: "ten zehn dix diez",
    11: "eleven elf onze once", 12: "twelve zwolf douze doce",
}  # fmt: skip
NUMBERS = {
    name: number for number, names in _NUMBER_NAMES.items() for name in names.split()
}
NEAR = {
    "today": 0, "tonight": 0, "heute": 0, "hoy": 0, "yesterday": 1, "gestern": 1,
    "hier": 1, "ayer": 1, "vorgestern": 2, "anteayer": 2,
}  # fmt: skip
#: What stands before a number of days of which so many have passed.
AGO_BEFORE = (("vor",), ("il", "y", "a"), ("hace",))


_MOST = 4
_WORD = re.compile(r"\d+(?:st|nd|rd|th|er|\.)?(?![\w-])|[^\W\d_]+|\d[\w./-]*\d|\d")
_YEAR = re.compile(r"(?:19|20)\d\d")
_ISO = re.compile(r"(?<![\w-])((?:19|20)\d\d)([-/.])(\d\d?)(?:\2(\d\d?))?(?![\w-])")
_GERMAN = re.compile(
    r"(?<![\w.])(\d\d?)\.(\d\d?)\.((?:19|20)\d\d)(?![\w])"
    r"|(?:(?<=\b[aA]m )|(?<=\b[Vv]om )|(?<=\b[Zz]um ))(\d\d?)\.(\d\d?)\.(?![\w])"
)
#: The order of day and month is not known: both are meant.
_SLASHED = re.compile(r"(?<![\w/])(\d\d?)/(\d\d?)/((?:19|20)\d\d)(?![\w/])")


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
        if not self.spans or folded in KEPT or _YEAR.fullmatch(folded):
            return word
        if folded in self.words or word in self.parts:
            return ""
        for part in self.parts:
            if not part.isascii():
                word = word.replace(part, " ")
        return word


NO_DAYS = Days()


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
    chosen: list[Found] = []
    for one in found:
        if one.spans and (not chosen or one.start >= chosen[-1].end):
            chosen.append(one)
    chosen = chosen[:_MOST]
    parts = [text[one.start : one.end] for one in chosen]
    return Days(
        tuple(dict.fromkeys(_in_their_year([one.spans for one in chosen]))),
        frozenset(fold(word) for part in parts for word in words(part)),
        tuple(parts),
    )


def _in_their_year(found: Sequence[list[DaySpan]]) -> Iterator[DaySpan]:
    """Yield spans; days without a year take the only year named beside them."""
    years = [spans[0] for spans in found if len(spans) == 1 and spans[0].is_year]
    dated = [spans for spans in found if len(spans) > 1]
    if len(years) != 1 or not dated:
        yield from chain.from_iterable(found)
        return
    ((first, last),) = years
    yield from (span for span in chain(*dated) if first <= span.first <= last)


def _found(text: str, today: date) -> Iterator[Found]:
    for iso in _ISO.finditer(text):
        year, month, day = (int(iso[part] or 0) for part in (1, 3, 4))
        yield Found(*iso.span(), days_of(year, month, day, today))
    for german in _GERMAN.finditer(text):
        day, month, year, *others = (int(part or 0) for part in german.groups())
        spans = days_of(year, month or others[1], day or others[0], today)
        yield Found(*german.span(), spans)
    for slashed in _SLASHED.finditer(text):
        one, other, year = map(int, slashed.groups())
        spans = days_of(year, one, other, today) + days_of(year, other, one, today)
        yield Found(*slashed.span(), spans)
    if not text.isascii():
        yield from cjk_days(text, today)
    tokens = [
        _Token(*word.span(), fold(word[0]).rstrip("."), word[0][0].isupper())
        for word in _WORD.finditer(text)
    ]
    for at in range(len(tokens)):
        yield from _absolute(tokens, at, today)
        yield from _near(tokens, at, today)
        yield from _relative(tokens, at, today)
        yield from _counted(tokens, at, today)


def _absolute(tokens: list[_Token], at: int, today: date) -> Iterator[Found]:
    """Yield the month at a token with the day and the year around it, or a year."""
    token = tokens[at]
    if (month := MONTHS.get(token.word)) is None:
        before = tokens[at - 1].word if at else ""
        if token.year and before in IN:
            yield Found(token.start, token.end, days_of(token.year, 0, 0, today))
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
        spans = days_of(year, month, day, today)
        yield Found(tokens[first].start, tokens[last].end, spans)


def _is_month(tokens: list[_Token], at: int) -> bool:
    """Return whether the name of a month stands for one without day and year."""
    token, before = tokens[at], tokens[at - 1].word if at else ""
    if before in IN or _unit_after(tokens, at) == 365:
        return True
    if before in BACK:
        return not _is_verb(token) or BACK[before] > 0
    if token.word in MOVES and not token.is_name:
        return at == len(tokens) - 1
    if token.word in UNSURE:
        return len(tokens) == 1 and token.is_name
    return True


def _is_verb(token: _Token) -> bool:
    """Return whether a month's name may be a verb: "this may fail", "may last"."""
    return token.word in UNSURE | MOVES and not token.is_name


def _unit_after(tokens: list[_Token], at: int) -> int:
    """Return the days of the unit in "Tuesday last week", "May of last year"."""
    after = [one.word for one in tokens[at + 1 : at + 5] if one.word not in OF]
    if len(after) < 2 or not {after[0], after[1]} & BACK.keys():
        return 0
    return UNITS.get(after[1]) or UNITS.get(after[0]) or 0


def _near(tokens: list[_Token], at: int, today: date) -> Iterator[Found]:
    """Yield the day of "yesterday", "today" and their like."""
    token, before = tokens[at], tokens[at - 1] if at else None
    if token.word not in NEAR or (token.word == "hier" and not _is_french(tokens)):
        return
    away = NEAR[token.word]
    if before and before.word in {"before", "avant"} and away == 1:
        yield Found(before.start, token.end, ago(today, 2))
    yield Found(token.start, token.end, ago(today, away))


def _relative(tokens: list[_Token], at: int, today: date) -> Iterator[Found]:
    """Yield the last or current weekday, week, month or year at a token."""
    token = tokens[at]
    unit = _unit_after(tokens, at)
    if unit == 7 and token.word in WEEKDAYS:
        end = at + 1
        while tokens[end].word not in BACK:
            end += 1
        (week,) = unit_of(today, "week", BACK[tokens[end].word])
        end += tokens[end - 1].word not in UNITS
        day = week.first + WEEKDAYS[token.word]
        yield Found(token.start, tokens[end].end, [DaySpan(day, day)])
    is_beside = not _is_verb(token) and not (unit and token.word not in UNITS)
    after = tokens[at + 1 : at + 2] if is_beside else []
    for other in (*tokens[max(0, at - 1) : at], *after):
        back = BACK.get(other.word, -1)
        if back > 0 or (back == 0 and not _is_verb(token)):
            spans = _named(token.word, today, back=back)
            yield Found(min(token.start, other.start), max(token.end, other.end), spans)


def _counted(tokens: list[_Token], at: int, today: date) -> Iterator[Found]:
    """Yield the days around "three weeks ago", and those of "the last three weeks"."""
    if at == 0 or (size := UNITS.get(tokens[at].word)) is None:
        return
    number = max(one.number for one in tokens[max(0, at - 2) : at])
    if number < 0:
        return
    count, start = tokens[at - 1].number, tokens[at - 1].start
    earlier = [one.word for one in tokens[: at - 1]][-3:]
    if count >= 0 and [one.word for one in tokens[at + 1 : at + 2]] == ["ago"]:
        yield Found(start, tokens[at + 1].end, around(today, count, size))
    for words_before in AGO_BEFORE:
        if count >= 0 and earlier[-len(words_before) :] == list(words_before):
            start = tokens[at - 1 - len(words_before)].start
            yield Found(start, tokens[at].end, around(today, count, size))
    if at >= 2 and {tokens[at - 1].word, tokens[at - 2].word} & BACK.keys():
        yield Found(tokens[at - 2].start, tokens[at].end, newest(today, number, size))


def _is_french(tokens: list[_Token]) -> bool:
    """Return whether "hier" is French "yesterday" rather than German "here"."""
    return len(tokens) == 1 or any(token.word in FRENCH for token in tokens)


def _named(word: str, today: date, *, back: int) -> list[DaySpan]:
    """Return the weekday, week, month or year so many before the current one."""
    if word in WEEKDAYS:
        away = (today.weekday() - WEEKDAYS[word]) % 7
        return ago(today, away or (7 if back else 0))
    if word in MONTHS:
        year = today.year - (MONTHS[word] > today.month - min(back, 1))
        return days_of(year, MONTHS[word], 0, today)
    if word in PARTS_OF_DAYS:
        return ago(today, back)
    units = {7: "week", 30: "month", 365: "year"}
    unit = units.get(UNITS.get(word, 0))
    return unit_of(today, unit, back) if unit else []
