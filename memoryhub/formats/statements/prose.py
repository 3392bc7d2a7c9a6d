"""A text whose statements are read, cut once for the readers of all their kinds.

Each kind is known by parts of its words. All parts are looked for in one pass, which
leaves each reader only the lines that may hold what it reads.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Literal

from memoryhub.formats.text.deciding import DECIDING_STEMS
from memoryhub.formats.text.directing import DIRECTED_STEMS
from memoryhub.formats.text.open_phrases import FIRM_PARTS, LOOSE_PARTS, UNSPACED
from memoryhub.formats.text.stems import StemGroups, Stems

#: firm: sentences of open work, and questions; loose: those that plan or oblige.
Kind = Literal["decision", "directive", "firm", "loose"]

_STEMS: StemGroups[Kind] = StemGroups(
    {
        "decision": DECIDING_STEMS,
        "directive": DIRECTED_STEMS,
        "firm": Stems((*FIRM_PARTS.words, "?", "？")),
        "loose": LOOSE_PARTS,
    }
)


class Prose:
    """A text to read and its lines; those in `skipped`, by number, are not read."""

    def __init__(self, text: str, skipped: frozenset[int]) -> None:
        self.text = text
        self.low = text.lower()
        self.lines = text.split("\n")
        self.skipped = skipped

    def lines_of(self, kind: Kind) -> list[int]:
        """Return the numbers of the lines that may hold a statement of a kind."""
        return self._lines_of[kind]

    def open_lines(self, *, loose: bool) -> list[int]:
        """Return the numbers of the lines that may contain open work."""
        numbers = {*self.lines_of("firm"), *self._unspaced_lines()}
        return sorted(numbers.union(self.lines_of("loose")) if loose else numbers)

    @cached_property
    def _lines_of(self) -> dict[Kind, list[int]]:
        return _STEMS.lines_of(self.low)

    def _unspaced_lines(self) -> Iterator[int]:
        if self.text.isascii():
            return
        for number, line in enumerate(self.lines, 1):
            if not line.isascii() and UNSPACED.search(line):
                yield number
