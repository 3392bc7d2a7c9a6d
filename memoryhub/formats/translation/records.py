"""A record of one dialect in the form of another, with the losses of the translation.

Losses are not declared but found: the new text is parsed again, and all values
missing from it are named.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from memoryhub.formats.base import FormatError
from memoryhub.formats.big_memory import task_snapshot
from memoryhub.formats.ccw import session_compact
from memoryhub.formats.ccw.session_compact import NONE, TITLES
from memoryhub.formats.hub import handoff
from memoryhub.formats.optimizer.decision_log import render_decision
from memoryhub.formats.text.source import split_sections
from memoryhub.formats.translation.reading import Facet, Remembered, remembered
from memoryhub.formats.translation.writing import Frame, as_it_is, written

__all__ = ["Frame", "Lost", "Translation", "lost_in", "remembered", "translate"]

#: Limits of a source's lines compared with its values, and of a line's length.
_LINES, _LINE = 500, 2_000
_MARK = re.compile(r"[ \t]*(?:[-*+]|[0-9]{1,9}[.)])?[ \t]*")


@dataclass(frozen=True, slots=True)
class Lost:
    """A field of a record and its lost value; `text` is for lines of no field."""

    field: str
    text: str


@dataclass(frozen=True, slots=True)
class Translation:
    """A record in another dialect, and the values that do not fit into it."""

    dialect: str
    text: str
    lost: tuple[Lost, ...]
    #: Required parts missing from the record: they hold the form's word for none.
    unknown: tuple[str, ...] = ()


def translate(memory: Remembered, dialect: str, frame: Frame) -> Translation:
    """Return a record in another dialect; in its own dialect unchanged.

    Raises `FormatError` as the dialect's renderer does, for values that would break it.
    """
    if text := as_it_is(memory, dialect, frame):
        return Translation(dialect, text, lost_in(text, dialect, memory))
    text = written(memory, dialect, frame)
    lost = (*lost_in(text, dialect, memory), *_unread(memory, frame))
    unknown = [*_unknown(text, dialect)]
    if dialect == handoff.NAME and not (frame.type or memory.type):
        unknown.append("type")
    return Translation(dialect, text, lost, tuple(unknown))


def lost_in(text: str, dialect: str, memory: Remembered) -> tuple[Lost, ...]:
    """Return all values of a record that are missing from a text of some dialect."""
    return tuple(_missing(memory.facets(), _kept(text, dialect)))


def _unknown(text: str, dialect: str) -> Iterator[str]:
    """Yield the sections of a new text that only hold their form's word for none."""
    if dialect == task_snapshot.NAME:
        (found,) = task_snapshot.find_snapshots(text)[:1]
        yield from (part.title for part in found.sections if not part.value)
    elif dialect == handoff.NAME:
        for task in handoff.find_tasks(text):
            names = ("sender", "recipient", "context", "input")
            yield from (name for name in names if not getattr(task, name))
    elif dialect == session_compact.NAME:
        for section in split_sections(text):
            if section.title in TITLES and section.body.strip() in ("", NONE):
                yield section.title


def _kept(text: str, dialect: str) -> Counter[Facet]:
    """Return the values of a text; empty where its own dialect does not parse it."""
    try:
        return Counter(map(_comparable, remembered(text, dialect).facets()))
    except FormatError:
        return Counter()


def _missing(said: Iterable[Facet], kept: Counter[Facet]) -> Iterator[Lost]:
    for facet in said:
        key = _comparable(facet)
        if kept[key]:
            kept[key] -= 1
        else:
            yield Lost(*facet)


def _comparable(facet: Facet) -> Facet:
    """Return a facet without differences that are blanks alone."""
    return facet[0], " ".join(facet[1].split())


def _unread(memory: Remembered, frame: Frame) -> Iterator[Lost]:
    """Yield the source's lines that would be lost in its own dialect, too.

    They are prose between list items, headings of their own, and the like.
    """
    said = [text for _, text in memory.facets()]
    said += [render_decision(one) for one in memory.decisions]
    anew = "\n".join([written(memory, memory.dialect, frame), *said])
    known = {"", *map(_bare, anew.split("\n"))}
    whole = _bare(anew)
    lines = map(str.strip, memory.source.split("\n"))
    asked = (line for line in lines if _bare(line) not in known)
    for line in islice(asked, _LINES):
        if not line.startswith("<!--") and _bare(line) not in whole:
            yield Lost("text", line[:_LINE])


def _bare(text: str) -> str:
    """Return the letters and digits of a text, without the marks of lists."""
    rest = _MARK.sub("", text, count=1)
    return "".join(char for char in rest.casefold() if char.isalnum())
