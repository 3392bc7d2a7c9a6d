"""List items of a text without a grammar of its own, with section and lines.

Items in code fences are not items. An indented line without a mark continues the
item above it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memoryhub.formats.base import Lines
from memoryhub.formats.text.source import (
    Section,
    fenced_lines,
    split_lines,
    split_sections,
)

_ITEM = re.compile(r"([ \t]*)([-*+•]|[0-9]{1,9}[.)])[ \t]+([^\n]*)")
_CHECKBOX = re.compile(r"\[([ xX])\][ \t]+")


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
        item = None if number in fenced else _ITEM.match(line)
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
    box = _CHECKBOX.match(parts[0])
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
