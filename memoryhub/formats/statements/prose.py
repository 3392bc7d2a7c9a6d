"""A text whose statements are read, cut once for the readers of all their kinds.

Each kind is known by parts of its words. All parts are looked for in one pass, which
leaves each reader only the lines that may hold what it reads. Which of a reader's rules
such a line may follow, the signs in it tell, before it is cut into sentences.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property, lru_cache
from itertools import chain
from typing import Literal

from memoryhub.formats.text.addressing import ADDRESSES
from memoryhub.formats.text.clauses import CLAUSE_STEMS, DECIDING_STEMS
from memoryhub.formats.text.directing import DIRECTED_STEMS, REPORTED_STEMS
from memoryhub.formats.text.growing import LineSearch
from memoryhub.formats.text.open_phrases import FIRM_PARTS, LOOSE_PARTS, UNSPACED
from memoryhub.formats.text.phrases import SETTLED_STEMS
from memoryhub.formats.text.sentences import paragraph_at
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

#: clause: of a decision; settled: words that confirm one; reported, addressed:
#: directives.
Sign = Literal["clause", "settled", "reported", "addressed"]

_SIGNS: StemGroups[Sign] = StemGroups(
    {
        "clause": CLAUSE_STEMS,
        "settled": SETTLED_STEMS,
        "reported": REPORTED_STEMS,
        "addressed": Stems(chain.from_iterable(o.stems.words for o in ADDRESSES)),
    }
)

#: Confidence of what sentences say.
SUGGESTED = 0.8


@lru_cache(maxsize=1024)
def signs_of(plain: str) -> frozenset[Sign]:
    """Return the signs in a line; a part of it has no others.

    Cached: the readers of several kinds ask for those of one line.
    """
    return _SIGNS.groups_in(plain.lower())


def _unspaced_in(lines: str) -> Iterator[int]:
    """Yield the numbers of the lines with a script without blanks between words."""
    for number, line in enumerate(() if lines.isascii() else lines.split("\n"), 1):
        if not line.isascii() and UNSPACED.search(line):
            yield number


_UNSPACED_LINES = LineSearch(_unspaced_in)


class Prose:
    """A text to read and its lines; those in `skipped`, by number, are not read."""

    def __init__(self, text: str, skipped: frozenset[int]) -> None:
        self.text = text
        self.low = text.lower()
        self.lines = text.split("\n")
        self.skipped = skipped
        self._paragraphs: dict[int, tuple[int, int, str]] = {}

    def paragraph_at(self, number: int) -> tuple[int, int, str]:
        """Return the lines that a wrapped line belongs to, and their text."""
        if (found := self._paragraphs.get(number)) is None:
            found = self._paragraphs[number] = paragraph_at(self.lines, number)
        return found

    def lines_of(self, kind: Kind) -> list[int]:
        """Return the numbers of the lines that may hold a statement of a kind."""
        return self._lines_of[kind]

    def open_lines(self, *, loose: bool) -> list[int]:
        """Return the numbers of the lines that may contain open work."""
        numbers = {*self.lines_of("firm"), *_UNSPACED_LINES.lines_of(self.text)}
        return sorted(numbers.union(self.lines_of("loose")) if loose else numbers)

    @cached_property
    def _lines_of(self) -> dict[Kind, list[int]]:
        return _STEMS.lines_of(self.low)
