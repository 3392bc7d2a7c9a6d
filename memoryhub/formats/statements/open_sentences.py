"""Sentences about work that waits, is unfinished or must be done.

In a text that lists its open work, a sentence about the same things repeats it. Words
are of thirteen languages; what stands in quotes is somebody's speech.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from memoryhub.formats.base import Lines
from memoryhub.formats.statements.item_words import ItemWords, words_of
from memoryhub.formats.statements.lists import Listed
from memoryhub.formats.statements.prose import Prose
from memoryhub.formats.text.growing import Growing
from memoryhub.formats.text.labels import kind_of_label, normalise_label
from memoryhub.formats.text.open_phrases import UNSPACED, says_open
from memoryhub.formats.text.phrases import REASON_LABELS
from memoryhub.formats.text.sentences import (
    LONGEST_LINE,
    plain_line,
    quotes_of,
    sentences_of,
)

_NO_PROSE = ("#", "|", "<", ">", "```", "~~~", "---", "![", "{", '"')
_BULLETS = ("→ ", "- ", "* ", "+ ", "• ", "– ", "1. ", "1) ")
_LONGEST_LIST = 20
_LONG, _SHORT = 120, 34
#: Up to here an item of several sentences counts as a whole.
_SHORT_ITEM = 60
#: Ends of a sentence that the next one belongs to.
_GOES_ON = ("?", "？", ";", "；")
#: A wider paragraph is about several things.
_PARAGRAPH = 240
_COLON = re.compile("[:：]")
_REASONS = REASON_LABELS | {"how to apply"}
#: A list item that ends with a question, and nothing else in it.
_ASKS = re.compile(r"[^?？\"“”„«»]{12,200}[?？]\Z")
_CLAUSE_END = re.compile(r"[,，;；:：(（] ?|\s[-–—→]\s")


class _Clause(NamedTuple):
    """A sentence about open work; `at_start`: its first words show it, not its work."""

    text: str
    at_start: bool


class _Sentence(NamedTuple):
    """A sentence of open work; the words that it and a short line around it have."""

    text: str
    words: frozenset[str]


class _Read(NamedTuple):
    """A line bare of marks; whether it is an item; its sentences of open work."""

    bare: str
    is_item: bool
    stated: tuple[_Sentence, ...]


_NOTHING = _Read("", False, ())
#: Lines as read, found again in the next versions of their texts.
_READ: Growing[_Read] = Growing()


def open_sentences(
    prose: Prose,
    known: Sequence[ItemWords],
    skipped: frozenset[int],
    *,
    loose: bool,
) -> Iterator[Listed]:
    """Yield the sentences of open work that no known item is about.

    `loose`: sentences that plan or oblige count, too.
    """
    lines = prose.lines
    parts, end = _READ.parts_of(prose.text), 0
    for number in prose.open_lines(loose=loose):
        if number in skipped or number <= end or not _may_be_open(lines[number - 1]):
            continue
        first, end, line = prose.paragraph_at(number)
        part = (first, end, len(line), loose)
        bare, is_item, stated = parts.value(part, partial(_read, line, loose=loose))
        if not stated:
            continue
        heads = not is_item and _heads_a_list(lines, end)
        if _is_label(bare, heads):
            continue
        new = [one.text for one in stated if not _is_known(one.words, known)]
        last = len(bare) <= _LONG or bare.endswith(tuple(new[-1:]))
        if new and heads and last:
            yield from _list_below(lines, end, skipped)
        else:
            place = Lines(first, end)
            for text in new:
                yield Listed(text, "", _lines_with(text, lines, place))


def _lines_with(text: str, lines: Sequence[str], place: Lines) -> Lines:
    """Return the lines of a wrapped paragraph that a sentence of it is on."""
    inside = [
        number
        for number in range(place.first, place.last + 1)
        if (bare := plain_line(lines[number - 1])) and _overlap(text, bare)
    ]
    return Lines(inside[0], inside[-1]) if inside else place


def _overlap(text: str, line: str) -> bool:
    """Return whether a line holds a sentence, a part of it, or its beginning."""
    if text in line or line in text:
        return True
    words = text.split()
    head, tail = " ".join(words[:3]), " ".join(words[-3:])
    return line.endswith(head) or head in line or tail in line


def _read(line: str, *, loose: bool) -> _Read:
    """Return a line with its sentences about open work; a question may be one."""
    bare = plain_line(line)
    is_item = line.lstrip().startswith(_BULLETS)
    stated = _open_in(bare, whole=is_item, loose=loose)
    if not stated and is_item and loose and _asks(bare):
        stated = [bare]
    if not stated:
        return _NOTHING
    about = bare if _width(bare) <= _PARAGRAPH else ""
    sentences = (_Sentence(one, words_of(f"{about} {one}")) for one in stated)
    return _Read(bare, is_item, tuple(sentences))


def _may_be_open(line: str) -> bool:
    is_prose = not line.lstrip().startswith(_NO_PROSE) or "?" in line or "？" in line
    return is_prose and len(line) <= LONGEST_LINE


def _asks(bare: str) -> bool:
    return bare.endswith(("?", "？")) and _ASKS.search(bare) is not None


def _heads_a_list(lines: Sequence[str], number: int) -> bool:
    return number < len(lines) and lines[number].lstrip().startswith(_BULLETS)


def _is_known(words: frozenset[str], known: Iterable[ItemWords]) -> bool:
    """Return whether a sentence with these words repeats one of the items."""
    return any(len(words & item.words) >= item.least for item in known)


def _list_below(
    lines: Sequence[str], head: int, skipped: frozenset[int]
) -> Iterator[Listed]:
    """Yield the items right below a sentence that heads their list."""
    for number in range(head + 1, min(head + _LONGEST_LIST, len(lines)) + 1):
        line = lines[number - 1]
        if not line.lstrip().startswith(_BULLETS):
            return
        if number not in skipped:
            text = plain_line(line[:LONGEST_LINE])
            yield Listed(text, "", Lines(number, number))


def _is_label(bare: str, heads_a_list: bool) -> bool:
    """Return whether a line is a label above a list, or has one of a reason."""
    head = _COLON.split(bare, maxsplit=1)[0]
    return (
        bare.endswith((":", "："))
        or (heads_a_list and kind_of_label(bare) != "")
        or normalise_label(head) in _REASONS
    )


def _open_in(bare: str, *, whole: bool, loose: bool) -> list[str]:
    """Return a line's sentences about open work; a short list item as a whole.

    A short one that names no work comes with the sentence before it, or else behind.
    """
    sentences = sentences_of(bare)
    found: list[str] = []
    for place, sentence in enumerate(sentences):
        clause = _open_clause(sentence, loose)
        if clause is None:
            continue
        if whole and (len(sentences) == 1 or len(bare) <= _SHORT_ITEM):
            return [bare]
        before = sentences[place - 1] if place else ""
        follows = bool(found) and found[-1].endswith(before)
        text = clause.text
        if _width(text) < _SHORT and (clause.at_start or follows):
            if follows:
                found.pop()
            text = f"{before} {text}" if before else " ".join(sentences[:2])
        elif whole and before.endswith(_GOES_ON):
            text = f"{before} {text}"
        found.append(text)
    return found


def _width(text: str) -> int:
    """Return the length of a text; a letter of an unspaced script counts as three."""
    return len(text) + 2 * len(UNSPACED.findall(text))


def _open_clause(sentence: str, loose: bool) -> _Clause | None:
    """Return a sentence that states open work; of a long one the clause that does."""
    low = sentence.replace("İ", "I").lower()
    found = says_open(low, loose=loose)
    if not found or len(low) != len(sentence) or _is_quoted(sentence, found.start):
        return None
    if len(sentence) <= _LONG:
        return _Clause(sentence, found.firm and found.start <= 1)
    starts = [cut.end() for cut in _CLAUSE_END.finditer(sentence, 0, found.start)]
    clause = sentence[starts[-1] if starts else 0 :]
    return _Clause(clause, at_start=False) if len(clause) <= 2 * _LONG else None


def _is_quoted(sentence: str, place: int) -> bool:
    return any(
        len(quote.before) < place < len(sentence) - len(quote.behind)
        for quote in quotes_of(sentence)
    )
