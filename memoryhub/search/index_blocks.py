"""Index entries of a version: its blocks, with the terms of each. Pure.

Blocks are sections of about 1,200 characters. If a version begins like the previous
one, only the rest is cut again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date
from functools import lru_cache
from typing import NamedTuple

from memoryhub.formats.text import frontmatter
from memoryhub.formats.text.days import day_in
from memoryhub.formats.text.source import split_sections
from memoryhub.search.day_spans import day_names, day_token
from memoryhub.search.words import indexed_text, name_token, names, run_ends

_BLOCK_CHARACTERS = 1_200
_DAY = re.compile(r"(?<!\d)((?:19|20)\d\d)[-_/.]?(0[1-9]|1[0-2])[-_/.]?([0-3]\d)(?!\d)")
_YEAR = re.compile(r"(?:19|20)\d\d")
_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august",
    "september", "october", "november", "december",
)  # fmt: skip


class Block(NamedTuple):
    """A range of lines of a section, with the heading of that section.

    `begins` is True for the first block of a section.
    """

    first_line: int
    last_line: int
    heading: str
    text: str
    begins: bool = True

    @property
    def body(self) -> str:
        """The text with its heading, even if the heading is in an earlier block."""
        if self.text.startswith(self.heading):
            return self.text
        return self.heading + self.text


class Entry(NamedTuple):
    """The FTS5 columns and the day of a block."""

    text: str
    names: str
    day: int | None


class Cut(NamedTuple):
    """The start of a section from which a version is cut into blocks.

    `day` is the last day named before it: the day of blocks without one of their own.
    """

    offset: int
    line: int
    day: date | None

    @classmethod
    def whole(cls, path: str) -> Cut:
        """Return the cut at the start of a file."""
        return cls(0, 1, file_day(path))

    def blocks_of(self, text: str) -> list[Block]:
        """Return the blocks of a version from here on."""
        return cut_blocks(text[self.offset :], self.line)


def cut_blocks(text: str, line: int = 1) -> list[Block]:
    """Split a text into blocks: sections, split between lines where they are long.

    Blocks of blanks alone are left out. `line` is the number of the text's first line.
    """
    return [block for block in _blocks(text, line - 1) if not block.text.isspace()]


def _blocks(text: str, before: int) -> Iterator[Block]:
    for section in split_sections(text):
        heading, source = section.heading, section.source
        if len(source) <= _BLOCK_CHARACTERS:
            first, last = section.lines
            yield Block(first + before, last + before, heading, source)
        else:
            yield from _long_section(source, heading, section.first_line + before)


def _long_section(source: str, heading: str, line: int) -> Iterator[Block]:
    start, end, first = 0, 0, line
    while end < len(source):
        after = source.find("\n", end) + 1 or len(source)
        if after - start > _BLOCK_CHARACTERS and end > start:
            yield Block(first, line - 1, heading, source[start:end], not start)
            start, first = end, line
        end, line = after, line + 1
    if start < end:
        yield Block(first, line - 1, heading, source[start:end], not start)


def equal_blocks(old: Sequence[Block], new: Sequence[Block]) -> int:
    """Return the number of equal blocks at the start of two versions."""
    pairs = enumerate(zip(old, new, strict=False))
    shorter = min(len(old), len(new))
    return next((index for index, (a, b) in pairs if a != b), shorter)


def line_start(text: str, line: int, end: int) -> int:
    """Return the offset of the start of a line that ends before `end`."""
    place = end
    for _ in range(text.count("\n", 0, end) - line + 2):
        place = text.rfind("\n", 0, place)
    return place + 1


def entries_of(
    path: str, blocks: Sequence[Block], day: date | None, *, after: int = 0
) -> Iterator[tuple[Block, Entry]]:
    """Yield the blocks from index `after` on, with their index entries.

    A day in a heading is that of the blocks behind it too; one in a file's first
    heading or front matter only if its path has none.
    """
    for index, block in enumerate(blocks):
        own_day = heading_day(block.heading) or day or _front_day(block)
        if day is None or (block.heading and block.first_line > 1):
            day = own_day
        if index >= after:
            yield block, _entry(path, block, own_day)


def _entry(path: str, block: Block, day: date | None) -> Entry:
    own = block.text
    return Entry(
        indexed_text(f"{block.body}\n{place_words(path, day)}"),
        " ".join(
            sorted({*map(name_token, names(own)), *run_ends(own), *day_tokens(day)})
        ),
        day.toordinal() if day else None,
    )


@lru_cache(maxsize=1024)
def day_tokens(day: date | None) -> tuple[str, ...]:
    """Return the index terms of a day, its month and its year."""
    return tuple(map(day_token, day_names(day))) if day else ()


@lru_cache(maxsize=1024)
def file_day(path: str) -> date | None:
    """Return the day in a file's name, else in its folders."""
    folder, _, name = path.rpartition("/")
    return _day_in(name) or _day_in(folder)


@lru_cache(maxsize=1024)
def heading_day(heading: str) -> date | None:
    """Return the day in a heading: 2026-05-08, 8 May 2026, 8.5.2026, 2026年5月8日."""
    if not _YEAR.search(heading):
        return None
    return _day_in(heading) or day_in(heading)


def _front_day(block: Block) -> date | None:
    """Return the ``date`` in the front matter of a file's first block."""
    if block.first_line > 1 or not block.text.startswith("---"):
        return None
    return day_in(frontmatter.split(block.text).get("date"))


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
