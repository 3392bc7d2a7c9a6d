"""List items of free text: bullets, numbers, checkboxes.

`list_items` reads the outer items of a section's body, `bullets_of` each item of a
whole text, outside code fences, with its section and depth.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from memoryhub.formats.base import Lines
from memoryhub.formats.text.source import (
    Section,
    fenced_lines,
    split_lines,
    split_sections,
)

_ITEM = re.compile(r"([ \t]*)(?:[-*+•]|[0-9]{1,9}[.)])(?:[ \t]+|$)")
_CHECKBOX = re.compile(r"\[([^\]\n]{1,2})\][ \t]+")
_NONE_MARKS = " \t\r\n.*_`()[]-"

#: The first of these ends a decision and starts its rationale; big-memory's own
#: is the first, agents also write the dashes.
_DASHES = (" -- ", " — ", " – ")
_MARKED = re.compile(r"([ \t]*)([-*+•]|[0-9]{1,9}[.)])[ \t]+([^\n]*)")
#: A line behind its time, ``[2025-05-04 12:34:56] - text``.
STAMPED = re.compile(
    r"\[([0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2})?Z?)\]"
    r"[ \t]*[-–—:]?[ \t]*(\S.*)"
)
_TICKED = re.compile(r"\[([ xX])\][ \t]+")


class Item(NamedTuple):
    """A list item and its lines; the lines that continue it are joined by blanks."""

    text: str
    lines: Lines


class FileItem(NamedTuple):
    """A file in a list and its purpose, which may be empty."""

    path: str
    purpose: str
    lines: Lines


class Choice(NamedTuple):
    """A decision in a list and its reason, which may be empty."""

    text: str
    reason: str
    lines: Lines


class Labelled(NamedTuple):
    """A text in a list and its kind, empty where the item names none."""

    kind: str
    text: str
    lines: Lines


def list_items(body: str, first_line: int) -> tuple[Item, ...]:
    """Return the outer items of a body; deeper ones and other lines continue them.

    A line that neither starts an item nor is indented ends the item above it, as a
    blank line does not: lists of agents are often loose.
    """
    items: list[tuple[list[str], list[int]]] = []
    indent, is_open = 0, False
    for number, line in enumerate(body.split("\n"), first_line):
        found = _ITEM.match(line)
        if found and (not is_open or len(found[1]) <= indent):
            items.append(([line[found.end() :].strip()], [number]))
            indent, is_open = len(found[1]), True
        elif is_open and line[:1] in (" ", "\t") and line.strip():
            items[-1][0].append(line.strip())
            items[-1][1].append(number)
        elif line.strip():
            is_open = False
    return tuple(
        Item(" ".join(parts).strip(), Lines(numbers[0], numbers[-1]))
        for parts, numbers in items
    )


def without_checkbox(text: str) -> tuple[str, str]:
    """Split ``[x] text`` into mark and text; the mark is empty without a checkbox."""
    found = _CHECKBOX.match(text)
    return (found[1], text[found.end() :]) if found else ("", text)


def is_none(text: str) -> bool:
    """Return whether a text is the word for an empty field, in any markup."""
    return text[:24].strip(_NONE_MARKS).casefold() in ("none", "") and len(text) < 24


def paragraph(body: str, first_line: int) -> tuple[Item, ...]:
    """Return the whole body as one item, or none for an empty one."""
    lines = [n for n, line in enumerate(body.split("\n"), first_line) if line.strip()]
    if not lines:
        return ()
    return (Item(" ".join(body.split()), Lines(lines[0], lines[-1])),)


@dataclass(frozen=True, slots=True)
class Bullet:
    """A list item: its text with continuation lines joined by blanks.

    `checked` is None for an item without a checkbox; `depth` counts the blanks the
    mark is indented by.
    """

    text: str
    section: str
    level: int
    depth: int
    mark: str
    checked: bool | None
    lines: Lines


def bullets_of(text: str) -> tuple[Bullet, ...]:
    """Return the items of all lists of a text, in file order."""
    fenced = fenced_lines(text)
    sections = split_sections(text)
    return tuple(item for part in sections for item in section_bullets(part, fenced))


def section_bullets(section: Section, fenced: frozenset[int]) -> Iterator[Bullet]:
    """Yield the items of one section; `fenced` are the lines of the file's fences."""
    found: re.Match[str] | None = None
    first, parts = 0, []
    for number, line in enumerate(split_lines(section.body), section.body_line):
        item = None if number in fenced else _MARKED.match(line)
        continues = found and not item and line[0] in " \t" and number not in fenced
        if continues and line.strip():
            parts.append(line.strip())
            continue
        if found:
            yield _bullet(found, parts, section, first)
        found, first = item, number
        parts = [item[3].strip()] if item else []
    if found:
        yield _bullet(found, parts, section, first)


def _bullet(
    found: re.Match[str], parts: list[str], section: Section, first: int
) -> Bullet:
    box = _TICKED.match(parts[0])
    text = " ".join(parts)
    return Bullet(
        text=text[box.end() :] if box else text,
        section=section.title,
        level=section.level,
        depth=len(found[1].expandtabs(4)),
        mark=found[2],
        checked=box[1] != " " if box else None,
        lines=Lines(first, first + len(parts) - 1),
    )


def split_reason(text: str) -> tuple[str, str]:
    """Split ``Decision -- rationale`` in two; the reason is empty without one.

    big-memory's skill writes two hyphens, its reference file a colon: the first
    dash wins, else the first colon with a blank.
    """
    decision, reason = split_at_dash(text)
    if reason:
        return decision, reason
    head, _, tail = text.partition(": ")
    head, tail = head.strip(), tail.strip()
    return (head, tail) if head and tail else (text.strip(), "")


def split_at_dash(text: str) -> tuple[str, str]:
    """Split a text at its first dash between words; the rest is empty without one."""
    for dash in _DASHES:
        head, found, tail = text.partition(dash)
        if found and head.strip() and tail.strip():
            return head.strip(), tail.strip()
    return text.strip(), ""


def unstamped(text: str) -> str:
    """Return the text of a line without the ``[2025-05-04 12:34:56] -`` before it."""
    found = STAMPED.fullmatch(text)
    return found[2] if found else text
