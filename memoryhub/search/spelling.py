"""Another spelling for a word that is nowhere."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from memoryhub.search.lookup import IndexedFile, Limits, Lookup
from memoryhub.search.porter import stem
from memoryhub.search.words import fold, terms

_FURTHEST = 2
_SHORT = 4
_LONGEST = 40

TextOf = Callable[[IndexedFile, int, int], str]


def nearest_word(lookup: Lookup, word: str, text_of: TextOf) -> str:
    """Return the most common word that differs by a letter or two, or nothing.

    The index knows stems only: the word itself is read where it stands.
    """
    wanted = stem(fold(word))
    if len(wanted) > _LONGEST:
        return ""
    furthest = 1 if len(wanted) <= _SHORT else _FURTHEST
    best = ("", furthest + 1, 0)
    for term, count in lookup.spellings(wanted[0]):
        if abs(len(term) - len(wanted)) > furthest or term.isdecimal():
            continue
        away = distance(wanted, term, best[1])
        if away < best[1] or (away == best[1] <= furthest and count > best[2]):
            best = (term, away, count)
    return _word_of(lookup, best[0], text_of) if best[0] else ""


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


def distance(one: str, other: str, limit: int) -> int:
    """Return how many letters are other, missing, too many or swapped.

    More than the limit is one more than the limit.
    """
    before_last: list[int] = []
    last = list(range(len(other) + 1))
    for at, letter in enumerate(one, 1):
        row = [at]
        for to, other_letter in enumerate(other, 1):
            cost = min(
                last[to] + 1,
                row[to - 1] + 1,
                last[to - 1] + (letter != other_letter),
            )
            swapped = other[to - 2 : to] == one[at - 2 : at][::-1]
            if swapped and before_last and to > 1:
                cost = min(cost, before_last[to - 2] + 1)
            row.append(cost)
        if min(row) > limit:
            return limit + 1
        before_last, last = last, row
    return last[-1]
