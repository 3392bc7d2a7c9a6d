"""Pairs of labels and rows: at the same place, with a like text."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from tests.quality.imported import Found
from tests.quality.labels import Label

#: Texts are alike from here on; a text that holds 43 % of another one is.
_ALIKE = 0.6

Pair = tuple[Label, Found]


def pairs_of(labels: Sequence[Label], found: Sequence[Found]) -> list[Pair]:
    """Pair each label with the likest row at its line; each row counts once."""
    pairs: list[Pair] = []
    taken: set[int] = set()
    for _, place, number in sorted(_candidates(labels, found), reverse=True):
        if place not in taken and ~number not in taken:
            taken |= {place, ~number}
            pairs.append((labels[place], found[number]))
    return pairs


def _candidates(
    labels: Sequence[Label], found: Sequence[Found]
) -> Iterator[tuple[float, int, int]]:
    for place, label in enumerate(labels):
        for number, row in enumerate(found):
            if row.first <= label.line <= row.last:
                likeness = likeness_of(label.text, row.text)
                if likeness >= _ALIKE:
                    yield likeness, place, number


def pairs_by_line(labels: Sequence[Label], found: Sequence[Found]) -> list[Pair]:
    """Pair labels and rows that begin at the same line."""
    starts = {row.first: row for row in reversed(found)}
    return [(label, starts[label.line]) for label in labels if label.line in starts]


def likeness_of(one: str, other: str) -> float:
    """Return how alike two texts are, from 0 to 1, by their letters and digits."""
    first, second = bare(one), bare(other)
    if not first or not second:
        return 0.0
    return SequenceMatcher(None, first, second, autojunk=False).ratio()


def bare(text: str) -> str:
    """Return the letters and digits of a text, in one case and width."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return "".join(character for character in plain if character.isalnum())
