"""Word families with their stems, for a cheap first check of a text.

Most sentences hold no word of a family: its clauses are searched only where one of its
stems stands. All stems are looked for in one pass over a text.

A stem that begins with ``\\b`` counts at the start of a word alone, one that begins
with ``^`` only where a sentence may begin.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Generic, NamedTuple, TypeVar

from ahocorasick import Automaton

from memoryhub.formats.text.alternatives import Alternatives, alternatives, rank_of
from memoryhub.formats.text.growing import WHOLE, Growing

_Name = TypeVar("_Name", bound=str)

_AT_WORD, _AT_SENTENCE = r"\b", "^"
#: Marks before a sentence, and how many of them are passed over.
_MARKS, _MOST_MARKS = " \t*_`~'\"“”„«»‘’", 8
_NO_WORD = "\0"
#: From here on scripts have no blanks between words.
_FIRST_UNSPACED = "\u2e80"


class _Hit(NamedTuple):
    """Marks of a found word as bits: anywhere, and at a beginning."""

    size: int
    anywhere: int = 0
    at_word: int = 0
    at_sentence: int = 0
    #: Those that count under a condition.
    conditional: int = 0

    def bits(self, low: str, end: int) -> int:
        """Return the bits of the word that ends at this character of a text."""
        if not (self.at_word or self.at_sentence):
            return self.anywhere
        before = low[max(0, end - self.size - _MOST_MARKS) : end - self.size + 1]
        if before[-1:].isalnum():
            return self.anywhere
        if self.at_sentence and _ends_a_sentence(before):
            return self.anywhere | self.at_word | self.at_sentence
        return self.anywhere | self.at_word

    def joined(self, stem: str, bits: int) -> _Hit:
        """Return it with the bits of one more stem, by the condition of that stem."""
        conditional = self.conditional | bits
        if stem.startswith(_AT_WORD):
            at_word = self.at_word | bits
            return self._replace(at_word=at_word, conditional=conditional)
        if stem.startswith(_AT_SENTENCE):
            at_sentence = self.at_sentence | bits
            return self._replace(at_sentence=at_sentence, conditional=conditional)
        return self._replace(anywhere=self.anywhere | bits)


def _ends_a_sentence(before: str) -> bool:
    """Return whether a sentence may begin behind a text."""
    last = before.rstrip(_MARKS)[-1:]
    return last != "," and not (last.isalpha() and last < _FIRST_UNSPACED)


class _Finder:
    """Stems with their bits, found in one pass over a lower-case text.

    A text in ASCII is searched for stems in ASCII alone: at each character there are
    fewer to tell apart.
    """

    def __init__(self, bits: Mapping[str, int]) -> None:
        self._bits = bits

    @cached_property
    def _of_any(self) -> Automaton:
        return _automaton(self._bits)

    @cached_property
    def _of_ascii(self) -> Automaton:
        return _automaton({o: bits for o, bits in self._bits.items() if o.isascii()})

    def hits(self, low: str, *span: int) -> Iterator[tuple[int, _Hit]]:
        """Yield the stems in a text, or between two offsets: the end of each, its bits.

        Their conditions are not checked.
        """
        found: Iterator[tuple[int, _Hit]]
        found = (self._of_ascii if low.isascii() else self._of_any).iter(low, *span)
        return found

    def held_in(self, low: str) -> int:
        """Return the bits of all stems in a text."""
        held = 0
        automaton = self._of_ascii if low.isascii() else self._of_any
        for end, hit in automaton.iter(low):
            held |= hit.anywhere
            if hit.conditional | held != held:
                held |= hit.bits(low, end)
        return held


class Stems:
    """Lower-case word parts, searched in one pass."""

    def __init__(self, stems: Iterable[str]) -> None:
        self.words = tuple(sorted({*stems}))
        self._finder = _Finder(dict.fromkeys(self.words, 1))

    def are_in(self, low: str) -> bool:
        """Return whether a lower-case text contains one of them."""
        for end, hit in self._finder.hits(low):
            if hit.anywhere or hit.bits(low, end):
                return True
        return False

    def found_in(self, low: str) -> frozenset[str]:
        """Return those in a lower-case text, without their conditions."""
        found = set[str]()
        for end, hit in self._finder.hits(low):
            if hit.anywhere or hit.bits(low, end):
                found.add(low[end + 1 - hit.size : end + 1])
        return frozenset(found)


class _Lines(NamedTuple):
    """The lines of each group up to an offset, and the number of the line there."""

    at: int
    number: int
    found: Mapping[str, list[int]]


class StemGroups(Generic[_Name]):
    """Named groups of stems, searched in one pass over a text.

    A text that continues one of those searched last is searched from where that ended.
    """

    def __init__(self, groups: Mapping[_Name, Stems]) -> None:
        self._bits = {name: 1 << place for place, name in enumerate(groups)}
        held: dict[str, int] = {}
        for name, stems in groups.items():
            for word in stems.words:
                held[word] = held.get(word, 0) | self._bits[name]
        self._finder = _Finder(held)
        self._named: dict[int, frozenset[_Name]] = {}
        self._read: Growing[_Lines] = Growing()

    def groups_in(self, low: str) -> frozenset[_Name]:
        """Return the groups of which a lower-case text holds a stem."""
        held = self._finder.held_in(low)
        if (named := self._named.get(held)) is None:
            named = frozenset(n for n, bit in self._bits.items() if held & bit)
            self._named[held] = named
        return named

    def lines_of(self, low: str) -> dict[_Name, list[int]]:
        """Return for each group the numbers of the lines that hold one of its stems."""
        parts = self._read.parts_of(low)
        known = parts.before(WHOLE) or _Lines(0, 1, {})
        # The last line may go on.
        last = low.rfind("\n") + 1
        found = {name: [*known.found.get(name, ())] for name in self._bits}
        if known.at < last:
            self._search(low, known.at, last, known.number, found)
        number = known.number + low.count("\n", known.at, last)
        parts.note(WHOLE, _Lines(last, number, {n: [*o] for n, o in found.items()}))
        self._search(low, last, len(low), number, found)
        return found

    def _search(
        self, low: str, at: int, end: int, number: int, found: dict[_Name, list[int]]
    ) -> None:
        """Add the lines between two offsets that hold a stem to those of its groups."""
        targets: dict[int, list[list[int]]] = {}
        for line, held in self._lines(low, at, end, number):
            if held not in targets:
                targets[held] = [
                    found[n] for n, bit in self._bits.items() if held & bit
                ]
            for numbers in targets[held]:
                numbers.append(line)

    def _lines(
        self, low: str, at: int, until: int, number: int
    ) -> Iterator[tuple[int, int]]:
        """Yield the lines of a lower-case text that hold a stem, and their groups."""
        counted, line_end, held = at, -1, 0
        for end, hit in self._finder.hits(low, at, until):
            if end > line_end:
                if held:
                    yield number, held
                number += low.count("\n", counted, end)
                counted, held, line_end = end, 0, low.find("\n", end)
                line_end = len(low) if line_end < 0 else line_end
            held |= hit.anywhere
            if hit.conditional | held != held:
                held |= hit.bits(low, end)
        if held:
            yield number, held


#: So many words are looked for one by one; in so short a text any number of them.
_FEW, _SHORT = 12, 2_000


def lines_with(words: Collection[str], text: str) -> list[int]:
    """Return the numbers of the lines of a text that hold one of the words.

    Case counts; words have no conditions.
    """
    if len(words) > _FEW and len(text) > _SHORT:
        return StemGroups({"any": Stems(words)}).lines_of(text)["any"]
    return sorted({number for word in words for number in _lines_with(word, text)})


def _lines_with(word: str, text: str) -> Iterator[int]:
    at, number, counted = text.find(word), 1, 0
    while at >= 0:
        number += text.count("\n", counted, at)
        yield number
        counted = text.find("\n", at)
        at = text.find(word, counted) if counted > 0 else -1


def bare_stem(stem: str) -> str:
    """Return a stem without its condition."""
    return stem.removeprefix(_AT_WORD).removeprefix(_AT_SENTENCE)


def _automaton(bits: Mapping[str, int]) -> Automaton:
    """Build the automaton that finds all stems, with their bits, in one pass."""
    hits: dict[str, _Hit] = {}
    for stem, marked in bits.items():
        word = bare_stem(stem)
        hits[word] = hits.get(word, _Hit(len(word))).joined(stem, marked)
    automaton = Automaton()
    # One without a word cannot be searched.
    for word, hit in (hits or {_NO_WORD: _Hit(1)}).items():
        automaton.add_word(word, hit)
    automaton.make_automaton()
    return automaton


class Family(NamedTuple):
    """Clauses of lower-case text, and stems of which each of them has one."""

    stems: Stems
    clauses: re.Pattern[str] | Alternatives | Family | Parted

    def search(self, low: str) -> re.Match[str] | None:
        """Return the first clause in a lower-case sentence."""
        return self.clauses.search(low) if self.stems.are_in(low) else None


class Families:
    """Word families searched in one pass, in their order."""

    def __init__(self, families: Iterable[Family]) -> None:
        self.families = tuple(families)
        holders: dict[str, int] = {}
        for number, one in enumerate(self.families):
            for word in one.stems.words:
                holders[word] = holders.get(word, 0) | 1 << number
        self.words = tuple(sorted(holders))
        self._finder = _Finder(holders)

    def bits_of(self, families: Iterable[Family]) -> int:
        """Return the bits of some of the families."""
        return sum(1 << self.families.index(one) for one in families)

    def held_in(self, low: str) -> int:
        """Return the bits of the families of which a sentence holds a stem."""
        return self._finder.held_in(low)

    def first(self, low: str, held: int) -> re.Match[str] | None:
        """Return the first clause of the first of some families that has one."""
        while held:
            lowest = held & -held
            clauses = self.families[lowest.bit_length() - 1].clauses
            if found := clauses.search(low):
                return found
            held ^= lowest
        return None

    def all_of(self, low: str, held: int) -> Iterator[re.Match[str]]:
        """Yield the first clause of each of some families that has one."""
        for number, one in enumerate(self.families):
            if held >> number & 1 and (found := one.clauses.search(low)):
                yield found

    def search(self, low: str) -> re.Match[str] | None:
        """Return the first clause of the first family that has one in a sentence."""
        return self.first(low, self.held_in(low))


class Parted:
    """Clauses with stems of their own, each searched where one of these stands.

    They find what they would find as one pattern: the first in a sentence.
    """

    def __init__(self, families: Iterable[Family]) -> None:
        self._families = Families(families)

    def search(self, low: str) -> re.Match[str] | None:
        """Return the first clause in a lower-case sentence."""
        held = self._families.held_in(low)
        found = self._families.all_of(low, held) if held else ()
        return min(found, key=re.Match.start, default=None)


def parted_family(stems: str, *parts: Family) -> Family:
    """Return the family of these stems, each part of which is searched by its own.

    Of two clauses that begin at one place the one found is that of one pattern.
    """
    clauses = [
        (one.stems, clause)
        for one in parts
        if isinstance(one.clauses, Alternatives)
        for clause in alternatives(one.clauses.pattern)
    ]
    ordered = sorted(clauses, key=lambda part: rank_of(part[1]))
    parted = Parted(Family(own, Alternatives(clause)) for own, clause in ordered)
    return Family(Stems(stems.split("|")), parted)


def family(stems: str, *clauses: str) -> Family:
    """Return the family of these stems, divided by bars, and of these clauses."""
    return Family(Stems(stems.split("|")), Alternatives("|".join(clauses)))
