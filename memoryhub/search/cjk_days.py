"""Days that a Chinese or Japanese text names: dates, weekdays, so long ago.

Numbers are digits or characters: 五月八日, 二十天前, 二零二六年三月.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from memoryhub.search.day_spans import (
    DaySpan,
    Found,
    ago,
    around,
    days_of,
    newest,
    unit_of,
)

_DIGITS = {c: n for n, c in enumerate("〇一二三四五六七八九")} | {
    "零": 0, "两": 2, "兩": 2,
}  # fmt: skip
_NUMBER = r"(?:\d+|[〇零一二两兩三四五六七八九十]+)"
_YEARS_BACK = {"今年": 0, "本年": 0, "去年": 1, "昨年": 1, "前年": 2, "一昨年": 2}
_YEAR = "|".join(sorted(_YEARS_BACK, key=len, reverse=True))
_DATE = re.compile(
    r"(?=[\d〇零一二两兩三四五六七八九十今本去昨前])"
    rf"(?:(?:(?P<year>\d{{4}}|[〇零一二三四五六七八九]{{4}})\s*年|(?P<back>{_YEAR})的?の?)\s*)?"
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
