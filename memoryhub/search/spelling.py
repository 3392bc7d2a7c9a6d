"""Spelling suggestions for words not in the index."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from rapidfuzz.distance import OSA
from rapidfuzz.process import extract

from memoryhub.search.lookup import IndexedFile, Limits, Lookup
from memoryhub.search.words import fold, stem, terms
from memoryhub.values.budgets import Budget

_FURTHEST = 2
_SHORT = 4
_LONGEST = 40
#: Limits of unknown words checked, and of their total CPU time in seconds.
_MOST_WORDS, _SECONDS = 3, 0.005
#: Terms between two looks at the budget.
_AT_ONCE = 256

TextOf = Callable[[IndexedFile, int, int], str]


#: A term of the index: its edit distance, its number of blocks, negative, and itself.
_Near = tuple[int, int, str]


def spellings_of(
    lookup: Lookup, unknown: Sequence[str], text_of: TextOf
) -> tuple[tuple[str, str], ...]:
    """Return the first of the unknown words, each with its nearest word.

    The index has stems only: the words themselves are read from the indexed lines.
    """
    budget = Budget.of(_SECONDS, time.thread_time)
    nearest = (
        (w, _nearest(lookup, stem(fold(w)), budget)) for w in unknown[:_MOST_WORDS]
    )
    return tuple(
        (word, _word_of(lookup, term, text_of)) for word, term in nearest if term
    )


def _nearest(lookup: Lookup, misspelt: str, budget: Budget) -> str:
    """Return the most frequent of the nearest terms; empty if there is none.

    Terms with the same first two letters come first: the budget may end before all
    with the same first letter are compared.
    """
    if len(misspelt) > _LONGEST:
        return ""
    furthest = 1 if len(misspelt) <= _SHORT else _FURTHEST
    for letters in (2, 1):
        near = list(_near(lookup, misspelt, letters, furthest, budget))
        away, _, best = min(near, default=(0, 0, ""))
        if away == 1 or letters == 1:
            return best
    return best


def _near(
    lookup: Lookup, misspelt: str, letters: int, furthest: int, budget: Budget
) -> Iterator[_Near]:
    sizes = (len(misspelt) - furthest, len(misspelt) + furthest)
    known = lookup.spellings(misspelt[:letters], sizes)
    while not budget.is_spent and (some := dict(islice(known, _AT_ONCE))):
        found = extract(
            misspelt, list(some), scorer=OSA.distance, score_cutoff=furthest, limit=None
        )
        for term, away, _ in found:
            if not term.isdecimal():
                yield int(away), -some[term], term


def _word_of(lookup: Lookup, term: str, text_of: TextOf) -> str:
    blocks = lookup.best(f'{{body}} : "{term}"', 1, Limits())
    for block in blocks:
        file = lookup.files([block.file])[block.file]
        text = text_of(file, block.first_line, block.last_line)
        found = Counter(
            text[at.start : at.end].lower() for at in terms(text) if at.text == term
        )
        if found:
            return found.most_common(1)[0][0]
    return term
