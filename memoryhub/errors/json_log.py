"""Log as JSON lines, without texts that agents wrote."""

from __future__ import annotations

import json
import logging
import traceback
from datetime import UTC, datetime
from typing import Any


class WithoutTexts(logging.Filter):
    """Filter that replaces errors by their type: their words can quote memory."""

    def filter(self, record: logging.LogRecord) -> bool:
        if hasattr(record, "request"):
            # Django's: the address can be a search, and its line says no more.
            record.msg, record.args = "an answer failed", ()
        elif isinstance(record.args, tuple):
            record.args = tuple(map(_named, record.args))
        return True


def _named(value: object) -> object:
    return type(value).__name__ if isinstance(value, BaseException) else value


class JsonFormatter(logging.Formatter):
    """Formatter: an object per line, with time, level, logger and message.

    Values under `about` are added. Of an error there are its type and the places in the
    source that it came through.
    """

    def format(self, record: logging.LogRecord) -> str:
        entry: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(
                timespec="milliseconds"
            ),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **getattr(record, "about", {}),
        }
        if record.exc_info and record.exc_info[0]:
            kind, _, trace = record.exc_info
            entry["error"] = kind.__name__
            entry["trace"] = [
                f"{frame.filename}:{frame.lineno} {frame.name}"
                for frame in traceback.extract_tb(trace)
            ]
        return json.dumps(entry)
