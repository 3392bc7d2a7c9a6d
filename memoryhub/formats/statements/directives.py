"""Directives: what a person told agents to do, to stop, or allowed.

They are read from sections of rules, from quotes, from what a person writes in a
transcript, and from reports of what a person said. An agent's own plans are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from memoryhub.formats.base import Lines
from memoryhub.formats.statements.decisions import is_rule
from memoryhub.formats.statements.lists import LabelledList
from memoryhub.formats.text.labels import says_nothing
from memoryhub.formats.text.phrases import (
    DIRECTED_STEMS,
    DIRECTS,
    HENCEFORTH,
    NO_NORM,
    NORM,
    RULES_BY,
    SPEAKS,
    holds,
)
from memoryhub.formats.text.sentences import (
    LONGEST_LINE,
    bare_line,
    quotes_of,
    sentences_of,
    without_marks,
)

_LEAST_LETTERS = 2
_COLON = re.compile(r"[:：][ \t]*")
_QUESTION = ("?", "？")


class StatedDirective(NamedTuple):
    """What a person directed, in the words of the file."""

    text: str
    lines: Lines


def find_directives(
    text: str, lists: Iterable[LabelledList], skipped: frozenset[int]
) -> tuple[StatedDirective, ...]:
    """Return the directives of a text in file order, each line once.

    `lists` are those of `memoryhub.formats.statements.lists`; lines in `skipped` are
    not read.
    """
    found = {one.lines.first: one for one in _listed(lists)}
    for one in _spoken(text):
        found.setdefault(one.lines.first, one)
    return tuple(one for line, one in sorted(found.items()) if line not in skipped)


def directives_of_person(text: str, first_line: int) -> Iterator[StatedDirective]:
    """Yield the directives in what a person wrote, from this line of the file on."""
    for number, line in enumerate(text.split("\n"), first_line):
        low = line.lower()
        if len(line) <= LONGEST_LINE and holds(DIRECTED_STEMS, low):
            for sentence in sentences_of(without_marks(bare_line(line))):
                if _directs(sentence):
                    yield StatedDirective(sentence, Lines(number, number))
                    break


def _listed(lists: Iterable[LabelledList]) -> Iterator[StatedDirective]:
    """Yield the rules in sections of rules, without the facts and tastes there."""
    for one in lists:
        for item in one.items if one.kind != "open" else ():
            text = without_marks(item.text)
            if one.kind == "decision" and not is_rule(one.label, text):
                continue
            quote = next(quotes_of(text), None)
            if quote and not quote.before.strip() and not quote.behind.strip(" .。"):
                yield StatedDirective(quote.text, item.lines)
            elif _is_rule(text):
                yield StatedDirective(text, item.lines)


def _is_rule(text: str) -> bool:
    low = text.lower()
    if (
        says_nothing(text)
        or low.startswith("~~")
        or low.endswith((*_QUESTION, ":", "："))
    ):
        return False
    return NORM.search(low) is not None and NO_NORM.search(low) is None


def _spoken(text: str) -> Iterator[StatedDirective]:
    if not holds(DIRECTED_STEMS, text.lower()):
        return
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > LONGEST_LINE or not holds(DIRECTED_STEMS, line.lower()):
            continue
        found = next(_spoken_in(line), "")
        if len(found) >= _LEAST_LETTERS:
            yield StatedDirective(found, Lines(number, number))


def _spoken_in(line: str) -> Iterator[str]:
    """Yield what a person directs in a line: in quotes first, then as reported."""
    if line.lstrip().startswith(("|", "#", "<")):
        return
    plain = without_marks(line.strip())
    for quote in quotes_of(plain):
        if _directs(quote.text) or _ruled(quote.before, quote.text):
            yield quote.text
    if line.lstrip().startswith(">"):
        yield from filter(_directs, [without_marks(bare_line(line))])
    yield from _reported(sentences_of(without_marks(bare_line(line))))


def _directs(text: str) -> bool:
    low = text.lower().strip()
    return not low.endswith(_QUESTION) and DIRECTS.search(low) is not None


def _ruled(before: str, text: str) -> bool:
    """Return whether the words before a quote say that it rules: ``corrected me:``."""
    head = before.rstrip(" (（")
    led = head.endswith((":", "：", "，", ",", "to")) or before != head
    return (
        led
        and len(text) > _LEAST_LETTERS - 1
        and bool(RULES_BY.search(head[-80:].lower()))
    )


def _reported(sentences: Sequence[str]) -> Iterator[str]:
    """Yield the rules that a person is reported to have said."""
    for sentence in sentences:
        low = sentence.lower()
        found = HENCEFORTH.search(low)
        if not found or low.endswith(_QUESTION):
            continue
        if SPEAKS.search(low[: found.start()]):
            colon = _COLON.search(sentence[: found.start()])
            yield sentence[colon.end() if colon else found.start() :].strip()
