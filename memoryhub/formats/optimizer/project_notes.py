"""context-memory-optimizer's ``memories/project.md``: fingerprint and restore order."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from memoryhub.formats.base import Field, Lines
from memoryhub.formats.text.dates import parse_date
from memoryhub.formats.text.list_items import Bullet, bullets_of
from memoryhub.formats.text.source import Section, split_sections

NAME = "project_notes"

_FINGERPRINT = "project fingerprint"
_RESTORE = "l3 restore priority"
#: The template's comment above the list, which Markdown reads as a heading.
_COMMENT = "stop at "
_DAY = re.compile(r"\(@([0-9]{4}-[0-9]{2}-[0-9]{2})\)")


@dataclass(frozen=True, slots=True)
class Restore:
    """A file to read again after a compaction, with its place in the order."""

    order: int
    path: str
    remark: str
    lines: Lines


@dataclass(frozen=True, slots=True)
class ProjectNotes:
    """A parsed project file, including its free sections."""

    text: str
    sections: tuple[Section, ...]
    fingerprint: tuple[Field, ...]
    taken_on: datetime.date | None
    restore: tuple[Restore, ...]

    def render(self) -> str:
        return self.text


def matches(path: PurePosixPath, text: str) -> bool:
    """Return whether this is ``memories/project.md`` by path or by its own headings."""
    if path.name.casefold() != "project.md":
        return False
    low = text.casefold()
    return path.parts[-2:-1] == ("memories",) or _FINGERPRINT in low or _RESTORE in low


def parse(text: str) -> ProjectNotes:
    """Return the fingerprint and the restore order of any text; it never fails."""
    sections = split_sections(text)
    bullets = bullets_of(text)
    titles = (s.title for s in sections if _is(s.title, _FINGERPRINT))
    found = _DAY.search(next(titles, ""))
    return ProjectNotes(
        text=text,
        sections=sections,
        fingerprint=tuple(_fields(bullets)),
        taken_on=parse_date(found[1]) if found else None,
        restore=tuple(_restore(bullets)),
    )


def _is(title: str, *names: str) -> bool:
    return title.casefold().startswith(names)


def _fields(bullets: tuple[Bullet, ...]) -> Iterator[Field]:
    for bullet in bullets:
        key, colon, value = bullet.text.partition(":")
        if colon and _is(bullet.section, _FINGERPRINT):
            clean = value.strip().removeprefix("**").strip()
            yield Field(key.strip(" *"), clean, bullet.lines)


def _restore(bullets: tuple[Bullet, ...]) -> Iterator[Restore]:
    """Read ``N. path   ← remark``; the remark may be missing."""
    for bullet in bullets:
        order = bullet.mark.rstrip(".)")
        if order.isdecimal() and _is(bullet.section, _RESTORE, _COMMENT):
            path, _, remark = bullet.text.partition("←")
            clean = path.strip(" \t`")
            yield Restore(int(order), clean, remark.strip(), bullet.lines)
