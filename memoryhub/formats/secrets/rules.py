"""Rules for secrets: the words of a line, the pattern there, and who judges the value.

A pattern is tried only in lines that hold one of its words: looking for words costs a
hundredth of what patterns cost.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

#: Offsets into a text.
Span = tuple[int, int]
#: Judges a value; the second argument tells that nothing follows in its line.
Judge = Callable[[str, bool], bool]

_BLANK = " \t*_`\"',;|.)"


class Rule(NamedTuple):
    """A pattern whose last group, or all of it, is a secret where `judge` says so.

    `lines` is how many lines a match may take. Words are looked for in lower case, or
    as they are where `exact`; lines without `needs` are passed over.
    """

    words: tuple[str, ...]
    pattern: re.Pattern[str]
    judge: Judge
    lines: int = 1
    exact: bool = False
    needs: re.Pattern[str] = re.compile("")


def spans_by(rules: Iterable[Rule], text: str) -> Iterator[Span]:
    """Yield what the rules find in a text, in no order; spans may overlap."""
    folded = text.lower()
    if len(folded) != len(text):
        # A few letters become two; their offsets would lie.
        folded = "".join(c if len(c.lower()) > 1 else c.lower() for c in text)
    for rule in rules:
        source = text if rule.exact else folded
        for start, end in lines_with(source, rule.words, rule.lines):
            if not rule.needs.search(text, start, end):
                continue
            for found in rule.pattern.finditer(text, start, end):
                span = _trimmed(text, *found.span(found.lastindex or 0))
                if rule.judge(text[slice(*span)], _ends_line(text, span[1])):
                    yield span


def lines_with(text: str, words: Iterable[str], count: int = 1) -> Iterator[Span]:
    """Yield where lines with one of the words stand, each with those that follow it."""
    end = -1
    for start in sorted({line for word in words for line in _lines_of(word, text)}):
        if start >= end:
            end = start
            for _ in range(count):
                end = _line_end(text, end) + 1
            yield start, end


def _lines_of(word: str, text: str) -> Iterator[int]:
    at = text.find(word)
    while at >= 0:
        yield text.rfind("\n", 0, at) + 1
        at = text.find(word, _line_end(text, at))


def _line_end(text: str, place: int) -> int:
    end = text.find("\n", place)
    return end if end >= 0 else len(text)


def _trimmed(text: str, start: int, end: int) -> Span:
    """Return a value without the stop of its sentence."""
    while end > start and text[end - 1] in ".:?、":
        end -= 1
    return start, end


def _ends_line(text: str, end: int) -> bool:
    """Tell whether nothing but marks follows a value, or a quotation mark at once."""
    rest = text[end : end + 12].split("\n")[0]
    return rest[:1] in {'"', "'", "`"} or not rest.strip(_BLANK)
