"""Second stage of a search: the lines of the best blocks, scored by all the words.

A line's score is the mean of BM25 over it alone and with its neighbours on each side, a
share of its block's score, and what its form says: who speaks, whether it asks, whether
its day is one that the query names. Windows reach over the borders of blocks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from math import log
from typing import NamedTuple

from memoryhub.search.texts import (
    LINE_CHARACTERS,
    Form,
    IndexedText,
    Terms,
    heading_level,
    indexed,
    split_terms,
)
from memoryhub.search.words import name_places
from memoryhub.values.budgets import ENDLESS, Budget

_K1, _B = 1.2, 0.75
#: Neighbours on each side of a line in the windows that are scored, and their shares.
_WINDOWS = ((0, 0.15), (1, 0.5), (3, 0.5))
_FURTHEST = _WINDOWS[-1][0]
_BLOCK_SHARE = 0.15
#: Blocks whose words are looked up together.
_TOGETHER = 10
#: Weight of a day that the query names, in weights of a term as rare.
_ON_DAY = 2.5
#: Parts of the best score that a line's form adds: said by one whom the query names, or
#: by another; a question; a time, name or place where the query asks for one.
_SPEAKER, _OTHER_SPEAKER, _ASKING = 0.12, -0.12, -0.06
_NAMED = {"when": 0.12, "who": 0.05, "where": 0.05}
_DAY = re.compile(r"\d{4}-\d\d(-\d\d)?")
#: Names are looked for in so much of a line. A line that is too long to be split into
#: words can be a result whatever it starts with: it is a block of its own.
_LONGEST_LINE = 1_000_000
_HALF_LIFE_DAYS, _LEAST_SHARE = 30, 0.05


@dataclass(frozen=True, slots=True)
class SearchTerms:
    """The scoring terms of a query with their weights, names, phrases as terms.

    `plain` are terms too common for a result to rest on alone. A prefix stands for
    every term that starts with it. `forms` are other forms of a term, such as "bought"
    of "buy". `days` are first and last days that the query names, with `day_weight`;
    `asks` are the questions "who", "when" and "where" that it asks.
    """

    weights: dict[str, float]
    plain: frozenset[str] = frozenset()
    names: tuple[str, ...] = ()
    phrases: tuple[tuple[str, ...], ...] = ()
    prefix: str = ""
    forms: dict[str, str] = field(default_factory=dict)
    days: tuple[tuple[int, int], ...] = ()
    day_weight: float = 0.0
    asks: frozenset[str] = frozenset()
    _keys: _Keys = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_keys", _Keys(self))

    def keys_in(self, terms: Terms) -> list[str]:
        """Return the wanted terms among the terms of a line."""
        return self.keys_of([terms])[0]

    def keys_of(self, lines: Sequence[Terms]) -> list[list[str]]:
        """Return the wanted terms among those of each line; most lines have none."""
        keys = self._keys
        if self.prefix:
            return [[key for term in line if (key := keys[term])] for line in lines]
        known, has_none = keys.known, keys.known.keys().isdisjoint
        return [
            [] if has_none(line) else [known[term] for term in line if term in known]
            for line in lines
        ]

    def key(self, term: str) -> str:
        """Return the wanted term that a term matches, or an empty text."""
        return self._keys[term]

    def is_distinctive(self, term: str) -> bool:
        """Return whether a term alone is enough for a result."""
        return bool(key := self._keys[term]) and key not in self.plain

    def is_on(self, day: int | None) -> bool:
        """Return whether a day is one that the query names."""
        return day is not None and any(a <= day <= b for a, b in self.days)


class _Keys(dict[str, str]):
    """The wanted term of each term that was met; empty for others."""

    def __init__(self, wanted: SearchTerms) -> None:
        weights = wanted.weights
        super().__init__({t: to for t, to in wanted.forms.items() if to in weights})
        self.update({term: term for term in weights})
        self._prefix = wanted.prefix
        #: Those without a prefix; a plain dictionary is twice as fast.
        self.known = dict(self)

    def __missing__(self, term: str) -> str:
        is_start = bool(self._prefix) and term.startswith(self._prefix)
        self[term] = found = self._prefix if is_start else ""
        return found


class Candidate(NamedTuple):
    """A block of the first stage."""

    file: int
    first_line: int
    last_line: int
    score: float
    day: int | None = None


class ScoredLine(NamedTuple):
    """A line that can be a result.

    `exact` is the number of the query's names found whole in it; `meant`: no word of
    the query led to it, but its meaning.
    """

    file: int
    line: int
    score: float
    exact: int = 0
    day: int | None = None
    on_day: bool = False
    meant: bool = False


@dataclass(slots=True)
class _Block:
    """A block's lines with the neighbours that its windows reach.

    `start` is the number of the first of these lines; `found` has the wanted terms of
    each, `sums` the number of terms before each.
    """

    candidate: Candidate
    text: IndexedText
    start: int
    found: list[list[str]]
    sums: list[int]
    allowed: set[int] | None = None


Texts = Callable[[int], Sequence[str]]


def weight(found_in: int, total: int) -> float:
    """Return BM25's weight of a term from its block count and the total of blocks."""
    return log(1 + (total - found_in + 0.5) / (found_in + 0.5))


def score_lines(
    candidates: Sequence[Candidate],
    text_of: Texts,
    wanted: SearchTerms,
    *,
    budget: Budget = ENDLESS,
) -> list[ScoredLine]:
    """Return the lines of these blocks that can be results, best first.

    A heading over text is one only if no other line is. Of equal scores the newer comes
    first. Blocks are read in their order, ten together, until the budget is spent.
    Exact ones always come first.
    """
    blocks: list[_Block] = []
    for at in range(0, len(candidates), _TOGETHER):
        if blocks and budget.is_spent:
            break
        blocks += _blocks(candidates[at : at + _TOGETHER], text_of, wanted)
    lines = sum(
        after > before
        for block in blocks
        for before, after in zip(block.sums, block.sums[1:], strict=False)
    )
    average = max(1.0, sum(block.sums[-1] for block in blocks) / max(1, lines))
    found = [line for block in blocks for line in _scored(block, wanted, average)]
    if not found:
        found = [
            line
            for block in blocks
            for line in _scored(block, wanted, average, headings=True)
        ]
    return sorted(_by_form(found, wanted), key=order)


def newer_first(lines: Iterable[ScoredLine], today: int) -> list[ScoredLine]:
    """Sort lines whose scores halve every 30 days, down to a twentieth.

    Those without a day come last.
    """
    aged = sorted((_aged(line, today) for line in lines), key=order)
    return sorted(aged, key=lambda line: line.day is None)


def order(line: ScoredLine) -> tuple[float, ...]:
    """Sort key: exact ones, the best, of equal ones the newest."""
    return (-line.exact, -line.score, -(line.day or 0), line.file, line.line)


def _blocks(
    candidates: Sequence[Candidate], text_of: Texts, wanted: SearchTerms
) -> list[_Block]:
    texts = [indexed(text_of(candidate.file)) for candidate in candidates]
    placed = list(zip(candidates, texts, strict=True))
    split_terms(
        (text, block.first_line - _FURTHEST, block.last_line + _FURTHEST)
        for block, text in placed
    )
    return [_block(candidate, text, wanted) for candidate, text in placed]


def _block(candidate: Candidate, text: IndexedText, wanted: SearchTerms) -> _Block:
    first, last = candidate.first_line, candidate.last_line
    start = max(1, first - _FURTHEST)
    terms = text.terms_of(start, last + _FURTHEST)
    block = _Block(
        candidate, text, start,
        wanted.keys_of(terms),
        [0, *accumulate(map(len, terms))],
    )  # fmt: skip
    if wanted.phrases:
        own = terms[first - start : last - start + 1]
        block.allowed = {first + at for at in _phrase_lines(wanted.phrases, own)}
    return block


def _phrase_lines(
    phrases: tuple[tuple[str, ...], ...], lines: Sequence[Terms]
) -> set[int]:
    """Return the lines with phrases; none if one of the phrases is missing."""
    placed = [(word, at) for at, line in enumerate(lines) for word in line]
    flat = [word for word, _ in placed]
    found: set[int] = set()
    for phrase in phrases:
        starts = phrase_starts(phrase, flat)
        if not starts:
            return set()
        for start in starts:
            last = placed[start + len(phrase) - 1][1]
            found.update(range(placed[start][1], last + 1))
    return found


def phrase_starts(phrase: tuple[str, ...], within: Sequence[str]) -> list[int]:
    """Return the offsets at which a phrase starts."""
    size = len(phrase)
    return [
        at
        for at in range(len(within) - size + 1)
        if within[at] == phrase[0] and tuple(within[at : at + size]) == phrase
    ]


def _scored(
    block: _Block, wanted: SearchTerms, average: float, *, headings: bool = False
) -> Iterator[tuple[ScoredLine, IndexedText]]:
    """Yield the lines of a block that can be results, scored without their form.

    With `headings`, those too.
    """
    candidate, text, allowed = block.candidate, block.text, block.allowed
    plain = wanted.plain
    strong = [any(key not in plain for key in keys) for keys in block.found]
    on_day = wanted.is_on(candidate.day)
    base = _BLOCK_SHARE * candidate.score + on_day * _ON_DAY * wanted.day_weight
    last = min(candidate.last_line, len(text))
    is_headed = False
    for number in range(candidate.first_line, last + 1):
        at = number - block.start
        exact = _exact(text[number - 1], wanted) if wanted.names else 0
        if allowed is None:
            stands = (
                exact or on_day or is_headed or any(strong[max(0, at - 1) : at + 2])
            )
            if not stands and candidate.score > 0:
                stands = len(text[number - 1]) > LINE_CHARACTERS
            if (is_headed or strong[at]) and text[number - 1].strip():
                is_headed = strong[at] and heading_level(text[number - 1]) > 0
        else:
            stands = number in allowed
        if stands and _can_be_result(text, number, named=headings or exact > 0):
            score = base + _windows(block, at, wanted, average)
            day = candidate.day
            yield ScoredLine(candidate.file, number, score, exact, day, on_day), text


def _exact(source: str, wanted: SearchTerms) -> int:
    start = source[:_LONGEST_LINE]
    return sum(any(name_places(start, name)) for name in wanted.names)


def _can_be_result(text: Sequence[str], number: int, *, named: bool) -> bool:
    """Return whether a line has content: a heading only if nothing is below it.

    One with a name of the query does, unless it is a day's.
    """
    source = text[number - 1]
    if source.isspace() or not source:
        return False
    if not (level := heading_level(source)):
        return True
    if named and not _DAY.fullmatch(source.strip("# \t")):
        return True
    below = next((line for line in text[number : number + 3] if line.strip()), "")
    return not below or 0 < heading_level(below) <= level


def _windows(block: _Block, at: int, wanted: SearchTerms, average: float) -> float:
    """Return the weighted mean of BM25 over the windows around a line."""
    weights, found, sums = wanted.weights, block.found, block.sums
    counts: dict[str, int] = {}
    score, low, high = 0.0, at, at
    for reach, share in _WINDOWS:
        new_low, new_high = max(0, at - reach), min(len(found), at + reach + 1)
        for keys in (*found[new_low:low], *found[high:new_high]):
            for key in keys:
                counts[key] = counts.get(key, 0) + 1
        low, high = new_low, new_high
        if counts:
            length = (sums[high] - sums[low]) / (average * (2 * reach + 1))
            damping = _K1 * (1 - _B + _B * length)
            factor = share * (_K1 + 1)
            for key, n in counts.items():
                score += factor * weights.get(key, 0.0) * n / (n + damping)
    return score


def _by_form(
    lines: Sequence[tuple[ScoredLine, IndexedText]], wanted: SearchTerms
) -> Iterator[ScoredLine]:
    """Add a bonus for the form of each line, as a share of the best score."""
    best = max((line.score for line, _ in lines), default=0.0)
    said = {text.form_of(line.line).speaker for line, text in lines} - {()}
    named = {speaker for speaker in said if wanted.keys_in(speaker)}
    for line, text in lines:
        share = _form_share(text.form_of(line.line), named)
        share += _naming_share(text, line.line, wanted)
        yield line._replace(score=line.score + best * share)


def _form_share(form: Form, named: set[Terms]) -> float:
    """Return the share that a form adds; `named` are speakers whom the query names."""
    share = _ASKING if form.asks else 0.0
    if named and form.speaker:
        share += _SPEAKER if form.speaker in named else _OTHER_SPEAKER
    return share


def _naming_share(text: IndexedText, line: int, wanted: SearchTerms) -> float:
    """Return the share that a time, name or place adds where the query asks for one."""
    if not wanted.asks:
        return 0.0
    return sum(_NAMED[name] for name in wanted.asks & text.naming_of(line))


def _aged(line: ScoredLine, today: int) -> ScoredLine:
    age = max(0, today - (line.day or 0))
    share = _LEAST_SHARE + (1 - _LEAST_SHARE) * 0.5 ** (age / _HALF_LIFE_DAYS)
    return line._replace(score=line.score * share)
