"""Rules for secrets: keywords of a line, a pattern, and a judge of the value.

A pattern is tried only in lines with one of its keywords: a keyword search costs a
hundredth of a pattern search.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

#: Offsets into a text.
Span = tuple[int, int]
#: Judges a value; the second argument is True if nothing follows in its line.
Judge = Callable[[str, bool], bool]

_BLANK = " \t*_`\"',;|.)"


class Rule(NamedTuple):
    """A pattern whose last group, or whole match, is a secret if `judge` accepts it.

    `lines` is the maximum number of lines of a match. Words are matched in lower case,
    or verbatim if `exact`; lines without `needs` are skipped.
    """

    words: tuple[str, ...]
    pattern: re.Pattern[str]
    judge: Judge
    lines: int = 1
    exact: bool = False
    needs: re.Pattern[str] = re.compile("")


def spans_by(rules: Iterable[Rule], text: str) -> Iterator[Span]:
    """Yield the matches of the rules in a text, unordered; spans may overlap."""
    folded = text.lower()
    if len(folded) != len(text):
        # A few letters become two in lower case: offsets would be wrong.
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
    """Yield ranges of `count` lines, each starting at a line with one of the words."""
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
    """Return whether only marks follow a value, or a quotation mark immediately."""
    rest = text[end : end + 12].split("\n")[0]
    return rest[:1] in {'"', "'", "`"} or not rest.strip(_BLANK)
