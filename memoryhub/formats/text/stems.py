"""Families of words with their stems, which tell at low cost where to look for them.

Most sentences hold no word of a family: its clauses are searched only where one of its
stems stands. All stems are looked for in one pass over a text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Generic, NamedTuple, TypeVar

from ahocorasick import Automaton

from memoryhub.formats.text.alternatives import Alternatives

_Name = TypeVar("_Name", bound=str)


class Stems:
    """Parts of lower-case words that are looked for together."""

    def __init__(self, stems: Iterable[str]) -> None:
        self.words = tuple(sorted({*stems}))

    @cached_property
    def _found(self) -> Automaton:
        return _automaton({word: len(word) for word in self.words})

    def are_in(self, low: str) -> bool:
        """Return whether one of them stands in a lower-case text."""
        return next(self._found.iter(low), None) is not None

    def found_in(self, low: str) -> frozenset[str]:
        """Return those that stand in a lower-case text."""
        return frozenset(
            low[end + 1 - size : end + 1] for end, size in self._found.iter(low)
        )


class StemGroups(Generic[_Name]):
    """Named groups of stems, all of which are looked for in one pass over a text."""

    def __init__(self, groups: Mapping[_Name, Stems]) -> None:
        self._bits = {name: 1 << place for place, name in enumerate(groups)}
        held: dict[str, int] = {}
        for name, stems in groups.items():
            for word in stems.words:
                held[word] = held.get(word, 0) | self._bits[name]
        self._found = _automaton(held)

    def lines_of(self, low: str) -> dict[_Name, list[int]]:
        """Return for each group the numbers of the lines that hold one of its stems."""
        lines = list(self._lines(low))
        return {
            name: [number for number, held in lines if held & bit]
            for name, bit in self._bits.items()
        }

    def _lines(self, low: str) -> Iterator[tuple[int, int]]:
        """Yield the lines of a lower-case text that hold a stem, and their groups."""
        number, counted, line_end, held = 1, 0, -1, 0
        for end, bits in self._found.iter(low):
            if end > line_end:
                if held:
                    yield number, held
                number += low.count("\n", counted, end)
                counted, held, line_end = end, 0, low.find("\n", end)
                line_end = len(low) if line_end < 0 else line_end
            held |= bits
        if held:
            yield number, held


def _automaton(values: Mapping[str, object]) -> Automaton:
    """Return what finds all these words, each with its value, in one pass."""
    automaton = Automaton()
    for word, value in values.items():
        automaton.add_word(word, value)
    if values:
        automaton.make_automaton()
    return automaton


class Family(NamedTuple):
    """Clauses of lower-case text, and stems of which each of them has one."""

    stems: Stems
    clauses: re.Pattern[str] | Alternatives

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
        self._found = _automaton(holders)

    def search(self, low: str) -> re.Match[str] | None:
        """Return the first clause of the first family that has one in a sentence."""
        held = set[int]()
        for _, numbers in self._found.iter(low):
            held |= numbers
        clauses = (self._families[number].clauses for number in sorted(held))
        return next((found for one in clauses if (found := one.search(low))), None)


def family(stems: str, *clauses: str) -> Family:
    """Return the family of these stems, divided by bars, and of these clauses."""
    return Family(Stems(stems.split("|")), Alternatives("|".join(clauses)))
