"""The Porter stemmer as SQLite's FTS5 has it, so that words here are terms there.

It works on the bytes of a word: a letter outside ASCII is two or more consonants.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

_SHORTEST, _LONGEST = 3, 64
_VOWELS = frozenset("aeiou")


class _Step(NamedTuple):
    """Endings, and what stands for each of them in the stem."""

    endings: tuple[str, ...]
    others: tuple[str, ...]

    @classmethod
    def of(cls, listed: str) -> _Step:
        pairs = [pair.partition(":") for pair in listed.split()]
        return cls(tuple(pair[0] for pair in pairs), tuple(pair[2] for pair in pairs))


_STEP_2 = _Step.of(
    "ational:ate tional:tion enci:ence anci:ance izer:ize logi:log bli:ble alli:al"
    " entli:ent eli:e ousli:ous ization:ize ation:ate ator:ate alism:al iveness:ive"
    " fulness:ful ousness:ous aliti:al iviti:ive biliti:ble"
)
_STEP_3 = _Step.of("ical:ic ness: icate:ic iciti:ic ful: ative: alize:al")
_STEP_4 = (
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent",
    "ion", "ou", "ism", "ate", "iti", "ous", "ive", "ize",
)  # fmt: skip


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """Return the stem of a folded word; short and very long ones are their own."""
    units = word.encode("utf-8", "replace").decode("latin-1")
    if not _SHORTEST <= len(units) <= _LONGEST:
        return word
    stemmed = _stem(units)
    return stemmed.encode("latin-1").decode("utf-8", "replace")


def _stem(word: str) -> str:
    word = _tidy(_past(_plural(word)))
    word = _replace(word, _STEP_2)
    word = _replace(word, _STEP_3)
    return _last(_drop(word))


def _plural(word: str) -> str:
    if not word.endswith("s"):
        return word
    if word.endswith("es"):
        long = len(word) > 4 and word.endswith("sses")
        return word[: -2 if long or (len(word) > 3 and word[-3] == "i") else -1]
    return word if word.endswith("ss") else word[:-1]


def _past(word: str) -> str:
    if len(word) > 3 and word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for ending in ("ed", "ing"):
        stem_ = word[: -len(ending)]
        if stem_ and word.endswith(ending):
            return _mended(stem_) if _has_vowel(stem_) else word
    return word


def _mended(word: str) -> str:
    """Return what is left of a word after -ed or -ing with its own end again."""
    if len(word) > 2 and word.endswith(("at", "bl", "iz")):
        return word + "e"
    last = word[-1]
    if len(word) > 1 and last == word[-2] and last not in "aeioulsz":
        return word[:-1]
    if _measure(word) == 1 and _ends_short(word):
        return word + "e"
    return word


def _tidy(word: str) -> str:
    if word.endswith("y") and _has_vowel(word[:-1]):
        return word[:-1] + "i"
    return word


def _replace(word: str, step: _Step) -> str:
    """Exchange the first ending that fits, if a syllable stands before it."""
    if not word.endswith(step.endings):
        return word
    for ending, other in zip(*step, strict=True):
        if len(word) > len(ending) and word.endswith(ending):
            stem_ = word[: -len(ending)]
            return stem_ + other if _measure(stem_) > 0 else word
    return word


def _drop(word: str) -> str:
    """Take the first ending off that fits, if two syllables stand before it."""
    if not word.endswith(_STEP_4):
        return word
    for ending in _STEP_4:
        if len(word) > len(ending) and word.endswith(ending):
            stem_ = word[: -len(ending)]
            if ending == "ion" and stem_[-1] not in "st":
                return word
            return stem_ if _measure(stem_) > 1 else word
    return word


def _last(word: str) -> str:
    if word.endswith("e"):
        before = word[:-1]
        measure = _measure(before)
        if measure > 1 or (measure == 1 and not _ends_short(before)):
            word = before
    if len(word) > 1 and word.endswith("ll") and _measure(word[:-1]) > 1:
        return word[:-1]
    return word


def _consonants(word: str) -> list[bool]:
    """Tell for each letter whether it is a consonant: y is one, but not after one."""
    found: list[bool] = []
    before = False
    for letter in word:
        before = letter not in _VOWELS and not (letter == "y" and before)
        found.append(before)
    return found


@lru_cache(maxsize=65_536)
def _measure(word: str) -> int:
    """Return how many times a consonant follows a vowel."""
    kinds = _consonants(word)
    return sum(not first and second for first, second in pairwise(kinds))


def _has_vowel(word: str) -> bool:
    return any(
        letter in _VOWELS or (letter == "y" and at > 0)
        for at, letter in enumerate(word)
    )


def _ends_short(word: str) -> bool:
    if not word or word[-1] in "wxy":
        return False
    return _consonants(word)[-3:] == [True, False, True]
