"""The day of a file: from its name, or a note's front matter or first lines."""

from __future__ import annotations

import datetime
import re
from functools import lru_cache
from pathlib import PurePosixPath

from memoryhub.formats.openclaw.memory_files import in_memory_folder
from memoryhub.formats.text import frontmatter
from memoryhub.formats.text.dates import parse_date
from memoryhub.formats.text.days import day_in, is_day_line
from memoryhub.formats.text.source import split_lines

_FILE_NAME = re.compile(
    r"(?:(?P<y>\d{4})[-_](?P<m>\d\d)[-_](?P<d>\d\d)|(?P<Y>20\d\d)(?P<M>\d\d)(?P<D>\d\d))"
    r"(?:[-_T](?P<time>(?:[01]\d|2[0-3])[0-5]\d(?:[0-5]\d)?)(?![^\-_ .]))?"
    r"(?:[-_ .](?P<slug>.*))?",
    re.ASCII | re.DOTALL,
)
_SUFFIX = ".md"
_FIELDS = ("date", "created", "modified", "updated")
#: Only so many characters and lines are looked at.
_HEAD, _LINES = 1_000, 6
#: A heading, or the name of a field as in ``**Date:** 2026-11-20``.
_HEADING = re.compile(r"#{1,3}[ \t]+(\S.*)")
_FIELD = re.compile(
    r"[-*+ \t]{0,4}[*_]{0,2}(\w[\w ]{0,20}?)[*_]{0,2}[:：][*_]{0,2}(.+)"
)
_NAME_WORDS = """
date datum fecha data 日期 日付 날짜 дата created updated modified last-updated
erstellt aktualisiert stand creado actualizado créé criado atualizado 创建 更新 创建日期
更新日期 作成日 更新日 作成 создано обновлено 작성일 수정일
"""
_NAMES = frozenset(_NAME_WORDS.split())


def date_of(path: PurePosixPath) -> datetime.date | None:
    """Return the day a file name begins with, or else the name of its folder is.

    The day must exist: ``2507.14198.md`` and ``20261345.md`` have none.
    """
    found = _named(path)
    if found or path.suffix.casefold() != _SUFFIX:
        return found and _day(found)
    folder = _FILE_NAME.fullmatch(path.parent.name)
    return _day(folder) if folder and not folder["slug"] else None


def time_of(path: PurePosixPath) -> datetime.time | None:
    """Return the time a file name has behind its day, as in ``YYYY-MM-DD-HHMM.md``."""
    found = _named(path)
    if not found or not found["time"]:
        return None
    digits = found["time"].ljust(6, "0")
    return datetime.time(int(digits[:2]), int(digits[2:4]), int(digits[4:]))


def slug_of(path: PurePosixPath) -> str:
    """Return the part of a file name behind its day and time; often empty."""
    found = _named(path)
    return (found["slug"] or "") if found else ""


def named_day(path: PurePosixPath) -> datetime.date | None:
    """Return the day in a file's name, or of the folder that is called by a day."""
    return date_of(path) or day_in(path.stem.replace("_", " "))


def is_report(path: PurePosixPath, text: str) -> bool:
    """Return whether a note is of the day in its name or its ``date``, and no log.

    It is on that day of the timeline; with the day in its name it is no topic. In a
    memory folder a name that begins with a day is that of a log. A note that was
    created or changed on a day is of any day since.
    """
    if path.suffix.casefold() != ".md" or (in_memory_folder(path) and date_of(path)):
        return False
    if named_day(path):
        return bool(text.strip())
    if not text.startswith("---"):
        return False
    matter = frontmatter.split(text)
    return bool(parse_date(matter.get("date")[:10]) and matter.body.strip())


def day_of_note(path: PurePosixPath, text: str) -> datetime.date | None:
    """Return the day that a note's name, front matter or first lines give it."""
    return named_day(path) or _front_day(text) or _first_day(text)


def _front_day(text: str) -> datetime.date | None:
    if not text.startswith("---"):
        return None
    fields = frontmatter.split(text)
    found = (parse_date(fields.get(name)[:10]) for name in _FIELDS)
    return next(filter(None, found), None)


def _first_day(text: str) -> datetime.date | None:
    """Return the day of the first heading, field or line that is or has one."""
    start = len(frontmatter.split(text).source) if text.startswith("---") else 0
    lines = (line.strip() for line in split_lines(text[start : start + _HEAD]))
    for line in [line for line in lines if line][:_LINES]:
        if day := _day_of_line(line):
            return day
    return None


def _day_of_line(line: str) -> datetime.date | None:
    if heading := _HEADING.match(line):
        return day_in(heading[1])
    field = _FIELD.match(line)
    if field and field[1].strip().casefold().replace(" ", "-") in _NAMES:
        return day_in(field[2])
    return day_in(line) if is_day_line(line) else None


@lru_cache(maxsize=8)
def _named(path: PurePosixPath) -> re.Match[str] | None:
    if path.suffix.casefold() != _SUFFIX:
        return None
    found = _FILE_NAME.fullmatch(path.stem)
    return found if found and _day(found) else None


def _day(found: re.Match[str]) -> datetime.date | None:
    year, month, day = found["y"] or found["Y"], found["m"] or found["M"], found["d"]
    try:
        return datetime.date(int(year), int(month), int(day or found["D"]))
    except ValueError:
        return None
