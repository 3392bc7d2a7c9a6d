"""Positions of task snapshot blocks in a text, with the heading before them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from memoryhub.formats.text.source import Mark, marks, split_sections

LEAD_HEADING = re.compile(r" {0,3}#{1,6}[ \t]+Task Snapshot\b([^\n]*)", re.IGNORECASE)

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
    """Yield the blocks; an unterminated one ends at the next block or heading."""
    started: Mark | None = None
    for mark in marks(text):
        if mark.mark[0] != "<":
            continue
        is_end = mark.mark == "</"
        if started and is_end:
            at = started.start
            yield Span(
                _lead(text, at),
                at,
                started.end,
                mark.start,
                mark.end,
                int(started.rest),
                True,
            )
        elif started:
            yield _unterminated(text, started, _lead(text, mark.start))
        started = None if is_end else mark
    if started:
        yield _unterminated(text, started, len(text))


def _unterminated(text: str, start: Mark, limit: int) -> Span:
    parts = split_sections(text[start.end : limit])
    end = start.end + next(
        (part.start for part in parts if 0 < part.level < 3), limit - start.end
    )
    lead = _lead(text, start.start)
    return Span(lead, start.start, start.end, end, end, int(start.rest), False)


def _lead(text: str, start: int) -> int:
    """Return the offset of the rule and heading directly before a start comment."""
    at, line = _written_above(text, start)
    if not LEAD_HEADING.match(line):
        return at if _RULE.fullmatch(line) else start
    above, line = _written_above(text, at)
    return above if _RULE.fullmatch(line) else at


def _written_above(text: str, start: int) -> tuple[int, str]:
    """Return the nearest non-blank line above, within three lines, and its offset."""
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
