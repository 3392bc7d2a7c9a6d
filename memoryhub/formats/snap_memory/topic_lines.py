"""The line machine of snap-memory's topic files: the section of every line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from memoryhub.formats.text.javascript import trim

META, STATUS, DECISIONS, HISTORY = "meta", "status", "decisions", "history"

#: The sections in the order they are written, with their headings.
SECTIONS = {
    META: "Meta",
    STATUS: "Current Status",
    DECISIONS: "Key Decisions",
    HISTORY: "History",
}

NO_STATUS = "(no status yet)"
NO_ITEMS = "(none yet)"

_SWITCHES = tuple((f"## {title}", section) for section, title in SECTIONS.items())

#: Starts of lines that do not continue the list item above.
_OWN_BLOCK = re.compile(r"[*+] |#|\||<|>|```|~~~|---|[0-9]{1,9}[.)] |\(none yet\)")


class Row(NamedTuple):
    """A line: its section, and whether it is text, a title or switches the section."""

    number: int
    line: str
    trimmed: str
    section: str
    kind: str


def read_rows(text: str) -> Iterator[Row]:
    """Assign every line to its section by snap-memory's tests, in their order.

    A heading switches by its start alone (``## History (old)``) and at any indent;
    a line ``# ...`` is dropped in every section; no other heading ends a section.
    """
    section = ""
    for number, line in enumerate(text.split("\n"), 1):
        trimmed = trim(line)
        kind = "text"
        if trimmed.startswith("#"):
            switched = section_of(trimmed)
            section = switched or section
            kind = "switch" if switched else _heading_kind(trimmed)
        yield Row(number, line, trimmed, section, kind)


def _heading_kind(trimmed: str) -> str:
    return "title" if trimmed.startswith("# ") else "text"


def section_of(trimmed: str) -> str:
    """Return the section a trimmed line switches to, or nothing."""
    if trimmed.startswith("## "):
        for start, section in _SWITCHES:
            if trimmed.startswith(start):
                return section
    return ""


def plain_status(status: str) -> str:
    """Return a status whose own headings do not end it in a topic file."""
    return "\n".join(map(_lowered, status.splitlines()))


def _lowered(line: str) -> str:
    while section_of(trim(line)) or trim(line).startswith("# "):
        line = f"#{trim(line)}"
    return line


def continues_item(row: Row) -> bool:
    """Return whether a line continues the list item directly above it."""
    if not row.trimmed:
        return False
    return row.line[:1] in " \t" or not _OWN_BLOCK.match(row.line)
