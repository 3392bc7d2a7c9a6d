"""Token ledger of ``MEMORY.md``: cost of each line, running total, limit.

An agent gets the file at the start of a session, up to the limit of its host: see
`memoryhub.journal.hosts`. Tokens are estimated as characters ÷ 4.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from math import inf

from memoryhub.dialects.memory_index import MemoryIndex, Pointer, parse
from memoryhub.formats.secrets.detection import masked
from memoryhub.formats.text.source import split_lines
from memoryhub.journal.hosts import OPTIMIZER, Cut, HostLimit, cut_of
from memoryhub.values import tokens
from memoryhub.values.limits import INDEX_LINE

#: Limits on lines and sections, for files that are no index at all.
_ROWS = 2_000
_SECTIONS = 50
_SHOWN = 400
_MARK = re.compile(r"(?:[-*+•]|#{1,6})[ \t]+")


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """A non-blank line; its tokens include the blank lines after it.

    `is_over`: the host leaves the line out, in whole or in part.
    """

    line: int
    text: str
    section: str
    pointer: str
    anchor: str
    tokens: int
    running: int
    size: int
    heading: bool = False
    is_over: bool = False

    @property
    def is_long(self) -> bool:
        return self.size > INDEX_LINE


@dataclass(frozen=True, slots=True)
class Share:
    """Tokens of a section."""

    title: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Budget:
    """Token cost of ``MEMORY.md`` or its equivalent on a host, in all and by line.

    `rows` are its first non-blank lines (at most 2,000), `lines` the number of all;
    `tokens` is the cost of the whole file.
    """

    path: str
    tokens: int
    lines: int
    rows: tuple[LedgerRow, ...]
    shares: tuple[Share, ...]
    is_over: bool
    host: HostLimit = OPTIMIZER
    line_limit: int = INDEX_LINE
    characters: int = 0
    bytes: int = 0
    all_lines: int = 0

    @property
    def limit(self) -> int:
        """The host's limit in tokens."""
        return self.host.in_tokens

    @property
    def left(self) -> int:
        """Tokens left; negative over the limit."""
        return self.limit - self.tokens

    @property
    def cut_after(self) -> int:
        """The last line before those left out; 0 if none is, -1 if the first one is."""
        if not self.is_over:
            return 0
        first = next((row.line for row in self.rows if row.is_over), inf)
        return max((row.line for row in self.rows if row.line < first), default=-1)

    @property
    def back_after(self) -> int:
        """The last omitted line before further given ones; 0 if none follows."""
        last = max((row.line for row in self.over), default=0)
        return last if self.rows and self.rows[-1].line > last else 0

    @property
    def over(self) -> tuple[LedgerRow, ...]:
        """The lines that are left out."""
        return tuple(row for row in self.rows if row.is_over)

    @property
    def long_lines(self) -> tuple[LedgerRow, ...]:
        return tuple(row for row in self.rows if row.is_long)


def budget_of(path: str, text: str, host: HostLimit = OPTIMIZER) -> Budget:
    """Compute the cost of a text that an agent gets, up to the limit of its host."""
    index = parse(text)
    cut = cut_of(text, host)
    rows = list(_rows(index, cut))
    return Budget(
        path=path,
        tokens=tokens.seed(len(text)),
        lines=len(rows),
        rows=tuple(rows[:_ROWS]),
        shares=_shares(rows),
        is_over=cut is not None,
        host=host,
        characters=len(text),
        bytes=len(text.encode("utf-8", "replace")),
        all_lines=len(split_lines(text)),
    )


def _rows(index: MemoryIndex, cut: Cut | None) -> Iterator[LedgerRow]:
    """Yield the non-blank lines; blank ones count with the line before."""
    lines = split_lines(index.text)
    pointers = {pointer.lines.first: pointer for pointer in index.pointers}
    titles = {s.first_line: s.title for s in index.sections if s.level}
    levels = {s.first_line: s.level for s in index.sections}
    numbers = [number for number, line in enumerate(lines, 1) if line.strip()]
    ends = dict(zip(numbers, [*(n - 1 for n in numbers[1:]), len(lines)], strict=False))
    size = sum(len(line) for line in lines[: numbers[0] - 1]) if numbers else 0
    section, running = "", 0
    for number in numbers:
        if number in titles and (levels[number] > 1 or not section):
            section = titles[number]
        size += sum(len(line) for line in lines[number - 1 : ends[number]])
        before, running = running, tokens.seed(size)
        pointer = pointers.get(number)
        content = lines[number - 1].rstrip("\r\n")
        yield LedgerRow(
            line=number,
            text=masked(_label(content, pointer)[:_SHOWN])[0],
            section=section,
            pointer=pointer.target if pointer else "",
            anchor=pointer.anchor if pointer else "",
            tokens=running - before,
            running=running,
            size=len(content),
            heading=number in titles,
            is_over=cut is not None and cut.has(number),
        )


def _label(line: str, pointer: Pointer | None) -> str:
    """Return a line without its list or heading mark; for a pointer its words."""
    if pointer and pointer.text:
        return pointer.text
    return _MARK.sub("", line.strip(), count=1)


def _shares(rows: list[LedgerRow]) -> tuple[Share, ...]:
    """Sum the tokens by section, in order of appearance."""
    tokens: dict[str, int] = {}
    for row in rows:
        title = row.section
        if title not in tokens and len(tokens) >= _SECTIONS:
            title = next(reversed(tokens))
        tokens[title] = tokens.get(title, 0) + row.tokens
    return tuple(Share(title, count) for title, count in tokens.items())
