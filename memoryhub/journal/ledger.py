"""What each line of ``MEMORY.md`` costs: a running total, and where the limit cuts.

An agent is given the file whole at the start of a session; context-memory-optimizer
keeps it below 800 tokens, estimated as characters ÷ 4, in lines of 150 at most.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memoryhub.formats.optimizer.memory_index import MemoryIndex, Pointer, parse
from memoryhub.formats.secrets.detection import masked
from memoryhub.formats.text.source import split_lines
from memoryhub.values import tokens
from memoryhub.values.limits import INDEX_LINE, INDEX_TOKENS

#: Lines and sections of a file that is no index at all.
_ROWS = 2_000
_SECTIONS = 50
_SHOWN = 400
_MARK = re.compile(r"(?:[-*+•]|#{1,6})[ \t]+")


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """A line that says something; its tokens include the blank lines behind it."""

    line: int
    text: str
    section: str
    pointer: str
    anchor: str
    tokens: int
    running: int
    size: int
    heading: bool = False

    @property
    def is_long(self) -> bool:
        return self.size > INDEX_LINE

    @property
    def is_over(self) -> bool:
        """Whether the line ends behind the limit."""
        return self.running > INDEX_TOKENS


@dataclass(frozen=True, slots=True)
class Share:
    """How many tokens a section takes."""

    title: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Budget:
    """What ``MEMORY.md`` costs an agent, in all and line by line.

    `rows` are the first lines of it that are not blank, `lines` is how many there
    are; the tokens of all rows and of what follows them are `tokens`.
    """

    path: str
    tokens: int
    lines: int
    rows: tuple[LedgerRow, ...]
    shares: tuple[Share, ...]
    limit: int = INDEX_TOKENS
    line_limit: int = INDEX_LINE

    @property
    def left(self) -> int:
        """How many tokens are left; less than zero where it is over the limit."""
        return self.limit - self.tokens

    @property
    def is_over(self) -> bool:
        return self.tokens > self.limit

    @property
    def cut_after(self) -> int:
        """The last line that fits; 0 where all of them do, -1 where none does."""
        if not self.is_over:
            return 0
        return max((row.line for row in self.rows if not row.is_over), default=-1)

    @property
    def over(self) -> tuple[LedgerRow, ...]:
        """The lines that no longer fit."""
        return tuple(row for row in self.rows if row.is_over)

    @property
    def long_lines(self) -> tuple[LedgerRow, ...]:
        return tuple(row for row in self.rows if row.is_long)


def budget_of(path: str, text: str) -> Budget:
    """Return what a text costs an agent that is given it whole."""
    index = parse(text)
    rows = list(_rows(index))
    return Budget(
        path=path,
        tokens=tokens.seed(len(text)),
        lines=len(rows),
        rows=tuple(rows[:_ROWS]),
        shares=_shares(rows),
    )


def _rows(index: MemoryIndex) -> Iterator[LedgerRow]:
    """Return the lines that are not blank; blank ones count with the line before."""
    lines = split_lines(index.text)
    pointers = {pointer.lines.first: pointer for pointer in index.pointers}
    titles = {s.first_line: s.title for s in index.sections if s.level}
    levels = {s.first_line: s.level for s in index.sections}
    said = [number for number, line in enumerate(lines, 1) if line.strip()]
    ends = dict(zip(said, [*(n - 1 for n in said[1:]), len(lines)], strict=False))
    size = sum(len(line) for line in lines[: said[0] - 1]) if said else 0
    section, running = "", 0
    for number in said:
        if number in titles and (levels[number] > 1 or not section):
            section = titles[number]
        size += sum(len(line) for line in lines[number - 1 : ends[number]])
        before, running = running, tokens.seed(size)
        pointer = pointers.get(number)
        content = lines[number - 1].rstrip("\r\n")
        yield LedgerRow(
            line=number,
            text=masked(_said(content, pointer)[:_SHOWN])[0],
            section=section,
            pointer=pointer.target if pointer else "",
            anchor=pointer.anchor if pointer else "",
            tokens=running - before,
            running=running,
            size=len(content),
            heading=number in titles,
        )


def _said(line: str, pointer: Pointer | None) -> str:
    """Return what a line says beside its mark and the file it points to."""
    if pointer and pointer.text:
        return pointer.text
    return _MARK.sub("", line.strip(), count=1)


def _shares(rows: list[LedgerRow]) -> tuple[Share, ...]:
    """Return how many tokens each section takes, in the order they begin."""
    tokens: dict[str, int] = {}
    for row in rows:
        title = row.section
        if title not in tokens and len(tokens) >= _SECTIONS:
            title = next(reversed(tokens))
        tokens[title] = tokens.get(title, 0) + row.tokens
    return tuple(Share(title, count) for title, count in tokens.items())
