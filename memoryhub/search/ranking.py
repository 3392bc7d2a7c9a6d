"""Second stage of a search: the lines of the best blocks, scored by all the words.

A line's score is the mean of BM25 over it alone and with its neighbours on each side, a
share of its block's score, and what its form says: who speaks, whether it asks, whether
its day is one that the query names. Windows reach over the borders of blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from math import log
from typing import NamedTuple

from memoryhub.search.texts import (
    LINE_CHARACTERS,
    Form,
    IndexedText,
    Terms,
    indexed,
    is_heading,
)
from memoryhub.search.words import name_places
from memoryhub.values.budgets import ENDLESS, Budget

_K1, _B = 1.2, 0.75
#: Neighbours on each side of a line in the windows that are scored, and their shares.
_WINDOWS = ((1, 0.5), (3, 0.5))
_FURTHEST = _WINDOWS[-1][0]
_BLOCK_SHARE = 0.3
#: Parts of the best score that a line's form adds: said by someone the query names, a
#: question, a time where the query asks for one.
_SPEAKER, _ASKING, _TIME = 0.08, -0.06, 0.0
_HALF_LIFE_DAYS, _LEAST_SHARE = 30, 0.05


@dataclass(frozen=True, slots=True)
class SearchTerms:
    """The scoring terms of a query with their weights, names, phrases as terms.

    `plain` are terms too common for a result to rest on alone. A prefix stands for
    every term that starts with it. `forms` are other forms of a term, such as "bought"
    of "buy". `days` are first and last days that the query names, with `day_weight`.
    """

    weights: dict[str, float]
    plain: frozenset[str] = frozenset()
    names: tuple[str, ...] = ()
    phrases: tuple[tuple[str, ...], ...] = ()
    prefix: str = ""
    forms: dict[str, str] = field(default_factory=dict)
    days: tuple[tuple[int, int], ...] = ()
    day_weight: float = 0.0
    asks_time: bool = False
    _keys: _Keys = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_keys", _Keys(self))

    def keys_in(self, terms: Terms) -> list[str]:
        """Return the wanted terms among the terms of a line."""
        keys = self._keys
        return [key for term in terms if (key := keys[term])]

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
        super().__init__(wanted.forms)
        self.update({term: term for term in wanted.weights})
        self._prefix = wanted.prefix

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

    `exact` is the number of the query's names found whole in it.
    """

    file: int
    line: int
    score: float
    exact: int = 0
    day: int | None = None
    on_day: bool = False

    @property
    def order(self) -> tuple[object, ...]:
        """Sort key: exact ones, the best, of equal ones the newest."""
        return (-self.exact, -self.score, -(self.day or 0), self.file, self.line)


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
    today: int | None = None,
    budget: Budget = ENDLESS,
) -> list[ScoredLine]:
    """Return the lines of these blocks that can be results, best first.

    Of equal scores the newer comes first. Blocks are read in their order until the
    budget is spent, at least the first. With `today` newer ones score higher: half
    after 30 days, at least a twentieth. Exact ones always come first.
    """
    blocks: list[_Block] = []
    for candidate in candidates:
        if blocks and budget.is_spent:
            break
        blocks.append(_block(candidate, text_of(candidate.file), wanted))
    average = _average(blocks)
    found = [line for block in blocks for line in _scored(block, wanted, average)]
    found = _by_form(found, text_of, wanted)
    if today is not None:
        found = [_aged(line, today) for line in found]
    return sorted(found, key=lambda line: line.order)


def _block(candidate: Candidate, lines: Sequence[str], wanted: SearchTerms) -> _Block:
    text = indexed(lines)
    first, last = candidate.first_line, candidate.last_line
    start = max(1, first - _FURTHEST)
    terms = text.terms_of(start, last + _FURTHEST)
    block = _Block(
        candidate, text, start,
        [wanted.keys_in(of_line) for of_line in terms],
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


def _average(blocks: list[_Block]) -> float:
    """Return the mean number of terms of a line that has any."""
    lines = sum(
        after > before
        for block in blocks
        for before, after in zip(block.sums, block.sums[1:], strict=False)
    )
    return max(1.0, sum(block.sums[-1] for block in blocks) / max(1, lines))


def _scored(block: _Block, wanted: SearchTerms, average: float) -> list[ScoredLine]:
    """Return the lines of a block that can be results."""
    file, first, last, block_score, day = block.candidate
    start, found, text = block.start, block.found, block.text
    plain = wanted.plain
    strong = [any(key not in plain for key in keys) for keys in found]
    on_day = wanted.is_on(day)
    base = _BLOCK_SHARE * block_score + (wanted.day_weight if on_day else 0.0)
    lines = []
    for number in range(first, min(last, len(text)) + 1):
        at = number - start
        source = text[number - 1]
        exact = _exact(source, wanted) if wanted.names else 0
        stands = exact or (on_day or any(strong[max(0, at - 1) : at + 2]))
        if block.allowed is not None:
            stands = number in block.allowed
        if stands and (exact or _can_be_result(text, number)):
            score = base + _windows(block, at, wanted, average)
            lines.append(ScoredLine(file, number, score, exact, day, on_day))
    return lines


def _exact(source: str, wanted: SearchTerms) -> int:
    return sum(
        any(name_places(source[:LINE_CHARACTERS], name)) for name in wanted.names
    )


def _can_be_result(text: Sequence[str], number: int) -> bool:
    """Return whether a line says something: a heading only if nothing follows it."""
    source = text[number - 1]
    if source.isspace() or not source:
        return False
    if not is_heading(source):
        return True
    below = [line for line in text[number : number + 2] if line.strip()]
    return not below or is_heading(below[0])


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
        length = (sums[high] - sums[low]) / (average * (2 * reach + 1))
        damping = _K1 * (1 - _B + _B * length)
        score += share * sum(
            weights[key] * count * (_K1 + 1) / (count + damping)
            for key, count in counts.items()
            if key in weights
        )
    return score


def _by_form(
    lines: list[ScoredLine], text_of: Texts, wanted: SearchTerms
) -> list[ScoredLine]:
    """Add what the form of lines says, in parts of the best score."""
    best = max((line.score for line in lines), default=0.0)
    return [
        line._replace(score=line.score + best * share)
        if (
            share := _form_share(indexed(text_of(line.file)).form_of(line.line), wanted)
        )
        else line
        for line in lines
    ]


def _form_share(form: Form, wanted: SearchTerms) -> float:
    share = _ASKING if form.asks else 0.0
    if form.speaker and wanted.keys_in(form.speaker):
        share += _SPEAKER
    if wanted.asks_time and form.has_time:
        share += _TIME
    return share


def _aged(line: ScoredLine, today: int) -> ScoredLine:
    age = max(0, today - line.day) if line.day else 0
    share = _LEAST_SHARE + (1 - _LEAST_SHARE) * 0.5 ** (age / _HALF_LIFE_DAYS)
    return line._replace(score=line.score * share)
