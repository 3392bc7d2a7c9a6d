"""Output of OpenClaw's dreaming: phase reports, managed blocks and DREAMS.md.

All of it is generated; it is parsed to be shown apart from the agents' own notes.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import NamedTuple

from memoryhub.formats.base import Lines
from memoryhub.formats.text.source import fenced_lines, up_to_next

NAME = "dreaming"

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
_FIELD = re.compile(r"(confidence|evidence|recalls|status):[ \t]*(.*)", re.IGNORECASE)
_TAIL = re.compile(
    r"[ \t]*\[confidence=([0-9.]{1,12})(?: evidence=([^\]\n]*))?\]?\s*\Z"
)
_NUMBER = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9})?")

#: A rule, then the time in italics; comments and blank lines may stand between.
_DIARY_ENTRY = re.compile(
    r"\n---[ \t\r]*\n(?:[ \t\r]*\n|<!--[^\n]*\n)*+\*([^*\n]{3,80})\*[ \t\r]*(?=\n|\Z)"
)
_DIARY_END = re.compile(r"\n(?:<!-- openclaw:dreaming:diary:end -->|## )")
_COMMENT_LINE = re.compile(r"(?:\A|(?<=\n))<!--[^\n]*-->[ \t\r]*(?:\n|\Z)")
_HISTORY = re.compile(r"\n## Memory Consolidation History[ \t\r]*(?=\n|\Z)")
_HISTORY_ENTRY = re.compile(r"\n### ([^\n]*)")
_COUNT = re.compile(r"\n[-*] (Added|Merged|Superseded):[ \t]*([0-9]{1,9})")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A memory weighed by a phase; missing values are None or empty."""

    text: str
    confidence: float | None
    evidence: tuple[str, ...]
    recalls: int | None
    status: str
    lines: Lines


@dataclass(frozen=True, slots=True)
class ManagedBlock:
    """A block that dreaming replaces in place, in a log or elsewhere.

    `lines` include the heading above the start comment; `body` is the text between
    the comments.
    """

    phase: str
    body: str
    is_terminated: bool
    lines: Lines


@dataclass(frozen=True, slots=True)
class DiaryEntry:
    """A dream of the diary; `when` is its verbatim time."""

    when: str
    text: str
    lines: Lines


@dataclass(frozen=True, slots=True)
class Consolidation:
    """One run of consolidation: how many memories it added, merged and superseded."""

    when: str
    added: int
    merged: int
    superseded: int
    lines: Lines


@dataclass(frozen=True, slots=True)
class DreamReport:
    """A file of dreaming: a report of one phase, or the diary."""

    text: str
    phase: str
    candidates: tuple[Candidate, ...]
    blocks: tuple[ManagedBlock, ...]
    diary: tuple[DiaryEntry, ...]
    consolidations: tuple[Consolidation, ...]

    def render(self) -> str:
        return self.text


class _Bullet(NamedTuple):
    """A list item: its indentation, text and line."""

    indent: int
    text: str
    line: int


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


def parse(text: str) -> DreamReport:
    """Return the report; any text is one, at worst an empty one."""
    title = _TITLE.match(text)
    source = _Source(text)
    return DreamReport(
        text,
        _TITLES[title[1]] if title else "",
        tuple(_candidates(source)),
        managed_blocks(text),
        tuple(_diary(source)),
        tuple(_consolidations(source)),
    )


def managed_blocks(text: str) -> tuple[ManagedBlock, ...]:
    """Return the blocks between dreaming's comments, in any text.

    A block without an end comment ends at the next start comment or heading of
    level 1 or 2; comments in code fences are not read.
    """
    if "<!-- openclaw:dreaming:" not in text:
        return ()
    fenced = fenced_lines(text)
    return tuple(_blocks(_Source(text), fenced))


def _blocks(source: _Source, fenced: frozenset[int]) -> Iterator[ManagedBlock]:
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


def _block(
    source: _Source, opened: re.Match[str], end: int, closed: int = 0
) -> ManagedBlock:
    """Return a block up to `end`; without a `closed` mark, at most to a heading."""
    if not closed:
        heading = _UPPER_HEADING.search(source.padded, opened.end(), end)
        end = heading.start() if heading else _start_of_block(source, end)
    body = source.padded[opened.end() + 1 : end].rstrip("\r" if closed else None)
    start = _start_of_block(source, opened.start())
    lines = source.lines(start, closed or end)
    return ManagedBlock(opened[1], body, bool(closed), lines)


def _start_of_block(source: _Source, mark: int) -> int:
    """Return the newline before the heading right above a start comment, if any."""
    above = source.padded.rfind("\n", 0, mark)
    if above < 0 or not _BLOCK_HEADING.fullmatch(source.padded, above + 1, mark):
        return mark
    return above


def _candidates(source: _Source) -> Iterator[Candidate]:
    group: list[_Bullet] = []
    for found in _BULLET.finditer(source.padded):
        line = source.line_at(found.start())
        bullet = _Bullet(len(found[1].expandtabs()), found[2].strip(), line)
        if group and bullet.indent <= group[0].indent:
            yield from _candidate(group)
            group = []
        group.append(bullet)
    yield from _candidate(group)


def _candidate(group: list[_Bullet]) -> Iterator[Candidate]:
    """Yield the candidate of a list item with its fields, if it names one."""
    if not group:
        return
    fields = dict(_fields(group[1:]))
    tail = _TAIL.search(group[0].text[-1000:])
    if tail:
        fields.setdefault("confidence", tail[1])
        fields.setdefault("evidence", tail[2] or "")
    named = _NAMED_ITEM.match(group[0].text)
    if not named and "confidence" not in fields:
        return
    text = group[0].text[named.end() if named else 0 :]
    confidence, recalls = fields.get("confidence", ""), fields.get("recalls", "")
    yield Candidate(
        text.removesuffix(tail[0]) if tail else text,
        float(confidence) if _NUMBER.fullmatch(confidence) else None,
        tuple(e for e in map(str.strip, fields.get("evidence", "").split(",")) if e),
        int(recalls) if recalls.isascii() and recalls.isdecimal() else None,
        fields.get("status", ""),
        Lines(group[0].line, group[-1].line),
    )


def _fields(bullets: list[_Bullet]) -> Iterator[tuple[str, str]]:
    for bullet in bullets:
        if found := _FIELD.fullmatch(bullet.text[:2000]):
            yield found[1].lower(), found[2].strip()


def _diary(source: _Source) -> Iterator[DiaryEntry]:
    founds = _DIARY_ENTRY.finditer(source.padded)
    for found, stop in up_to_next(founds, len(source.padded)):
        ending = _DIARY_END.search(source.padded, found.end(), stop)
        end = ending.start() if ending else stop
        text = _COMMENT_LINE.sub("", source.padded[found.end() + 1 : end])
        yield DiaryEntry(
            found[1].strip(), text.strip(), source.lines(found.start(), end)
        )


def _consolidations(source: _Source) -> Iterator[Consolidation]:
    history = _HISTORY.search(source.padded)
    if not history:
        return
    upper = _UPPER_HEADING.search(source.padded, history.end())
    end = upper.start() if upper else len(source.padded)
    founds = _HISTORY_ENTRY.finditer(source.padded, history.end(), end)
    for found, stop in up_to_next(founds, end):
        counts = {
            what: int(number)
            for what, number in _COUNT.findall(source.padded, found.end(), stop)
        }
        yield Consolidation(
            found[1].strip(),
            counts.get("Added", 0),
            counts.get("Merged", 0),
            counts.get("Superseded", 0),
            source.lines(found.start(), stop),
        )
