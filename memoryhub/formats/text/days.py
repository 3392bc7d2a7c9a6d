"""Days written in prose and titles, and titles that are nothing but a day.

Numbers in the order of ISO or of the continent, and names of months in eight languages.
The order of ``05/03/2026`` is never guessed. Names are those of CLDR, which
``make calendar`` writes.
"""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Iterable, Iterator
from importlib.resources import files

_CALENDAR: dict[str, dict[str, list[list[str]]]] = json.loads(
    files(__package__).joinpath("calendar.json").read_text("utf-8")
)


def names_of(what: str, *languages: str) -> dict[str, int]:
    """Return the names of "months" or "weekdays" in some languages, numbered from 1."""
    known = _CALENDAR[what]
    return {
        name: number
        for language in languages or known
        for number, names in enumerate(known[language], 1)
        for name in names
    }


def any_of(names: Iterable[str]) -> str:
    """Return a regular expression of any of the names, the longest first."""
    return "|".join(sorted(map(re.escape, names), key=len, reverse=True))


#: Titles are short: longer ones are read at their start only.
_REACH = 240

#: Words of titles of logs that say only that it is one.
_WORDS_OF_LOGS = """
daily log logs notes note memory journal diary day session sessions work worklog entry
date today heartbeat summary tagebuch notizen protokoll tagesprotokoll tagesnotizen
log-buch logbuch eintrag diario diário diária bitácora registro notas memoria memória
día dia carnet bord du jour notes журнал дневник лог заметки день 日志 日誌 工作日志
工作日誌 日记 日記 日报 记忆 記憶 每日日志 每日记录 作業ログ ログ 作業日誌 日報
業務日誌 メモ 일지 작업 업무 일기 로그 기록 giornaliero appunti
"""
_LOG_WORDS = frozenset(_WORDS_OF_LOGS.split())
_MONTHS = names_of("months")
#: Weekdays, and the articles before a day.
_BESIDE_DAYS = names_of("weekdays").keys() | {"le", "el", "the", "de", "am", "den"}

_NAME = any_of(_MONTHS)
_NUMERIC = re.compile(
    r"(?<!\d)(?P<y>\d{4})(?:[-/.]|[ ]?[年년][ ]?)(?P<m>\d{1,2})"
    r"(?:[-/.]|[ ]?[月월][ ]?)(?P<d>\d{1,2})(?!\d)[日일]?"
    r"|(?<![\d.])(?P<D>\d{1,2})\.[ ]?(?P<M>\d{1,2})\.[ ]?(?P<Y>\d{4})(?!\d)"
)
_WORDED = re.compile(
    rf"(?<!\w)(?P<d>\d{{1,2}})(?:\.|º|st|nd|rd|th|er)?[ ](?:de |of |d')?"
    rf"(?P<m>{_NAME})\.?(?!\w),?(?:[ ](?:de |del )?(?P<y>\d{{4}}))?(?!\d)"
    rf"|(?<!\w)(?P<M>{_NAME})\.?[ ](?P<D>\d{{1,2}})(?:st|nd|rd|th)?(?!\w)"
    rf"(?:,?[ ](?P<Y>\d{{4}}))?(?!\d)",
    re.IGNORECASE,
)
_DIGIT = re.compile(r"\d")
_WORD = re.compile(r"[^\W\d_][\w'’-]*")
_PERIOD = re.compile(r"(?:19|20)\d\d(?:[-_ ]?(?:[wWqQkK]{1,2}\d{1,2}|\d\d))?")


def day_in(text: str) -> datetime.date | None:
    """Return the first whole day that a title or a line names, or None."""
    head = text[:_REACH]
    for found in (*_NUMERIC.finditer(head), *_WORDED.finditer(head)):
        if day := _day(found):
            return day
    return None


def leading_day(text: str) -> tuple[datetime.date, str] | None:
    """Return the whole day that a title begins with, and the rest of the title."""
    for pattern in (_NUMERIC, _WORDED):
        found = pattern.match(text)
        if found and (day := _day(found)):
            return day, text[found.end() :]
    return None


def without_whole_days(text: str) -> str:
    """Return a text without the days, years included, that its start names."""

    def cut(found: re.Match[str]) -> str:
        return " " if _day(found) else found[0]

    if not _DIGIT.search(text, 0, _REACH):
        return text
    head = _WORDED.sub(cut, _NUMERIC.sub(cut, text[:_REACH]))
    return head + text[_REACH:]


def is_period(name: str) -> bool:
    """Return whether a file's name is that of a week, a month or a year of a log."""
    words = list(_words(re.sub("[-_]", " ", name)))
    if any(word in _MONTHS for word in words):
        return all(word in _MONTHS or word in _LOG_WORDS for word in words)
    return _PERIOD.fullmatch(name) is not None


def is_day_line(line: str) -> bool:
    """Return whether a line is a day, with its weekday at most."""
    if len(line) > _LONGEST_DAY or "\n" in line:
        return False
    rest = _WORDED.sub(" ", _NUMERIC.sub(" ", line))
    return rest != line and all(word in _BESIDE_DAYS for word in _words(rest))


#: A longer line is a sentence.
_LONGEST_DAY = 60


def _words(text: str) -> Iterator[str]:
    return (found[0].casefold() for found in _WORD.finditer(text))


def _day(found: re.Match[str]) -> datetime.date | None:
    year, month, day = (found[n] or found[n.upper()] for n in ("y", "m", "d"))
    if not year:
        return None
    number = int(month) if month.isdecimal() else _MONTHS[month.casefold()]
    try:
        return datetime.date(int(year), number, int(day))
    except ValueError:
        return None
