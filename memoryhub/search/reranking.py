"""Learned reranker: the best lines of a search, ranked anew by a linear model.

Its features are what the line scoring knows already: scores, words of the query around
a line, the form of the line and of the one before. The weights come from
``python -m bench.retrieval.fitting``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from math import exp, log
from operator import mul

from memoryhub.search import meaning
from memoryhub.search.ranking import Candidate, ScoredLine, SearchTerms, order
from memoryhub.search.texts import Form, IndexedText
from memoryhub.search.weights import MEANING, WORDS

#: Number of the best lines that are ranked anew.
LINES = 100
#: A line that the model puts 1 lower has such a part less of the best score.
_SCALE = 0.07
#: Lines on each side that count as near.
_NEAR = (-2, -1, 1, 2)
#: The best lines, of which the number in a file counts.
_FIRST = 50
_PARTS = 10

TextOf = Callable[[int], IndexedText]
Features = tuple[float, ...]

#: The features in the order of their values.
NAMES = (
    "score", "words_near", "words_around", "words_before", "words_after", "rarest",
    "rank", "length", "asks", "answers", "answers_words", "speaker", "other_speaker",
    "names", "file_score", "file_lines", "block_score", "on_day", "near_scores",
)  # fmt: skip
#: Those of the extra ``semantic``.
_MEANING = ("meaning", "meaning_near", "meaning_around", "meaning_file")


def names_used() -> tuple[str, ...]:
    """Return the names of the features, with those of the extra if it is there."""
    return (*NAMES, *_MEANING) if meaning.model() else NAMES


def reranked(
    lines: Sequence[ScoredLine],
    blocks: Sequence[Candidate],
    text_of: TextOf,
    wanted: SearchTerms,
    *,
    asked: str = "",
) -> list[ScoredLine]:
    """Return lines, best first, with the best of them ranked anew.

    The best score stays; those with names of the query stay first.
    """
    top, rest = lines[:LINES], lines[LINES:]
    weights = list((MEANING if meaning.model() else WORDS).values())
    rows = features(lines, blocks, text_of, wanted, asked=asked)
    values = [sum(map(mul, weights, row)) for row in rows]
    return [*_rescored(top, values), *rest]


def _rescored(top: Sequence[ScoredLine], values: list[float]) -> list[ScoredLine]:
    if not top:
        return []
    best, highest = max(line.score for line in top), max(values)
    changed = (
        line._replace(score=best * exp(_SCALE * (value - highest)))
        for line, value in zip(top, values, strict=True)
    )
    return sorted(changed, key=order)


def features(
    lines: Sequence[ScoredLine],
    blocks: Sequence[Candidate],
    text_of: TextOf,
    wanted: SearchTerms,
    *,
    asked: str = "",
) -> Iterator[Features]:
    """Yield the features of the best lines, most of them between 0 and 1.

    `asked` is the query as text: with the extra its meaning is compared.
    """
    if not lines:
        return
    known = _Known(lines, text_of, wanted)
    best = max((block.score for block in blocks), default=0.0) or 1.0
    known.blocks = {
        (block.file, number): block.score / best
        for block in blocks
        for number in range(block.first_line, block.last_line + 1)
    }
    top = lines[:LINES]
    rows = (known.features(line, rank) for rank, line in enumerate(top))
    if (model := meaning.model()) is None:
        yield from rows
        return
    places = [(text_of(line.file), line.line) for line in top]
    for row, cosines in zip(rows, model.cosines(asked, places), strict=True):
        yield *row, *cosines


@dataclass(slots=True)
class _Known:
    """Inputs of the features of all lines of a search."""

    lines: Sequence[ScoredLine]
    text_of: TextOf
    wanted: SearchTerms
    best: float = 1.0
    blocks: dict[tuple[int, int], float] = field(default_factory=dict)
    scores: dict[tuple[int, int], float] = field(default_factory=dict)
    file_scores: dict[int, float] = field(default_factory=dict)
    file_lines: dict[int, int] = field(default_factory=dict)
    speakers: set[tuple[str, ...]] = field(default_factory=set)
    _keys: dict[tuple[int, int], set[str]] = field(default_factory=dict)
    _total: float = 1.0
    _most: float = 1.0

    def __post_init__(self) -> None:
        weights = self.wanted.weights
        self._total = sum(weights.values()) or 1.0
        self._most = max(weights.values(), default=0.0) or 1.0
        self.best = max(line.score for line in self.lines) or 1.0
        said = set[tuple[str, ...]]()
        for line in self.lines:
            self.scores[line.file, line.line] = line.score / self.best
            self.file_scores.setdefault(line.file, line.score / self.best)
            said.add(self.text_of(line.file).form_of(line.line).speaker)
        for line in self.lines[:_FIRST]:
            self.file_lines[line.file] = self.file_lines.get(line.file, 0) + 1
        self.speakers = {one for one in said if one and self.wanted.keys_in(one)}

    def features(self, line: ScoredLine, rank: int) -> Features:
        """Return the features of a line, as in `NAMES`."""
        file, number = line.file, line.line
        text = self.text_of(file)
        terms = text.line_terms(number)
        form, before = text.form_of(number), _form_before(text, number)
        keys = [self._keys_in(text, file, at) for at in range(number - 3, number + 4)]
        words_before = self._cover(keys[2])
        return (
            line.score / self.best,
            self._cover(*keys[2:5]),
            self._cover(*keys),
            words_before,
            self._cover(keys[4]),
            max(self._weights_in(keys[3]), default=0.0) / self._most,
            1 / (1 + rank),
            min(1.0, log(1 + len(terms)) / 5),
            form.asks,
            before.asks,
            before.asks * words_before,
            bool(self.speakers) and form.speaker in self.speakers,
            bool(self.speakers and form.speaker) and form.speaker not in self.speakers,
            bool(self.wanted.asks) and bool(self.wanted.asks & text.naming_of(number)),
            self.file_scores[file],
            self.file_lines.get(file, 0) / _PARTS,
            self.blocks.get((file, number), 0.0),
            line.on_day,
            sum(self.scores.get((file, number + by), 0.0) for by in _NEAR) / len(_NEAR),
        )  # fmt: skip

    def _keys_in(self, text: IndexedText, file: int, number: int) -> set[str]:
        """Return the query's terms in a line, looked up once."""
        if (known := self._keys.get((file, number))) is None:
            known = set(self.wanted.keys_in(text.line_terms(number)))
            self._keys[file, number] = known
        return known

    def _cover(self, *keys: set[str]) -> float:
        """Return the share of the query's weight that the terms of lines have."""
        return sum(self._weights_in(set().union(*keys))) / self._total

    def _weights_in(self, keys: set[str]) -> list[float]:
        """Return the weights of terms, in the order of the query."""
        if not keys:
            return []
        return [part for term, part in self.wanted.weights.items() if term in keys]


def _form_before(text: IndexedText, number: int) -> Form:
    """Return the form of the line before, of that before it if it is blank."""
    for at in (number - 1, number - 2):
        if at > 0 and text[at - 1].strip():
            return text.form_of(at)
    return Form()
