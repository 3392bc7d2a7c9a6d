"""Whether two texts name the same piece of work, and whether one reports it as done.

Agents repeat an open item with other remarks. Two items taken for one hide one of
them, so the rules prefer to miss a repeat.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

from rapidfuzz.fuzz import token_set_ratio, token_sort_ratio

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
_OF_SAME_HEAD, _OF_WHOLE = 0.7, 0.8


class Work(NamedTuple):
    """A text on a piece of work, and its line."""

    text: str
    line: int


@lru_cache(maxsize=8_000)
def words_of(text: str) -> tuple[str, ...]:
    """Return the words that identify a piece of work, without remarks in brackets."""
    plain = unicodedata.normalize("NFKC", text[:_LONGEST]).casefold()
    found: list[str] = []
    for word in _WORD.findall(_REMARK.sub(" ", plain)):
        if _CJK.search(word):
            found += (word[i : i + 2] for i in range(max(1, len(word) - 1)))
        else:
            found.append(word)
    return tuple(found)


@lru_cache(maxsize=8_000)
def _code(text: str) -> str:
    found = _CODE.match(text.casefold())
    return found[1] if found else ""


def _numbers(words: tuple[str, ...]) -> set[str]:
    return {word for word in words if word[0].isdigit()}


@lru_cache(maxsize=8_000)
def _head(text: str) -> tuple[str, ...]:
    """Return the words before the first remark: a colon, a comma, a dash."""
    plain = text.removeprefix(_code(text)).lstrip(" :.-–—")
    return words_of(_REMARK_BEGIN.split(_REMARK.sub(" ", plain), maxsplit=1)[0])


def is_same(one: str, other: str) -> bool:
    """Return whether two open items are one: one repeats the other with remarks."""
    first, second = words_of(one), words_of(other)
    if first == second:
        return True
    if _code(one) != _code(other):
        return False
    shared = len({*first} & {*second}) / max(1, min(len({*first}), len({*second})))
    if (head := _head(one)) == _head(other) and len(head) > 1:
        is_bare = head in (first, second) or bool(_code(one))
        return is_bare or shared >= _OF_SAME_HEAD
    if _numbers(first) != _numbers(second):
        return False
    if min(len(first), len(second)) <= _LEAST_WORDS:
        return False
    return token_sort_ratio(" ".join(first), " ".join(second)) >= _SAME


@lru_cache(maxsize=8_000)
def stems_of(text: str) -> frozenset[str]:
    """Return the beginnings of the words of a text: endings differ between reports."""
    return frozenset(
        word
        if word[0].isdigit() or _CJK.match(word)
        else word[: 5 if word.isascii() else 4]
        for word in words_of(text)
    )


def is_reported(item: str, report: str) -> bool:
    """Return whether a report of done work names an open item whole, or by its id."""
    if (code := _code(item)) and re.search(
        rf"{re.escape(code)}(?!\w)", report.casefold()
    ):
        return True
    first, second = words_of(item), words_of(report)
    if first == second:
        return True
    if (
        len(first) < _LEAST_WORDS
        or "%" in report
        or not _numbers(first) <= _numbers(second)
    ):
        return False
    if _head(report) == first:
        return True
    one, other = stems_of(item), stems_of(report)
    if len(other - one) > max(_LEAST_WORDS, len(one) // 2):
        return False
    told = token_set_ratio(" ".join(sorted(one)), " ".join(sorted(other)))
    return told >= _NAMED and len(one & other) >= _OF_WHOLE * len(one)
