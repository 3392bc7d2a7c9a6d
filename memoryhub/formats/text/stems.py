"""Families of words with their stems, which tell at low cost where to look for them.

Most sentences hold no word of a family: its clauses are searched only where one of its
stems stands.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from typing import NamedTuple


class Family(NamedTuple):
    """Clauses of lower-case text, and stems of which each of them has one."""

    stems: tuple[str, ...]
    clauses: re.Pattern[str]

    def search(self, low: str) -> re.Match[str] | None:
        """Return the first clause in a lower-case sentence."""
        held = any(stem in low for stem in self.stems)
        return self.clauses.search(low) if held else None


def family(stems: str, *clauses: str) -> Family:
    """Return the family of these stems, divided by bars, and of these clauses."""
    return Family(tuple(stems.split("|")), re.compile("|".join(clauses)))


class Stems:
    """Stems that are looked for in whole texts."""

    def __init__(self, stems: Iterable[str]) -> None:
        unique = sorted({*stems})
        self._ascii = tuple(stem for stem in unique if stem.isascii())
        self._others = tuple(stem for stem in unique if not stem.isascii())

    def lines_of(self, text: str) -> list[int]:
        """Return the numbers of the lines of a lower-case text that hold a stem.

        To look for each stem in the whole text is many times quicker than to look for
        all of them in each line.
        """
        stems = self._ascii if text.isascii() else (*self._ascii, *self._others)
        starts = [0]
        while after := text.find("\n", starts[-1]) + 1:
            starts.append(after)
        found: set[int] = set()
        for stem in stems:
            place = text.find(stem)
            while place >= 0:
                number = bisect_right(starts, place)
                found.add(number)
                place = text.find(stem, starts[number]) if number < len(starts) else -1
        return sorted(found)
