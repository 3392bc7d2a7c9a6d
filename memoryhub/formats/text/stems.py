"""Families of words with their stems, which tell at low cost where to look for them.

Most sentences hold no word of a family: its clauses are searched only where one of its
stems stands. All stems are looked for in one pass over a text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from ahocorasick import Automaton

from memoryhub.formats.text.alternatives import compile_alternatives


class Stems:
    """Parts of lower-case words that are looked for together."""

    def __init__(self, stems: Iterable[str]) -> None:
        self.words = tuple(sorted({*stems}))
        self._found = Automaton()
        for word in self.words:
            self._found.add_word(word, len(word))
        self._found.make_automaton()

    def are_in(self, low: str) -> bool:
        """Return whether one of them stands in a lower-case text."""
        return next(self._found.iter(low), None) is not None

    def found_in(self, low: str) -> frozenset[str]:
        """Return those that stand in a lower-case text."""
        return frozenset(
            low[end + 1 - size : end + 1] for end, size in self._found.iter(low)
        )

    def lines_of(self, low: str) -> list[int]:
        """Return the numbers of the lines of a lower-case text that hold one."""
        numbers: list[int] = []
        number, counted, line_end = 1, 0, -1
        for end, _ in self._found.iter(low) if self.words else ():
            if end > line_end:
                number += low.count("\n", counted, end)
                numbers.append(number)
                counted, line_end = end, low.find("\n", end)
                if line_end < 0:
                    break
        return numbers


class Family(NamedTuple):
    """Clauses of lower-case text, and stems of which each of them has one."""

    stems: Stems
    clauses: re.Pattern[str]

    def search(self, low: str) -> re.Match[str] | None:
        """Return the first clause in a lower-case sentence."""
        return self.clauses.search(low) if self.stems.are_in(low) else None


class Families:
    """Families that are looked for together, in their order."""

    def __init__(self, families: Iterable[Family]) -> None:
        self._families = tuple(families)
        holders: dict[str, set[int]] = {}
        for number, one in enumerate(self._families):
            for word in one.stems.words:
                holders.setdefault(word, set()).add(number)
        self.words = tuple(sorted(holders))
        self._found = Automaton()
        for word, numbers in holders.items():
            self._found.add_word(word, frozenset(numbers))
        self._found.make_automaton()

    def search(self, low: str) -> re.Match[str] | None:
        """Return the first clause of the first family that has one in a sentence."""
        held = set[int]().union(*(numbers for _, numbers in self._found.iter(low)))
        clauses = (self._families[number].clauses for number in sorted(held))
        return next((found for one in clauses if (found := one.search(low))), None)


def family(stems: str, *clauses: str) -> Family:
    """Return the family of these stems, divided by bars, and of these clauses."""
    return Family(Stems(stems.split("|")), compile_alternatives("|".join(clauses)))
