"""Titles of log entries: headings and first sentences without their time and day.

What is taken out stands at an edge or in brackets: a title never has holes.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from memoryhub.formats.text.dates import title_without_time
from memoryhub.formats.text.days import without_whole_days

_BRACKETS = re.compile(r"\([^()]*\)|（[^（）]*）|\[[^\[\]]*\]|【[^【】]*】")
#: Brackets around nothing, or around marks alone.
_EMPTY = re.compile(r"[(（\[【][^\w()（）\[\]【】]*[)）\]】]")
#: Marks between the parts of a heading.
_MARKS = "-–—|,，;:：/·•~≈"
_EDGES = " \t-–—|,，;:：/·•~≈@*_"
#: What separates words from a time behind them.
_BEHIND = re.compile(r"[\W_]*?[-–—|,，;:：/·•~≈@(（\[【]")
#: A full stop behind a word of three letters: not behind `M.`, `Dr.` or `13.`
_SENTENCE_END = re.compile(
    r"(?<=[^\W\d_]{3}[\"'”’»)*_`])[.!?…]+ |(?<=[^\W\d_]{3})[.!?…]+ |。|\n"
)
_WORD = re.compile(r"\w")


def title_of(heading: str) -> str:
    """Return a heading without its time and its whole days; empty if that is all."""
    bare = _without(title_without_time, _without(without_whole_days, heading))
    while (fewer := _EMPTY.sub(" ", bare)) != bare:
        bare = fewer
    if bare.count("**") % 2:
        bare = bare.replace("**", "")
    bare = " ".join(bare.split()).strip(_EDGES)
    return bare if _WORD.search(bare) else ""


def sentence_title(said: str) -> str:
    """Return the first sentence of a note, without a time at its edges."""
    first = _SENTENCE_END.split(said.strip(), maxsplit=1)[0].rstrip(".。 ")
    return title_of(first)


def _without(cut: Callable[[str], str], text: str) -> str:
    """Return a text as it is cut, unless that leaves a hole between words."""
    bare = cut(text)
    all_, left = _words(text), _words(bare)
    if all_ == left or all_.endswith(left):
        return bare
    if all_.startswith(left):
        seen = 0
        for place, sign in enumerate(text):
            if seen == len(left):
                return bare if not left or _BEHIND.match(text, place) else text
            seen += sign.isalnum()
    if _is_aside(text, bare):
        return bare
    in_brackets = _words(_BRACKETS.sub("", text)) == _words(_BRACKETS.sub("", bare))
    return bare if in_brackets else text


def _is_aside(text: str, bare: str) -> bool:
    """Return whether what is cut out begins and ends at marks, as `, 15:20 —` does."""
    start = end = 0
    while start < len(bare) and text[start] == bare[start]:
        start += 1
    while end < len(bare) - start and text[-1 - end] == bare[-1 - end]:
        end += 1
    cut, behind = text[start : len(text) - end].strip(), text[len(text) - end :].strip()
    return cut[:1] in _MARKS and behind[:1] in _MARKS and bool(cut and behind)


def _words(text: str) -> str:
    return "".join(filter(str.isalnum, text))
