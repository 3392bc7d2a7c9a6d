"""Days written in prose and titles, and titles that are nothing but a day.

Numbers in the order of ISO or of the continent, and names of months in ten languages.
The order of ``05/03/2026`` is never guessed.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator

#: Titles are short: longer ones are read at their start only.
_REACH = 240

#: A line for each month.
_MONTH_NAMES = """
january jan janvier janv januar jänner enero ene janeiro gennaio gen января январь \
stycznia
february feb février févr februar febrero fevereiro fev febbraio февраля февраль \
lutego
march mar mars märz maerz marzo março março марта март marca
april apr avril avr abril abr aprile апреля апрель kwietnia
may mai mayo maio maggio mag мая май maja
june jun juin juni junio junho giugno giu июня июнь czerwca
july jul juillet juil juli julio julho luglio lug июля июль lipca
august aug août agosto ago августа август sierpnia
september sep sept septembre septiembre setembro settembre set сентября сентябрь \
września
october oct octobre oktober okt octubre outubro out ottobre ott октября октябрь \
października
november nov novembre noviembre novembro ноября ноябрь listopada
december dec décembre déc dezember dez diciembre dic dezembro dicembre декабря декабрь \
grudnia
"""
_MONTHS = {
    name: number
    for number, line in enumerate(_MONTH_NAMES.strip().split("\n"), 1)
    for name in line.split()
}
_WEEKDAY_NAMES = """
monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur
thurs fri sat sun montag dienstag mittwoch donnerstag freitag samstag sonnabend
sonntag mo di mi do fr sa so lunes martes miércoles jueves viernes sábado domingo
segunda terça quarta quinta sexta feira segunda-feira terça-feira quarta-feira
quinta-feira sexta-feira lundi mardi mercredi jeudi vendredi samedi dimanche lunedì
martedì mercoledì giovedì venerdì sabato domenica понедельник вторник среда четверг
пятница суббота воскресенье пн вт ср чт пт сб вс 周一 周二 周三 周四 周五 周六 周日
星期一 星期二 星期三 星期四 星期五 星期六 星期日 星期天 月曜日 火曜日 水曜日 木曜日
金曜日 土曜日 日曜日 月曜 火曜 水曜 木曜 金曜 土曜 日曜 月 火 水 木 金 土 日 월요일
화요일 수요일 목요일 금요일 토요일 일요일 월 화 수 목 금 토 일 le el the de am den
"""
#: Words of titles of logs that say only that it is one.
_WORDS_OF_LOGS = """
daily log logs notes note memory journal diary day session sessions work worklog entry
date today heartbeat summary tagebuch notizen protokoll tagesprotokoll tagesnotizen
log-buch logbuch eintrag diario diário diária bitácora registro notas memoria memória
día dia carnet bord du jour notes журнал дневник лог заметки день 日志 日誌 工作日志
工作日誌 日记 日記 日报 记忆 記憶 每日日志 每日记录 作業ログ ログ 作業日誌 日報
業務日誌 メモ 일지 작업 업무 일기 로그 기록 giornaliero appunti
"""
_WEEKDAYS = frozenset(_WEEKDAY_NAMES.split())
_LOG_WORDS = frozenset(_WORDS_OF_LOGS.split())

_NAME = "|".join(sorted(map(re.escape, _MONTHS), key=len, reverse=True))
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


def without_days(text: str) -> str:
    """Return a text without the days that its start names."""
    if not _DIGIT.search(text, 0, _REACH):
        return text
    return _WORDED.sub(" ", _NUMERIC.sub(" ", text[:_REACH])) + text[_REACH:]


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
    rest = without_days(line)
    return rest != line and all(word in _WEEKDAYS for word in _words(rest))


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
