"""List items in the free text of a section: bullets, numbers, checkboxes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from memoryhub.formats.base import Lines

_ITEM = re.compile(r"([ \t]*)(?:[-*+•]|[0-9]{1,9}[.)])(?:[ \t]+|$)")
_CHECKBOX = re.compile(r"\[([^\]\n]{1,2})\][ \t]+")
_NONE_MARKS = " \t\r\n.*_`()[]-"


class Item(NamedTuple):
    """A list item and its lines; the lines that continue it are joined by blanks."""

    text: str
    lines: Lines


def list_items(body: str, first_line: int) -> tuple[Item, ...]:
    """Return the outer items of a body; deeper ones and other lines continue them.

    A line that neither starts an item nor is indented ends the item above it, as a
    blank line does not: lists of agents are often loose.
    """
    return tuple(_items(body, first_line))


def _items(body: str, first_line: int) -> Iterator[Item]:
    parts: list[str] = []
    indent = first = last = 0
    for number, line in enumerate(body.split("\n"), first_line):
        found = _ITEM.match(line)
        if found and (not parts or len(found[1]) <= indent):
            if parts:
                yield Item(" ".join(parts).strip(), Lines(first, last))
            parts, indent = [line[found.end() :].strip()], len(found[1])
            first = last = number
        elif parts and line[:1] in (" ", "\t") and line.strip():
            parts.append(line.strip())
            last = number
        elif parts and line.strip():
            yield Item(" ".join(parts).strip(), Lines(first, last))
            parts = []
    if parts:
        yield Item(" ".join(parts).strip(), Lines(first, last))


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
