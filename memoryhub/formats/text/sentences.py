"""Lines of prose cut into sentences, and the quotes in them.

Marks of lists, emphasis and times at the start of a line are no part of a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

#: A longer line is data, not prose.
LONGEST_LINE = 2000

_START = re.compile(
    r"[ \t]*+(?:>[ \t]*)?(?:#{1,6}[ \t]+)?(?:(?:[-*+•→]|->|\d{1,3}[.)、])[ \t]+)?"
    r"(?:\[[^\]\n]{0,3}\][ \t]+)?"
    r"(?:[*_`\[(~]{0,3}(?:[01]?\d|2[0-3])[:：h][0-5]\d(?::[0-5]\d)?[\])`*_]{0,3}"
    r"(?:[ \t]+(?:[-–—:|][ \t]+)?|[ \t]*[:：][ \t]*))?(?:→[ \t]*)?"
)
_END = re.compile(
    r"(?<![ \t.][A-Za-z])(?<!\be\.g)(?<!\bi\.e)(?<!\bz\.B)(?<!\d)[.!?…]+"
    r"[\"'”’»)*_]{0,4}(?=[ \t]|$)|(?<=\d)\.(?=[ \t]+(?!Jan|Feb|M[aä]r|Apr|Ma[ij]|Jun"
    r"|Jul|Aug"
    r"|Sep|O[kc]t|Nov|De[zc])[A-ZÄÖÜÀ-ÞА-Я])"
    r"|[。！？；]+[」』”’）]{0,2}|;(?=[ \t])"
)
#: The signs above; those in a word, as in ``os.path``, end no sentence.
_MAY_END = re.compile(r"[.!?…](?=[\W_]|\Z)|[。！？；]|;(?=[ \t])")
_QUOTE = re.compile(
    r'"([^"\n]{1,600})"|“([^“”\n]{1,600})”|„([^„“”"\n]{1,600})[“”"]'
    r"|«([^«»\n]{1,600})»|»([^«»\n]{1,600})«|「([^「」\n]{1,600})」"
    r"|『([^『』\n]{1,600})』"
)
#: A shorter line was not wrapped; a paragraph is joined this many lines far.
_LEAST_WRAPPED, _MOST_WRAPPED = 60, 12
_BLANKS = " \t\r\n"


class Quote(NamedTuple):
    """A quoted text, with the text before and behind it in its line."""

    text: str
    before: str
    behind: str


def paragraph_at(lines: Sequence[str], number: int) -> tuple[int, int, str]:
    """Return the lines that a wrapped line belongs to, first and last, and their text.

    A line goes on with the one before it that is long, ends inside a sentence, and is
    followed by a small letter.
    """
    first = last = number
    line, behind = lines[number - 1], "".join(lines[number : number + 1])
    if not (line[:1].islower() or behind[:1].islower()):
        return number, number, line
    while first > 1 and last - first < _MOST_WRAPPED and _wraps(lines, first - 1):
        first -= 1
    while last < len(lines) and last - first < _MOST_WRAPPED and _wraps(lines, last):
        last += 1
    if first == last:
        return first, last, line
    return first, last, " ".join(line.strip() for line in lines[first - 1 : last])


def _wraps(lines: Sequence[str], number: int) -> bool:
    """Return whether a line of prose continues on the next one."""
    if not lines[number][:1].islower():
        return False
    line = lines[number - 1].rstrip()
    return (
        _LEAST_WRAPPED <= len(line) <= LONGEST_LINE
        and line[-1] not in ".!?:;。…|"
        and not line.startswith(("#", "|", "`", "<", "- [", "    "))
    )


def bare_line(line: str) -> str:
    """Return a line without the marks at its start: list, quote, checkbox, time."""
    found = _START.match(line)
    return line[found.end() if found else 0 :].strip(_BLANKS)


@lru_cache(maxsize=1024)
def plain_line(line: str) -> str:
    """Return a line without the marks at its start and those of emphasis.

    Cached: several rules ask for the words of one line.
    """
    return without_marks(bare_line(line))


@lru_cache(maxsize=1024)
def sentences_of(text: str) -> tuple[str, ...]:
    """Cut a text of one line into its sentences; a quote is not cut.

    Cached: several rules ask for the sentences of one line.
    """
    ends = list(_ends(text))
    if not ends:
        return (whole,) if (whole := text.strip()) else ()
    cuts, start = [], 0
    quoted = [found.span() for found in _quotes(text)]
    for end in ends:
        inside = any(first < end.start() < last - 1 for first, last in quoted)
        if not inside:
            cuts.append(text[start : end.end()].strip())
            start = end.end()
    cuts.append(text[start:].strip())
    return tuple(cut for cut in cuts if cut)


def _ends(text: str) -> Iterator[re.Match[str]]:
    """Yield the ends of sentences, found by punctuation alone."""
    behind = 0
    for sign in _MAY_END.finditer(text):
        found = _END.match(text, sign.start()) if sign.start() >= behind else None
        if found:
            behind = found.end()
            yield found


def quotes_of(line: str) -> Iterator[Quote]:
    """Yield the quotes of a line, in seven kinds of marks."""
    for found in _quotes(line):
        text = next(filter(None, found.groups()), "").strip()
        yield Quote(text, line[: found.start()], line[found.end() :])


def _quotes(line: str) -> Iterator[re.Match[str]]:
    """Return the quotes of a line; of ASCII marks there is one kind."""
    return _QUOTE.finditer(line) if '"' in line or not line.isascii() else iter(())


def without_marks(text: str) -> str:
    """Return a text without marks of emphasis around whole words.

    A mark that has no partner goes as well: texts are not cut inside bold ones.
    """
    plain = text.replace("**", "").replace("__", "") if "__init__" not in text else text
    if plain.startswith("*") and plain.count("*") == 1:
        plain = plain[1:]
    return " ".join(plain.split())
