"""Output of OpenClaw's dreaming: phase reports, managed blocks and DREAMS.md.

All of it is generated; it is parsed to be shown apart from the agents' own notes.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from pathlib import PurePosixPath

from memoryhub.dialects.dialect import Dialect, always, gettext_noop
from memoryhub.dialects.facts import Document, Entry, whole_lines
from memoryhub.formats.base import NO_PATH, Lines
from memoryhub.formats.text.source import fenced_lines

_TITLES = {"Light Sleep": "light", "REM Sleep": "rem", "Deep Sleep": "deep"}
_TITLE = re.compile(
    r"\ufeff?\s{0,40}#{1,2}[ \t]+(Light Sleep|REM Sleep|Deep Sleep)[ \t\r]*(?=\n|\Z)"
)
_FIRST_LINE = re.compile(
    r"\ufeff?\s{0,40}(?:# (?:Light|REM|Deep) Sleep|# Dream Diary)[ \t\r]*(?=\n|\Z)"
)
_BLOCK_MARK = re.compile(
    r"\n[ \t]*<!-- openclaw:dreaming:(light|rem|deep):(start|end) -->[ \t\r]*(?=\n|\Z)"
)
_UPPER_HEADING = re.compile(r"\n#{1,2}[ \t]")
_BLOCK_HEADING = re.compile(r"#{1,6}[ \t]+(?:Light|REM|Deep) Sleep\s*")

_BULLET = re.compile(r"\n([ \t]*+)[-*][ \t]+([^\n]*)")
_NAMED_ITEM = re.compile(r"(?:Candidate|Theme):[ \t]*")
_CONFIDENCE = re.compile(r"confidence:.*", re.IGNORECASE)
_TAIL = re.compile(
    r"[ \t]*\[confidence=([0-9.]{1,12})(?: evidence=([^\]\n]*))?\]?\s*\Z"
)


class _Source:
    """A text with a newline before it, so that each line begins with one."""

    def __init__(self, text: str) -> None:
        self.padded = "\n" + text
        self._newlines = [found.start() for found in re.finditer("\n", self.padded)]

    def line_at(self, place: int) -> int:
        return bisect_right(self._newlines, place)

    def lines(self, start: int, end: int) -> Lines:
        """Return the lines from the newline at `start` to the last text."""
        written = start + max(1, len(self.padded[start:end].rstrip()))
        return Lines(self.line_at(start), self.line_at(written - 1))


def matches(path: PurePosixPath, text: str) -> bool:
    """Return whether folder, name or first line is that of a dreaming file."""
    if path.suffix.casefold() != ".md":
        return False
    if path.name.casefold() == "dreams.md" or "dreaming" in path.parts[:-1]:
        return True
    return _FIRST_LINE.match(text) is not None


def parse(text: str, path: PurePosixPath = NO_PATH) -> Document:
    """Return a report of one phase with the first memory that it weighed, or the diary.

    Any text is one, at worst an empty one.
    """
    title = _TITLE.match(text)
    phase = f"{_TITLES[title[1]].capitalize()} sleep" if title else ""
    said = " ".join(next(_candidates(text), "")[:1200].split())
    report = Entry(phase, said, whole_lines(text), kind="dream", source=text)
    return Document(text, parts=(report,))


def managed_blocks(text: str) -> tuple[Lines, ...]:
    """Return the lines of the blocks that dreaming replaces in place, in any text.

    They include the heading above the start comment. A block without an end comment
    ends at the next start comment or heading of level 1 or 2; comments in code fences
    are not read.
    """
    if "<!-- openclaw:dreaming:" not in text:
        return ()
    fenced = fenced_lines(text)
    return tuple(_blocks(_Source(text), fenced))


def _blocks(source: _Source, fenced: frozenset[int]) -> Iterator[Lines]:
    opened: re.Match[str] | None = None
    for mark in _BLOCK_MARK.finditer(source.padded):
        if source.line_at(mark.start()) in fenced:
            continue
        if opened and mark[2] == "end" and mark[1] == opened[1]:
            yield _block(source, opened, mark.start(), mark.end())
            opened = None
        elif mark[2] == "start":
            if opened:
                yield _block(source, opened, mark.start())
            opened = mark
    if opened:
        yield _block(source, opened, len(source.padded))


def _block(source: _Source, opened: re.Match[str], end: int, closed: int = 0) -> Lines:
    """Return the lines up to `end`; without a `closed` mark, at most to a heading."""
    if not closed:
        heading = _UPPER_HEADING.search(source.padded, opened.end(), end)
        end = heading.start() if heading else _start_of_block(source, end)
    return source.lines(_start_of_block(source, opened.start()), closed or end)


def _start_of_block(source: _Source, mark: int) -> int:
    """Return the newline before the heading right above a start comment, if any."""
    above = source.padded.rfind("\n", 0, mark)
    if above < 0 or not _BLOCK_HEADING.fullmatch(source.padded, above + 1, mark):
        return mark
    return above


def _candidates(text: str) -> Iterator[str]:
    """Yield the list items that name a memory, or state their confidence."""
    group: list[tuple[int, str]] = []
    for found in _BULLET.finditer("\n" + text):
        indent, said = len(found[1].expandtabs()), found[2].strip()
        if group and indent <= group[0][0]:
            yield from _candidate(group)
            group = []
        group.append((indent, said))
    yield from _candidate(group)


def _candidate(group: list[tuple[int, str]]) -> Iterator[str]:
    (_, text), *below = group or [(0, "")]
    tail, named = _TAIL.search(text[-1000:]), _NAMED_ITEM.match(text)
    if named or tail or any(_CONFIDENCE.fullmatch(said[:2000]) for _, said in below):
        bare = text[named.end() if named else 0 :]
        yield bare.removesuffix(tail[0]) if tail else bare


DIALECT = Dialect(
    title=gettext_noop("Dreaming reports"),
    kind=gettext_noop("dreaming"),
    order=120,
    has_days=True,
    is_found=True,
    in_rows=always,
)
