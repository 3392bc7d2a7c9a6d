"""Second stage of a search: lines of the best blocks, scored by all the words.

A line's score is the mean of BM25 over it with one and with three neighbours on each
side, and a share of its block's score. Exact matches of a name in the query come
first, whatever their score.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from math import log
from typing import NamedTuple

from memoryhub.search.words import (
    look_up_stems,
    name_places,
    placed_words,
    term_texts,
    terms,
    terms_in,
    words,
)
from memoryhub.values.budgets import ENDLESS, Budget

_K1, _B = 1.2, 0.75
_BLOCK_SHARE = 0.3
#: Neighbours on each side of a line in the windows that are scored.
_REACHES = (1, 3)
#: Number of results among which adjacent ones are merged.
_MERGED = 5
_HALF_LIFE_DAYS = 30
#: Of a longer line only the start is scored.
_LINE_CHARACTERS = 20_000
SNIPPET_CHARACTERS = 700
_BEFORE_MARK = 80


@dataclass(frozen=True, slots=True)
class SearchTerms:
    """The scoring terms of a query with their weights, names, phrases as terms.

    `plain` are terms too common for a result to rest on alone. A prefix stands for
    every term that starts with it.
    """

    weights: dict[str, float]
    plain: frozenset[str] = frozenset()
    names: tuple[str, ...] = ()
    phrases: tuple[tuple[str, ...], ...] = ()
    prefix: str = ""
    _known: dict[str, tuple[str, ...]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def keys_in(self, word: str) -> tuple[str, ...]:
        """Return the wanted terms in a word; cached."""
        if (found := self._known.get(word)) is None:
            found = tuple(key for term in terms_in(word) if (key := self.key(term)))
            self._known[word] = found
        return found

    def key(self, term: str) -> str:
        """Return the wanted term that a term matches, or an empty text."""
        if term in self.weights:
            return term
        return self.prefix if self.prefix and term.startswith(self.prefix) else ""

    def is_distinctive(self, term: str) -> bool:
        """Return whether a term alone is enough for a result."""
        return bool(key := self.key(term)) and key not in self.plain


class Candidate(NamedTuple):
    """A block of the first stage."""

    file: int
    first_line: int
    last_line: int
    score: float
    day: int | None = None


class Passage(NamedTuple):
    """Lines that answer a query; `line` is the best of them.

    `exact` is the number of the query's names found whole in that line.
    """

    file: int
    first_line: int
    last_line: int
    line: int
    score: float
    exact: int = 0
    day: int | None = None


class Mark(NamedTuple):
    """A part of a text that matches, as offsets."""

    start: int
    end: int


class Snippet(NamedTuple):
    """The text of a passage with its matches; `cut` if it is not all of the text."""

    text: str
    marks: tuple[Mark, ...]
    cut: bool = False


class _Line(NamedTuple):
    """A line of a block for scoring: its wanted terms, its number of terms."""

    number: int
    found: list[str]
    length: int
    exact: int
    stands: bool


class _Block(NamedTuple):
    """The lines of a block, and term counts of the windows around each, by reach."""

    candidate: Candidate
    lines: list[_Line]
    lengths: tuple[list[int], ...]


Lines = Callable[[int], Sequence[str]]


def weight(found_in: int, total: int) -> float:
    """Return BM25's weight of a term from its block count and the total of blocks."""
    return log(1 + (total - found_in + 0.5) / (found_in + 0.5))


def best_passages(
    candidates: Sequence[Candidate],
    lines_of: Lines,
    wanted: SearchTerms,
    *,
    today: int | None = None,
    budget: Budget = ENDLESS,
) -> list[Passage]:
    """Return the passages of these blocks, best first, without duplicates.

    Of equal scores the newer comes first. Blocks are read in their order until the
    budget is spent, at least the first.

    With `today` newer ones score higher: half after 30 days. Exact ones always
    come first.
    """
    blocks: list[_Block] = []
    for block in candidates:
        if blocks and budget.is_spent:
            break
        blocks.append(_block(block, lines_of(block.file), wanted))
    averages = [_average(blocks, at) for at in range(len(_REACHES))]
    found = [line for block in blocks for line in _scored(block, wanted, averages)]
    if today is not None:
        found = [_aged(line, today) for line in found]
    found.sort(key=lambda p: (-p.exact, -p.score, -(p.day or 0), p.file, p.line))
    return _merged(list(_narrowed(found, lines_of)))


def _block(block: Candidate, lines: Sequence[str], wanted: SearchTerms) -> _Block:
    """Return a block's lines; lines outside the query's phrases cannot be results."""
    texts = [
        line[:_LINE_CHARACTERS]
        for line in lines[block.first_line - 1 : block.last_line]
    ]
    words_of = [words(text) for text in texts]
    look_up_stems(set().union(*words_of))
    read = [
        _line(number, text, found, wanted)
        for number, (text, found) in enumerate(
            zip(texts, words_of, strict=True), block.first_line
        )
    ]
    if wanted.phrases:
        allowed = _phrase_lines(wanted.phrases, [*map(term_texts, texts)])
        read = [line._replace(stands=at in allowed) for at, line in enumerate(read)]
    sums = [0, *accumulate(line.length for line in read)]
    return _Block(block, read, tuple(_lengths(sums, reach) for reach in _REACHES))


def _line(number: int, text: str, line_words: list[str], wanted: SearchTerms) -> _Line:
    found = [key for word in line_words for key in wanted.keys_in(word)]
    exact = sum(any(name_places(text, name)) for name in wanted.names)
    stands = exact > 0 or any(map(wanted.is_distinctive, found))
    length = sum(map(len, map(terms_in, line_words)))
    return _Line(number, found, length, exact, stands)


def _lengths(sums: list[int], reach: int) -> list[int]:
    """Return the lengths of the windows around each line, from sums of all before."""
    last = len(sums) - 1
    return [
        sums[min(last, at + reach + 1)] - sums[max(0, at - reach)] for at in range(last)
    ]


def _phrase_lines(
    phrases: tuple[tuple[str, ...], ...], lines: list[list[str]]
) -> set[int]:
    """Return the lines with phrases; none if one of the phrases is missing."""
    placed = [(word, at) for at, line in enumerate(lines) for word in line]
    flat = [word for word, _ in placed]
    found: set[int] = set()
    for phrase in phrases:
        starts = list(_starts(phrase, flat))
        if not starts:
            return set()
        for start in starts:
            last = placed[start + len(phrase) - 1][1]
            found.update(range(placed[start][1], last + 1))
    return found


def _starts(phrase: tuple[str, ...], within: Sequence[str]) -> Iterator[int]:
    """Yield the offsets at which a phrase starts."""
    size = len(phrase)
    for at in range(len(within) - size + 1):
        if within[at] == phrase[0] and tuple(within[at : at + size]) == phrase:
            yield at


def _average(blocks: list[_Block], at: int) -> float:
    lengths = [length for block in blocks for length in block.lengths[at]]
    return max(1.0, sum(lengths) / max(1, len(lengths)))


def _scored(
    block: _Block, wanted: SearchTerms, averages: list[float]
) -> Iterator[Passage]:
    """Yield the block as a passage for each of its lines that can be a result."""
    file, first, last, block_score, day = block.candidate
    for at, line in enumerate(block.lines):
        if not line.stands:
            continue
        windows = [
            _bm25(block.lines[max(0, at - reach) : at + reach + 1], share, wanted)
            for reach, share in (
                (reach, lengths[at] / average)
                for reach, lengths, average in zip(
                    _REACHES, block.lengths, averages, strict=True
                )
            )
        ]
        score = sum(windows) / len(windows) + _BLOCK_SHARE * block_score
        yield Passage(file, first, last, line.number, score, line.exact, day)


def _bm25(lines: list[_Line], length: float, wanted: SearchTerms) -> float:
    """Return the score of lines; `length` is their share of the average length."""
    damping = _K1 * (1 - _B + _B * length)
    counts: dict[str, int] = {}
    for line in lines:
        for term in line.found:
            counts[term] = counts.get(term, 0) + 1
    return sum(
        wanted.weights.get(term, 0.0) * count * (_K1 + 1) / (count + damping)
        for term, count in counts.items()
    )


def _aged(passage: Passage, today: int) -> Passage:
    age = max(0, today - passage.day) if passage.day else 0
    return passage._replace(score=passage.score * 0.5 ** (age / _HALF_LIFE_DAYS))


def _narrowed(found: list[Passage], lines_of: Lines) -> Iterator[Passage]:
    """Yield each line with its neighbours, without lines of earlier passages."""
    taken: dict[int, set[int]] = {}
    for passage in found:
        used = taken.setdefault(passage.file, set())
        first = last = passage.line
        if first in used:
            continue
        lines = lines_of(passage.file)
        if first > passage.first_line and _is_free(first - 1, used, lines):
            first -= 1
        if last < passage.last_line and _is_free(last + 1, used, lines):
            last += 1
        used.update(range(first, last + 1))
        yield passage._replace(first_line=first, last_line=last)


def _is_free(number: int, used: set[int], lines: Sequence[str]) -> bool:
    return number not in used and bool(lines[number - 1].strip())


def _merged(passages: list[Passage]) -> list[Passage]:
    """Merge adjacent passages among the first few; the better rank remains."""
    joined: list[Passage] = []
    for passage in passages[:_MERGED]:
        for at, other in enumerate(joined):
            if _touch(passage, other):
                joined[at] = other._replace(
                    first_line=min(other.first_line, passage.first_line),
                    last_line=max(other.last_line, passage.last_line),
                )
                break
        else:
            joined.append(passage)
    return joined + passages[_MERGED:]


def _touch(one: Passage, other: Passage) -> bool:
    return (
        one.file == other.file
        and one.first_line <= other.last_line + 1
        and other.first_line <= one.last_line + 1
    )


def snippet_of(text: str, wanted: SearchTerms) -> Snippet:
    """Return a passage's text with its marks; a long one is cut around the first."""
    start, end = 0, len(text)
    if end > SNIPPET_CHARACTERS:
        first = next(_marks(text[:_LINE_CHARACTERS], wanted), Mark(0, 0))
        start = max(0, first.start - _BEFORE_MARK) if first.end > 600 else 0
        end = start + SNIPPET_CHARACTERS
    shown = text[start:end]
    return Snippet(shown, _joined(_marks(shown, wanted)), len(shown) < len(text))


def _marks(text: str, wanted: SearchTerms) -> Iterator[Mark]:
    """Yield the matches; those of one source are in order, parts may overlap."""
    marks = [
        Mark(at + term.start, at + term.end)
        for at, word in placed_words(text)
        if wanted.keys_in(word)
        for term in terms(word)
        if wanted.is_distinctive(term.text)
    ]
    marks += (Mark(*at) for name in wanted.names for at in name_places(text, name))
    found = list(terms(text)) if wanted.phrases else []
    found_texts = [term.text for term in found]
    for phrase in wanted.phrases:
        for at in _starts(phrase, found_texts):
            marks.append(Mark(found[at].start, found[at + len(phrase) - 1].end))
    yield from sorted(marks)


def _joined(marks: Iterator[Mark]) -> tuple[Mark, ...]:
    """Merge marks that overlap or touch, such as the pairs of a CJK run."""
    joined: list[Mark] = []
    for mark in marks:
        if joined and mark.start <= joined[-1].end:
            joined[-1] = Mark(joined[-1].start, max(joined[-1].end, mark.end))
        else:
            joined.append(mark)
    return tuple(joined)
