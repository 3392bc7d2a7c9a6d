"""Lines and edits of a snap-memory topic file.

Each line belongs to a section by snap-memory's own tests. Edits take and return texts,
and change only the named lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from memoryhub.formats.base import FormatError, Lines
from memoryhub.formats.text.javascript import LINE_TERMINATOR, trim
from memoryhub.formats.text.source import newline_of, split_lines

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
            title = "title" if trimmed.startswith("# ") else kind
            kind = "switch" if switched else title
        yield Row(number, line, trimmed, section, kind)


def section_of(trimmed: str) -> str:
    """Return the section a trimmed line switches to, or nothing."""
    if trimmed.startswith("## "):
        for start, section in _SWITCHES:
            if trimmed.startswith(start):
                return section
    return ""


def plain_status(status: str) -> str:
    """Deepen headings of a status that would end it in a topic file."""
    return "\n".join(map(_lowered, status.splitlines()))


def _lowered(line: str) -> str:
    while section_of(trim(line)) or trim(line).startswith("# "):
        line = f"#{trim(line)}"
    return line


def continues_item(row: Row) -> bool:
    """Return whether a line continues the list item directly above it."""
    return bool(row.trimmed) and not _OWN_BLOCK.match(row.line)


class Place(NamedTuple):
    """An edit of a section's entries: the line to insert after, the lines to remove."""

    section: str
    after: int
    gone: tuple[Lines, ...] = ()


class _Text:
    """The lines of a text during an edit, by their original numbers."""

    def __init__(self, text: str) -> None:
        self.newline = newline_of(text)
        self.rows = list(read_rows(text))
        self._lines: list[str] = split_lines(text)
        self._after: dict[int, list[str]] = {}

    @property
    def size(self) -> int:
        return len(self._lines)

    def line(self, number: int) -> str:
        return self._lines[number - 1]

    def replace(self, number: int, line: str) -> None:
        self._lines[number - 1] = line

    def insert(self, after: int, lines: list[str]) -> None:
        """Insert lines after a line; 0 is the start of the text."""
        ended = [line + self.newline for line in lines]
        self._after.setdefault(after, []).extend(ended)
        last = self.line(after) if 0 < after == self.size else ""
        if ended and last and not last.endswith("\n"):
            self._lines[after - 1] += self.newline

    def render(self) -> str:
        start = self._after.get(0, [])
        parts = ["".join(start)]
        for number, line in enumerate(self._lines, 1):
            parts.append(line)
            parts += self._after.get(number, [])
        return "".join(parts)

    def heading(self, section: str) -> Row | None:
        return next((row for row in self._headings() if row.section == section), None)

    def _headings(self) -> list[Row]:
        return [row for row in self.rows if row.kind == "switch"]

    def insert_below(self, heading: Row, lines: list[str]) -> None:
        """Insert lines right below a heading, separated from the text after it."""
        self.insert(heading.number, lines)
        below = heading.number + 1
        if below <= self.size and trim(self.line(below)):
            self.insert(heading.number, [""])

    def add_section(self, section: str, lines: list[str]) -> None:
        """Add a missing section before those that follow it in the format's order."""
        order = list(SECTIONS)
        later = order[order.index(section) + 1 :]
        below = next((row for row in self._headings() if row.section in later), None)
        block = [f"## {SECTIONS[section]}", *lines]
        before = below.number - 1 if below else self.size
        if before and trim(self.line(before)):
            block.insert(0, "")
        self.insert(before, [*block, ""] if below else block)


def with_status(text: str, status: str, *, raw: bool) -> str:
    """Return the text with another status, in the first status section."""
    edited = _Text(text)
    lines = [status] if raw else _status_lines(status)
    heading = edited.heading(STATUS)
    if heading is None:
        edited.add_section(STATUS, lines)
        return edited.render()
    held = _status_rows(edited)
    first = held[0].number if held else 0
    for row in held:
        edited.replace(row.number, "")
    if first:
        edited.insert(first, lines)
    else:
        edited.insert_below(heading, lines)
    return edited.render()


def _status_rows(edited: _Text) -> list[Row]:
    """Return the rows of the status, without the blank lines around it."""
    held: list[Row] = []
    waiting: list[Row] = []
    for row in edited.rows:
        if row.section != STATUS or row.kind == "switch":
            waiting = []
        elif row.trimmed:
            held += [*waiting, row]
            waiting = []
        elif held and row.number == held[-1].number + len(waiting) + 1:
            waiting.append(row)
    return held


def _status_lines(status: str) -> list[str]:
    lines = (trim(status) or NO_STATUS).split("\n")
    for number, line in enumerate(lines, 1):
        if section_of(trim(line)):
            raise FormatError("status-breaks-sections", number, text=trim(line))
    return [line.removesuffix("\r") for line in lines]


def with_entries(text: str, place: Place, items: list[str], *, raw: bool) -> str:
    """Return the text with entries added to a section and others removed.

    The words for none stand in a section exactly while it has no entry.
    """
    edited = _Text(text)
    added = [f"- {item if raw else _clean_item(item)}" for item in items]
    heading = edited.heading(place.section)
    if heading is None:
        if added:
            edited.add_section(place.section, added)
        return edited.render()
    gone = {n for lines in place.gone for n in range(lines.first, lines.last + 1)}
    for number in gone:
        edited.replace(number, "")
    stays = any(
        row.trimmed.startswith("- ") and row.number not in gone
        for row in edited.rows
        if row.section == place.section and row.kind == "text"
    )
    if added:
        _add(edited, place, heading, added)
    elif place.gone and not stays:
        edited.insert(place.gone[0].first, [NO_ITEMS])
    return edited.render()


def _clean_item(item: str) -> str:
    cleaned = trim(item)
    if not cleaned:
        raise FormatError("item-empty")
    if "\n" in cleaned:
        raise FormatError("item-has-newline", item=cleaned)
    return cleaned


def _add(edited: _Text, place: Place, heading: Row, added: list[str]) -> None:
    if place.after:
        edited.insert(place.after, added)
        return
    rows = (row for row in edited.rows if row.section == place.section)
    none = next((row for row in rows if row.trimmed == NO_ITEMS), None)
    if none:
        edited.replace(none.number, "")
        edited.insert(none.number, added)
        return
    edited.insert_below(heading, added)


def with_meta(text: str, key: str, value: str, place: tuple[Lines | None, int]) -> str:
    """Return the text with a value of Meta: in the line it has, else after the last."""
    cleaned = trim(value)
    if not key or "**:" in key or LINE_TERMINATOR.search(key):
        raise FormatError("meta-key", key=key)
    if not cleaned or LINE_TERMINATOR.search(cleaned):
        raise FormatError("meta-value", key=key, value=value)
    line = f"- **{key}**: {cleaned}"
    held, after = place
    edited = _Text(text)
    heading = edited.heading(META)
    if held:
        edited.replace(held.first, _rewritten(edited.line(held.first), line))
    elif heading is None:
        edited.add_section(META, [line])
    elif after:
        edited.insert(after, [line])
    else:
        edited.insert_below(heading, [line])
    return edited.render()


def with_item(text: str, lines: Lines, item: str) -> str:
    """Return the text with another item in the list line at `lines`.

    Raises FormatError ``no-such-item`` if that is no list line.
    """
    edited = _Text(text)
    if not 1 <= lines.first <= edited.size:
        raise FormatError("no-such-item", lines.first)
    row = edited.rows[lines.first - 1]
    if not row.trimmed.startswith("- "):
        raise FormatError("no-such-item", lines.first)
    rewritten = _rewritten(edited.line(lines.first), f"- {_clean_item(item)}")
    edited.replace(lines.first, rewritten)
    return edited.render()


def _rewritten(old: str, new: str) -> str:
    """Replace the text of a line; its indent and line end stay."""
    indent = old[: len(old) - len(old.lstrip(" \t\ufeff"))]
    end = old[len(old.rstrip("\r\n")) :]
    return f"{indent}{new}{end}"
