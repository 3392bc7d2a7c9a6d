"""Where the blocks of task snapshots lie in a text, with the heading before them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from memoryhub.formats.text.source import next_fence, split_sections

MARKER = "BIG-MEMORY-SNAPSHOT"

LEAD_HEADING = re.compile(r" {0,3}#{1,6}[ \t]+Task Snapshot\b([^\n]*)", re.IGNORECASE)

#: A fence, or a start or end comment. Anchored at ``\n`` for speed.
_MARK = re.compile(
    r"\n(?: {0,3}(`{3,}|~{3,})([^\n]*)|"
    r"[ \t\ufeff]*<!-- (/?)BIG-MEMORY-SNAPSHOT(?: v([0-9]{1,9}))? -->[ \t\r]*(?=\n|\Z))"
)
_RULE = re.compile(r" {0,3}-{3,}[ \t\r]*\n?")


class Span(NamedTuple):
    """A block in a text: its lead, its start comment, its inner text, its end."""

    lead: int
    start: int
    inner: int
    inner_end: int
    end: int
    version: int
    terminated: bool


def find_spans(text: str) -> Iterator[Span]:
    """Find the blocks; the text is padded by one character, as its marks need."""
    fence, started = "", None
    for mark in _MARK.finditer("\n" + text):
        if mark[1]:
            fence = "" if started else next_fence(fence, mark[1], mark[2])
        elif fence:
            continue
        elif mark[3]:
            if started:
                yield _closed(text, started, mark)
            started = None
        elif mark[4]:
            lead = _lead(text, mark.start())
            if started:
                yield _unterminated(text, started, lead)
            started = mark
    if started:
        yield _unterminated(text, started, len(text))


def _closed(text: str, start: re.Match[str], end: re.Match[str]) -> Span:
    at, after = start.start(), min(len(text), end.end())
    inner = min(len(text), start.end())
    return Span(_lead(text, at), at, inner, end.start(), after, int(start[4]), True)


def _unterminated(text: str, start: re.Match[str], limit: int) -> Span:
    at, inner = start.start(), min(len(text), start.end())
    parts = split_sections(text[inner:limit])
    end = inner + next(
        (part.start for part in parts if 0 < part.level < 3), limit - inner
    )
    return Span(_lead(text, at), at, inner, end, end, int(start[4]), False)


def _lead(text: str, start: int) -> int:
    """Return where the rule and the heading before a start comment begin."""
    at, line = _written_above(text, start)
    if not LEAD_HEADING.match(line):
        return at if _RULE.fullmatch(line) else start
    above, line = _written_above(text, at)
    return above if _RULE.fullmatch(line) else at


def _written_above(text: str, start: int) -> tuple[int, str]:
    """Return the nearest line above that is not blank, within three lines."""
    end = start
    for _ in range(3):
        if end <= 0:
            break
        at = text.rfind("\n", 0, end - 1) + 1
        line = text[at:end]
        if line.strip():
            return at, line
        end = at
    return start, ""
