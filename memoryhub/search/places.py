"""Searchable words for a block's place: its day and the name of its file."""

from __future__ import annotations

import re
from datetime import date
from functools import lru_cache

_DAY = re.compile(r"(?<!\d)((?:19|20)\d\d)[-_/.]?(0[1-9]|1[0-2])[-_/.]?([0-3]\d)(?!\d)")
_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august",
    "september", "october", "november", "december",
)  # fmt: skip


@lru_cache(maxsize=1024)
def file_day(path: str) -> date | None:
    """Return the day in a file's name, else in its folders."""
    folder, _, name = path.rpartition("/")
    return _day_in(name) or _day_in(folder)


def heading_day(heading: str) -> date | None:
    """Return the day in a heading."""
    return _day_in(heading) if heading else None


def _day_in(text: str) -> date | None:
    for found in _DAY.finditer(text):
        try:
            return date(int(found[1]), int(found[2]), int(found[3]))
        except ValueError:
            continue
    return None


@lru_cache(maxsize=1024)
def place_words(path: str, day: date | None) -> str:
    """Return words that also find a block: its day, the name of its file.

    A day is given in the forms people search for: 8 March 2026, 2026-03-08.
    """
    name = path.rpartition("/")[2].rpartition(".")[0]
    words = _DAY.sub(" ", name)
    if day is None:
        return words
    month = _MONTHS[day.month - 1]
    return f"{day.year} {month} {day.day} {day.month:02} {day.day:02} {words}"
