"""Facts in the history lines of snap-memory's hooks."""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass

from memoryhub.formats.text.dates import split_dated

CONTEXT_CREATED = "Context created"

_COMPACTED = re.compile(
    r"compaction completed \((\w{1,18})(?:→|->)(\w{1,18}) messages\)",
    re.IGNORECASE,
)
_COMPACTED_COUNT = re.compile(
    r"compaction completed \(([0-9]{1,18}) messages compacted\)", re.IGNORECASE
)
_AUTO_SAVED = re.compile(
    r"auto-saved before ([^\n]*?)(?: \(([0-9]{1,18}) messages\))?", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Compaction:
    """A compaction: messages before and after it; None where the line has no number."""

    before: int | None
    after: int | None
    date: datetime.date | None


@dataclass(frozen=True, slots=True)
class AutoSave:
    """A save the program made by itself, before a compaction or a reset."""

    before: str
    messages: int | None
    date: datetime.date | None


def auto_saved_text(day: datetime.date, messages: object) -> str:
    return f"{day}: Auto-saved before compaction ({messages} messages)"


def compaction_text(day: datetime.date, before: object, after: object) -> str:
    return f"{day}: Compaction completed ({before}→{after} messages)"


def reset_text(day: datetime.date, reason: str = "") -> str:
    return f"{day}: Auto-saved before {reason or 'reset'}"


def created_text(day: datetime.date) -> str:
    return f"{day}: {CONTEXT_CREATED}"


def compaction_of(text: str) -> Compaction | None:
    """Return the compaction a history line reports, or None.

    snap-memory writes ``(280→45 messages)``; its descendant soulclaw writes
    ``(120 messages compacted)``, of which the rest is not known.
    """
    date, rest = split_dated(text)
    if found := _COMPACTED.fullmatch(rest):
        return Compaction(_number(found[1]), _number(found[2]), date)
    if found := _COMPACTED_COUNT.fullmatch(rest):
        return Compaction(_number(found[1]), None, date)
    return None


def auto_saved_of(text: str) -> AutoSave | None:
    """Return the save a history line reports, or None."""
    date, rest = split_dated(text)
    found = _AUTO_SAVED.fullmatch(rest)
    if not found or not found[1]:
        return None
    return AutoSave(found[1], _number(found[2]), date)


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() else None
