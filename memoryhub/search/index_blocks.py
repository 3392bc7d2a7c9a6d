"""What the index is given for a version: its blocks, with the terms of each. Pure.

Of a version that begins like the one before, only what follows is cut anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from typing import NamedTuple

from memoryhub.search.chunking import Block, cut_blocks
from memoryhub.search.places import file_day, heading_day, place_words
from memoryhub.search.words import indexed_text, name_token, names, run_ends


class Entry(NamedTuple):
    """What FTS5 is given for a block."""

    text: str
    names: str
    day: int | None


class Cut(NamedTuple):
    """Where a section begins from which on a version is cut.

    `day` is what was said last before it; a block without a day of its own has it.
    """

    offset: int
    line: int
    day: date | None

    @classmethod
    def whole(cls, path: str) -> Cut:
        """Return the cut that leaves nothing out."""
        return cls(0, 1, file_day(path))

    def blocks_of(self, text: str) -> list[Block]:
        """Return the blocks of a version from here on."""
        return cut_blocks(text[self.offset :], self.line)


def equal_blocks(old: Sequence[Block], new: Sequence[Block]) -> int:
    """Return how many blocks two versions begin with alike."""
    pairs = enumerate(zip(old, new, strict=False))
    shorter = min(len(old), len(new))
    return next((index for index, (a, b) in pairs if a != b), shorter)


def line_start(text: str, line: int, end: int) -> int:
    """Return where a line begins that ends before `end`."""
    place = end
    for _ in range(text.count("\n", 0, end) - line + 2):
        place = text.rfind("\n", 0, place)
    return place + 1


def entries_of(
    path: str, blocks: Sequence[Block], day: date | None, *, after: int = 0
) -> Iterator[tuple[Block, Entry]]:
    """Give what is indexed for each block after the first ones."""
    for index, block in enumerate(blocks):
        own_day = heading_day(block.heading) or day
        day = own_day if block.heading and block.first_line > 1 else day
        if index >= after:
            yield block, _entry(path, block, own_day)


def _entry(path: str, block: Block, day: date | None) -> Entry:
    own = block.text
    return Entry(
        indexed_text(f"{block.body}\n{place_words(path, day)}"),
        " ".join(sorted({*map(name_token, names(own)), *run_ends(own)})),
        day.toordinal() if day else None,
    )
