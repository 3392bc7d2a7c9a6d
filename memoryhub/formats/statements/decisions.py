"""Decisions that a text states: under labels, behind labels, and in so many words.

`judging` tells what is none; `said` reads the sentences.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from memoryhub.formats.base import Lines
from memoryhub.formats.statements.decision_sentences import (
    choices_of_person,
    decisions_in,
)
from memoryhub.formats.statements.judging import is_filed
from memoryhub.formats.statements.lists import LabelledList
from memoryhub.formats.statements.prose import SUGGESTED, Prose
from memoryhub.formats.text.growing import Growing
from memoryhub.formats.text.labels import normalise_label
from memoryhub.formats.text.phrases import BECAUSE, IS_CAUSE, REASON_LABELS
from memoryhub.formats.text.sentences import (
    LONGEST_LINE,
    plain_line,
    quotes_of,
    sentences_of,
    without_marks,
)

_SPOKEN = re.compile(r"[^:：\"“„«»「]{1,30}[:：][ \t]*")
_DAY_TAIL = re.compile(r"[ \t]*[(（]\d{4}-\d\d-\d\d[)）][ \t.]*\Z")
_NOTE_TAIL = re.compile(
    r"[ \t]*\((?:decided|agreed|settled|set|orden|decidido|entschieden|beschlossen)\b"
    r"[^()]*\)[ \t.]*\Z",
    re.IGNORECASE,
)
_REASON_LINE = re.compile(r"[ \t]*(?:[-*+•][ \t]+)?([^:：\n]{2,40})[:：](.*)")
#: A reason behind its label in the line of the decision.
_REASON_TAIL = re.compile(
    r"(?<=[.;。；，,)）])[ \t]*[(（]?([^\s:：.。]{2,16})"
    r"(?:[ \u00a0\u202f]?[:：]| [—–-])[ \t]*(\S.*)\Z"
)
#: Decisions in paragraphs, found again in the next versions of their texts.
_SAID: Growing[tuple[tuple[str, str], ...]] = Growing()
#: The same of items under labels, by label and item.
_FILED: Growing[str] = Growing()


class StatedDecision(NamedTuple):
    """A decision, the label it was filed under, and the reason that is stated.

    `confidence`: 1 is declared by the form of the text, below it is suggested by words;
    `why` names those that weighed most.
    """

    text: str
    label: str
    lines: Lines
    reason: str = ""
    confidence: float = 1.0
    why: str = ""


def find_decisions(
    prose: Prose, lists: Iterable[LabelledList]
) -> tuple[StatedDecision, ...]:
    """Return the decisions of a text in file order.

    `lists` are those of `memoryhub.formats.statements.lists`; what they hold is one
    decision a line, a line of prose may state several.
    """
    listed = [*lists]
    directed = {i.lines.first for o in listed if o.kind == "directive" for i in o.items}
    filed = {one.lines.first: one for one in _listed(prose, listed)}
    others = directed | filed.keys() | prose.skipped
    said = (one for one in _said(prose) if one.lines.first not in others)
    kept = (one for line, one in filed.items() if line not in prose.skipped)
    stated = sorted([*kept, *said], key=lambda one: one.lines)
    return tuple(_with_reason(one, prose.lines) for one in _without_repeats(stated))


def _listed(prose: Prose, lists: Sequence[LabelledList]) -> Iterator[StatedDecision]:
    """Yield the texts under and behind labels; a label may name a line."""
    parts, judged = _FILED.parts_of(prose.text), set[int]()
    for one in lists:
        label = one.label.strip("*_# \t")
        for item in one.items if one.kind == "decision" else ():
            if item.lines.first in judged:
                continue
            judged.add(item.lines.first)
            part = (label, item.text)
            if text := parts.value(part, partial(_filed, label, item.text)):
                yield StatedDecision(text, label, item.lines, item.reason)


def _filed(label: str, item: str) -> str:
    """Return the decision of an item under a label; empty if it is none."""
    text = _decision_text(item)
    return text if text and is_filed(label, text) else ""


def _decision_text(text: str) -> str:
    """Return an item without its marks, day and speaker's name."""
    bare = without_marks(text.strip())
    for quote in quotes_of(bare):
        if _SPOKEN.fullmatch(quote.before) and not quote.behind.strip(" .。"):
            return quote.text
    return _NOTE_TAIL.sub("", _DAY_TAIL.sub("", bare))


def _said(prose: Prose) -> Iterator[StatedDecision]:
    """Yield the decisions that sentences state, and those behind tags."""
    parts, read = _SAID.parts_of(prose.text), 0
    for number in prose.lines_of("decision"):
        if number <= read:
            continue
        first, last, line = prose.paragraph_at(number)
        read = last
        if first in prose.skipped or len(line) > LONGEST_LINE:
            continue
        part = (first, last, len(line))
        for text, tag in parts.value(part, partial(decisions_in, line)):
            sure = 1.0 if tag else SUGGESTED
            yield StatedDecision(text, tag, Lines(first, last), confidence=sure)


def decisions_of_person(text: str, first_line: int) -> Iterator[StatedDecision]:
    """Yield the decisions in a person's message that begins at a line of the file."""
    for number, line in enumerate(text.split("\n"), first_line):
        plain = plain_line(line) if len(line) <= LONGEST_LINE else ""
        if plain and (chosen := choices_of_person(plain)):
            place = Lines(number, number)
            yield StatedDecision(chosen, "", place, confidence=SUGGESTED)


def _without_repeats(stated: Sequence[StatedDecision]) -> list[StatedDecision]:
    """Drop texts that recur in one file, as generators write them."""
    counted = Counter(one.text for one in stated)
    return [one for one in stated if counted[one.text] == 1]


def _with_reason(one: StatedDecision, lines: Sequence[str]) -> StatedDecision:
    """Add the reason: of the line behind a decision, or of its own sentences."""
    if one.reason:
        return one
    behind = lines[one.lines.last] if one.lines.last < len(lines) else ""
    if reason := _reason_line(behind):
        return one._replace(reason=reason)
    tail = _REASON_TAIL.search(one.text)
    if tail and normalise_label(tail[1]) in REASON_LABELS:
        text = one.text[: tail.start()].rstrip(" (（")
        return one._replace(text=text, reason=tail[2].rstrip(" )）"))
    sentences = sentences_of(one.text)
    if len(sentences) > 1 and IS_CAUSE.search(sentences[-1]):
        return one._replace(reason=sentences[-1])
    found = BECAUSE.search(one.text)
    return (
        one._replace(reason=one.text[found.end() :].strip(" ,.:)。")) if found else one
    )


def _reason_line(line: str) -> str:
    found = _REASON_LINE.match(line)
    if not found or normalise_label(found[1]) not in REASON_LABELS:
        return ""
    return without_marks(found[2].lstrip("*_ ").strip())
