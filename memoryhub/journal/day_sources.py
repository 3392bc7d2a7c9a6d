"""Precision of a time in a file, and where the day comes from: text, name, or disk."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from pathlib import PurePosixPath

from django.db import models

from memoryhub.dialects.file_days import named_day


class Precision(models.TextChoices):
    """Precision of a time in a file."""

    SECOND = "second"
    MINUTE = "minute"
    DAY = "day"
    NONE = "none"  # no time in the file: it is when the hub learned of it


#: A day begins so long before and after midnight in UTC, by the time zone.
_EARLIEST, _LATEST = timedelta(hours=-14), timedelta(hours=12)


class DaySource(models.TextChoices):
    """Where a row's day comes from."""

    TEXT = "text"
    NAME = "name"
    FILE = "file"  # when the file was changed on disk


def day_source(path: str, at: datetime, precision: str) -> DaySource:
    """Return where the day of a row in a file comes from."""
    if precision == Precision.NONE:
        return DaySource.FILE
    day = named_day(PurePosixPath(path)) if precision == Precision.DAY else None
    if day is None:
        return DaySource.TEXT
    begun = at - datetime.combine(day, time(), UTC)
    return DaySource.NAME if _EARLIEST <= begun <= _LATEST else DaySource.TEXT
