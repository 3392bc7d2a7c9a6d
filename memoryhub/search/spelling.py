"""Spelling suggestions for words not in the index."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from rapidfuzz.distance import OSA
from rapidfuzz.process import extract

from memoryhub.search.lookup import Lookup, lines_of
from memoryhub.search.words import STOP_WORDS, fold, stem, terms
from memoryhub.values.budgets import Budget

_FURTHEST = 2
_SHORT = 4
#: Two mistakes in a word of so many letters leave no doubt.
_LONG = 8
_LONGEST = 40
#: Limits of unknown words checked, and of their total CPU time in seconds.
_MOST_WORDS, _SECONDS = 3, 0.005
#: Terms between two looks at the budget.
_AT_ONCE = 256


class Spelling(NamedTuple):
    """A word that is not in the index, the nearest that is, and the term of that.

    `is_sure`: so near that it is searched for too.
    """

    word: str
    nearest: str
    term: str
    is_sure: bool


class _Near(NamedTuple):
    """A term of the index; the nearest is the least."""

    away: int
    #: Letters after the common start: "class" is nearer to "clas" than "clay" is.
    apart: int
    blocks: int
    term: str


_NONE = _Near(0, 0, 0, "")


def spellings_of(lookup: Lookup, unknown: Sequence[str]) -> tuple[Spelling, ...]:
    """Return the first of the unknown words, each with its nearest word.

    The index has stems only: the words themselves are read from the indexed lines.
    All takes five milliseconds at most; names with digits and words of up to three
    letters are not looked at: everything is near to these.
    """
    budget = Budget.of(_SECONDS, time.thread_time)
    found = []
    for word in list(filter(_is_word, unknown))[:_MOST_WORDS]:
        misspelt = fold(word)
        near = _nearest(lookup, misspelt, budget)
        if near.term:
            is_sure = near.away == 1 or len(near.term) >= _LONG
            nearest = _word_of(lookup, near.term, budget)
            found.append(Spelling(word, nearest, near.term, is_sure))
    return tuple(found)


def _is_word(word: str) -> bool:
    is_long = len(word) >= _SHORT
    return is_long and word.isalpha() and fold(word) not in STOP_WORDS


def _nearest(lookup: Lookup, misspelt: str, budget: Budget) -> _Near:
    """Return the nearest term, of equal ones the most frequent; none if none is near.

    Terms with the same first two letters come first: the budget may end before all
    with the same first letter are compared.
    """
    if len(misspelt) > _LONGEST:
        return _NONE
    furthest = 1 if len(stem(misspelt)) <= _SHORT else _FURTHEST
    best = _NONE
    for letters in (2, 1):
        best = min(_near(lookup, misspelt, letters, furthest, budget), default=best)
        if best.away == 1:
            break
    return best


def _near(
    lookup: Lookup, misspelt: str, letters: int, furthest: int, budget: Budget
) -> Iterator[_Near]:
    """Yield the terms near a word or its stem, until the time is over."""
    forms = sorted({misspelt, stem(misspelt)}, key=len)
    sizes = (len(forms[0]) - furthest, len(forms[-1]) + furthest)
    known = lookup.spellings(misspelt[:letters], sizes)
    while not budget.is_spent and (some := dict(islice(known, _AT_ONCE))):
        for form in forms:
            found = extract(
                form, list(some), scorer=OSA.distance, score_cutoff=furthest, limit=None
            )
            for term, away, _ in found:
                if not term.isdecimal():
                    yield _Near(int(away), _apart(form, term), -some[term], term)


def _apart(word: str, term: str) -> int:
    """Return the number of letters of a word after its common start with a term."""
    pairs = zip(word, term, strict=False)
    common = next((at for at, (a, b) in enumerate(pairs) if a != b), len(term))
    return max(0, len(word) - common)


def _word_of(lookup: Lookup, term: str, budget: Budget) -> str:
    """Return the most frequent word of a term in a block; the term if time is over."""
    if budget.is_spent or (block := lookup.some_block(f'{{body}} : "{term}"')) is None:
        return term
    file = lookup.files([block.file])[block.file]
    text = lines_of(file, block.first_line, block.last_line)
    found = Counter(
        text[at.start : at.end].lower() for at in terms(text) if at.text == term
    )
    return found.most_common(1)[0][0] if found else term
