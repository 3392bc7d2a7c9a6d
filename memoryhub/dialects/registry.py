"""All dialects in the order of detection; importing it imports each of them.

A dialect is a folder of this package with a ``DIALECT``: none is named here but the
log of a day and the fallback.
"""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from pathlib import PurePosixPath

from memoryhub import dialects
from memoryhub.dialects import daily_log, plain
from memoryhub.dialects.dialect import Dialect, never
from memoryhub.dialects.facts import Document, Fact
from memoryhub.dialects.handoff import block_problems
from memoryhub.formats.base import FormatError, Problem


def _whole(text: str, _: PurePosixPath) -> Document:
    """Return the document of a text of which nothing is read but itself."""
    return Document(text)


def _of_folder(name: str) -> Dialect:
    held = import_module(f"{dialects.__name__}.{name}")
    parse = getattr(held, "parse", _whole)
    dialect: Dialect = held.DIALECT
    return replace(dialect, name=name, matches=held.matches, parse=parse)


#: The dialects in the order of detection: by name or place, then by text, and last the
#: fallback that matches anything.
DIALECTS: tuple[Dialect, ...] = tuple(
    sorted(
        (
            _of_folder(found.name)
            for found in pkgutil.iter_modules(dialects.__path__)
            if found.ispkg
        ),
        key=lambda dialect: dialect.order,
    )
)
BY_NAME = {dialect.name: dialect for dialect in DIALECTS}
#: The dialect of a text that is of no other.
FALLBACK = BY_NAME[plain.NAME]
#: What a name stands for that none of them has, as in rows of another version.
_UNKNOWN = Dialect(title="", kind="", order=0, parse=_whole)

_IN_PLACE = tuple(d for d in DIALECTS if d.in_place is not never)
_OF_DATA = tuple(d for d in DIALECTS if d.is_data)
#: Handoffs first: a day's file among them is one, whatever it looks like.
_WITH_DAYS = tuple(
    sorted(
        (d for d in DIALECTS if d.has_days),
        key=lambda dialect: dialect.hands_over is never,
    )
)
_HANDING_OVER = tuple(d for d in DIALECTS if d.hands_over is not never)
_SCANNED = re.compile(
    rf"(?:\A|/)(?:{'|'.join(d.scanned for d in DIALECTS if d.scanned)})\Z"
)

#: Length of the head of a day's file in which marks of other dialects count.
_HEAD = 300


def by_name(name: str) -> Dialect:
    """Return the dialect of a name; nothing holds of an unknown one."""
    return BY_NAME.get(name, _UNKNOWN)


def is_scanned(path: str) -> bool:
    """Return whether a scan takes the file at a path, whatever its folder."""
    return bool(_SCANNED.search(path))


def detect(path: PurePosixPath, text: str) -> Dialect:
    """Return the dialect of a text at this path, relative to the workspace.

    Never fails: a text that matches no other dialect is `plain`.
    """
    if plain.is_data(path):
        return next((d for d in _OF_DATA if d.matches(path, text)), FALLBACK)
    for dialect in _IN_PLACE:
        if dialect.in_place(path) and dialect.matches(path, text):
            return dialect
    if path.name[:1].isdigit() and daily_log.is_daily(path) and _is_log(text):
        head = text[:_HEAD]
        found = (d for d in _WITH_DAYS if d.matches(path, head))
        return next(found, BY_NAME[daily_log.NAME])
    return next(d for d in DIALECTS if d.matches(path, text))


def _is_log(text: str) -> bool:
    """Return whether a day's file has no other dialect's marks at its start."""
    return not text.startswith("---") and "## Session ID" not in text[:_HEAD]


def parse(path: PurePosixPath, text: str) -> Document:
    """Return the document of a text at this path; raise nothing but `FormatError`."""
    return parse_as(detect(path, text), path, text)


def parse_as(dialect: Dialect, path: PurePosixPath, text: str) -> Document:
    """Return the document of a text of this dialect at this path, as `parse` does."""
    document: Document = dialect.parse(text, path)
    return document


def facts_of_path(name: str, path: PurePosixPath) -> Iterator[Fact]:
    """Yield the facts that files of a dialect state by their path alone."""
    with suppress(FormatError):
        yield from parse_as(by_name(name), path, "").facts(path)


def problems_of(name: str, document: Document | None, text: str) -> Iterator[Problem]:
    """Yield the defects of a text: its own, and those of the blocks in it."""
    if document:
        yield from document.problems
        yield from by_name(name).problems_in(document.text)
    if not by_name(name).is_conversation:
        yield from block_problems(text)


def hands_over(path: PurePosixPath) -> bool:
    """Return whether agents hand over work in the file at a path."""
    return any(dialect.hands_over(path) for dialect in _HANDING_OVER)
