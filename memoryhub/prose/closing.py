"""Whether two texts name the same piece of work, and whether one reports it as done.

Agents repeat an open item with other remarks. Two items taken for one hide one of
them, so the rules prefer to miss a repeat.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cached_property, lru_cache

from rapidfuzz.fuzz import ratio, token_set_ratio

_REMARK = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|（[^（）]*）|~~|[*_`]")
_WORD = re.compile(r"\d+(?:[.,:/]\d+)*|[^\W\d_]+")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_CODE = re.compile(
    r"\s*([a-z][a-z0-9]{0,11}-(?=[a-z]*\d)[a-z0-9]{1,8}|t\d{3,4}|#\d+)\b"
)
_LONGEST = 600
_SAME, _NAMED = 90.0, 92.0
_LEAST_WORDS = 2
#: What ends the name of a piece of work before a remark on it.
_REMARK_BEGIN = re.compile(r"[:,;。，、；：|]|\s[-–—→]+\s|[—–]")
#: Shares of the words of two items that begin alike, and of an item that is reported.
_OF_SAME_HEAD, OF_WHOLE = 0.7, 0.8


class Named:
    """A text on a piece of work: the words that name it, and the id before them."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.words = _words_of(text)
        self.sorted = " ".join(sorted(self.words))
        found = _CODE.match(text.casefold())
        self.code = found[1] if found else ""

    @cached_property
    def numbers(self) -> frozenset[str]:
        return frozenset(word for word in self.words if word[0].isdigit())

    @cached_property
    def head(self) -> tuple[str, ...]:
        """The words before the first remark: a colon, a comma, a dash."""
        plain = self.text.removeprefix(self.code).lstrip(" :.-–—")
        return _words_of(_REMARK_BEGIN.split(_REMARK.sub(" ", plain), maxsplit=1)[0])

    @cached_property
    def stems(self) -> frozenset[str]:
        """The beginnings of the words: endings differ between reports."""
        return frozenset(
            w if w[0].isdigit() or _CJK.match(w) else w[: 5 if w.isascii() else 4]
            for w in self.words
        )


def _words_of(text: str) -> tuple[str, ...]:
    plain = text[:_LONGEST]
    if plain.isascii():
        return (*_WORD.findall(_REMARK.sub(" ", plain.lower())),)
    plain = unicodedata.normalize("NFKC", plain).casefold()
    found: list[str] = []
    for word in _WORD.findall(_REMARK.sub(" ", plain)):
        if _CJK.search(word):
            found += (word[i : i + 2] for i in range(max(1, len(word) - 1)))
        else:
            found.append(word)
    return tuple(found)


#: What names the work of a text: most are compared with several others.
named = lru_cache(maxsize=16_000)(Named)


def is_same(one: Named, other: Named) -> bool:
    """Return whether two open items are one: one repeats the other with remarks."""
    first, second = one.words, other.words
    if first == second:
        return True
    if one.code != other.code:
        return False
    if one.head == other.head and len(one.head) > 1:
        if one.code or one.head in (first, second):
            return True
        smaller = max(1, min(len({*first}), len({*second})))
        return len({*first} & {*second}) / smaller >= _OF_SAME_HEAD
    if one.numbers != other.numbers or min(len(first), len(second)) <= _LEAST_WORDS:
        return False
    return ratio(one.sorted, other.sorted, score_cutoff=_SAME) > 0


def is_reported(item: Named, report: Named) -> bool:
    """Return whether a report of done work names an open item whole, or by its id."""
    code = rf"{re.escape(item.code)}(?!\w)"
    if item.code and re.search(code, report.text.casefold()):
        return True
    first = item.words
    if first == report.words:
        return True
    is_part = "%" in report.text or not item.numbers <= report.numbers
    if len(first) < _LEAST_WORDS or is_part:
        return False
    if report.head == first:
        return True
    one, other = item.stems, report.stems
    if len(one & other) < OF_WHOLE * len(one):
        return False
    if len(other - one) > max(_LEAST_WORDS, len(one) // 2):
        return False
    told = token_set_ratio(" ".join(sorted(one)), " ".join(sorted(other)))
    return told >= _NAMED
