"""Notes of Basic Memory: observations with a category, and relations to other notes.

``- [category] text #tag (context)`` is an observation, ``- relation [[Target]]`` a
relation, anywhere in a note whose front matter has a ``permalink``.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from typing import TypeVar

from memoryhub.dialects.dialect import Dialect, gettext_noop
from memoryhub.dialects.facts import Declared, Document, dated, of_page
from memoryhub.dialects.plain import first_heading, first_paragraph
from memoryhub.formats.base import NO_PATH, Lines
from memoryhub.formats.text import frontmatter
from memoryhub.formats.text.dates import parse_date, parse_timestamp
from memoryhub.formats.text.days import day_in
from memoryhub.formats.text.source import fenced_lines, split_lines, split_sections
from memoryhub.prose.labels import (
    kind_of_label,
    says_nothing,
)
from memoryhub.prose.stated import (
    OpenItem,
    Stated,
    StatedDecision,
    StatedDirective,
    find_stated,
)

_OBSERVATION = re.compile(r"[-*+][ \t]+\[([^\]\n()\[]{1,40})\][ \t]+(\S[^\n]*)")
_RELATION = re.compile(
    r"[-*+][ \t]++([^\[\]\n]{1,60}?)[ \t]+\[\[([^\[\]\n]{1,200})\]\]"
)
_TAG = re.compile(r"#[\w/-]{1,60}")
#: Tags of a line that are read, and characters of the context behind them.
_MOST_TAGS, _CONTEXT = 40, 300
#: Checkboxes and times in brackets are no categories.
_CATEGORY = re.compile(r"[^\W\d_][\w /-]{1,39}")
_DECIDED = frozenset({"decision", "decided", "decisions", "choice"})
_OPEN = frozenset(
    {"todo", "to-do", "task", "question", "open", "blocker", "next", "next step"}
    | {"action", "action item", "follow-up", "open question", "pending"}
)
_DIRECTED = frozenset({"preference", "rule", "directive", "instruction"})
#: What closing an item adds to its line.
_CLOSED = "✅"
_DATES = ("created", "date", "modified", "updated")

_Row = TypeVar("_Row", StatedDecision, StatedDirective, OpenItem)


#: A categorised fact: its category, its text without tags, its lines.
_Observation = tuple[str, str, Lines]


def matches(path: PurePosixPath, text: str) -> bool:
    """Return whether front matter has a permalink, and the name is no day's."""
    if not text.startswith("---") or path.suffix.casefold() not in (".md", ".markdown"):
        return False
    return bool(frontmatter.split(text).get("permalink")) and not day_in(path.stem[:10])


def parse(text: str, path: PurePosixPath = NO_PATH) -> Document:
    """Return the topic that a note is, and those that it relates to; never fails."""
    matter, fenced = frontmatter.split(text), fenced_lines(text)
    read = [
        (line.rstrip(), Lines(number, number))
        for number, line in enumerate(split_lines(text), 1)
        if number >= matter.body_line and number not in fenced
    ]
    observations = [*_observations(read)]
    title = matter.get("title") or first_heading(split_sections(text))
    # Its status is the first paragraph, else the first observation.
    status, place = first_paragraph(text)
    if observations and (not status or status.startswith("[")):
        _, status, place = observations[0]
    relations = (
        Declared("relation", found[2], lines)
        for line, lines in read
        if (found := _RELATION.match(line))
    )
    return Document(
        text,
        title,
        told=(of_page(text, path, title, status, place), *relations),
        stated=_stated(find_stated(text), observations),
        time=dated(_written(matter), path),
        names_people=True,
    )


def _observations(read: Iterable[tuple[str, Lines]]) -> Iterator[_Observation]:
    for line, lines in read:
        found = _OBSERVATION.match(line)
        if found and _CATEGORY.fullmatch(found[1]) and not says_nothing(found[2]):
            text = _without_tags(found[2])
            yield found[1].casefold(), text, lines


def _without_tags(said: str) -> str:
    """Return a text without the tags at its end or before its context."""
    text, context = said.strip(), ""
    start = text.rfind("(", -_CONTEXT)
    if start > 0 and text.endswith(")") and text[start - 1] in " \t":
        text, context = text[:start].rstrip(), f" {text[start:]}"
    for _ in range(_MOST_TAGS):
        rest, _, word = text.replace("\t", " ").rpartition(" ")
        if not rest or not _TAG.fullmatch(word):
            break
        text = text[: len(rest)].rstrip()
    return text + context


def _written(matter: frontmatter.FrontMatter) -> datetime.date | None:
    """Return when a note was created, else when it was changed."""
    for name in _DATES:
        said = matter.get(name)
        if at := parse_timestamp(said) or parse_date(said[:10]):
            return at
    return None


def _stated(stated: Stated, observations: Iterable[_Observation]) -> Stated:
    """Return the statements of a note; an observation's category decides its kind."""
    decisions: list[StatedDecision] = []
    directives: list[StatedDirective] = []
    items: list[OpenItem] = []
    lines = set()
    for category, text, at in observations:
        lines.add(at.first)
        if category in _DECIDED or kind_of_label(category) == "decision":
            decisions.append(StatedDecision(text, category, at))
        elif category in _DIRECTED:
            directives.append(StatedDirective(text, at))
        elif category in _OPEN or kind_of_label(category) == "open":
            said, closed, _ = text.partition(_CLOSED)
            items.append(OpenItem(said.strip(), bool(closed), "", at))
    return Stated(
        _merged(stated.decisions, decisions, lines),
        _merged(stated.directives, directives, lines),
        _merged(stated.open_items, items, lines),
    )


def _merged(
    found: Iterable[_Row], observed: Iterable[_Row], lines: set[int]
) -> tuple[_Row, ...]:
    """Return rows in file order; lines of observations only have their own."""
    rows = [row for row in found if row.lines.first not in lines]
    rows.extend(observed)
    return tuple(sorted(rows, key=lambda row: row.lines))


DIALECT = Dialect(
    title=gettext_noop("Notes of Basic Memory"),
    kind=gettext_noop("basic memory"),
    order=70,
    role=None,
    lives_long=True,
    read_whole=True,
)
