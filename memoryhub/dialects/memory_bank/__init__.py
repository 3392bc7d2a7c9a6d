"""Cline's and Roo's memory bank: seven files with fixed names and free headings."""

from __future__ import annotations

import datetime
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import PurePosixPath

from memoryhub.dialects.decision_log import find_decisions, stated_in
from memoryhub.dialects.dialect import Dialect, gettext_noop
from memoryhub.dialects.facts import (
    Declared,
    Document,
    Entry,
    Fact,
    History,
    PartOf,
    Time,
    Topic,
    open_without_stamps,
    whole,
    without_stamps,
)
from memoryhub.dialects.plain import first_paragraph
from memoryhub.formats.base import NO_PATH, NOWHERE, Lines
from memoryhub.formats.text.dates import parse_timestamp
from memoryhub.formats.text.list_items import STAMPED, Item, bullets_of
from memoryhub.formats.text.source import (
    Section,
    fenced_lines,
    split_lines,
    split_sections,
)
from memoryhub.prose.labels import kind_of_label, normalise, says_nothing
from memoryhub.prose.stated import Stated, find_stated

ROLES = (
    "activeContext",
    "progress",
    "decisionLog",
    "productContext",
    "systemPatterns",
    "techContext",
    "projectbrief",
)
_FOLDERS = frozenset({"memory-bank", "memory_bank", "memorybank"})
_BY_NAME = {role.casefold(): role for role in ROLES}
_FOCUS = frozenset(
    {
        *("current focus", "current work focus", "current goals", "current task"),
        *("current work", "current status", "current state", "active focus", "focus"),
        *("current session", "当前焦点", "当前重点", "当前工作重点", "当前状态"),
    }
)
_BRIEF = re.compile(
    r"#[ \t]+(?:project[ \t]+)?brief[ \t]*[:—–-][ \t]*(\S[^\n]*)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class BankItem:
    """A bullet or a stamped line; `at` is its ``[2025-05-04 12:34:56]``."""

    text: str
    at: datetime.datetime | None
    checked: bool | None
    section: str
    lines: Lines


def matches(path: PurePosixPath, text: str) -> bool:
    """Return whether a path is a bank's file; ``progress.md`` in a bank only."""
    return bool(role_of(path))


def role_of(path: PurePosixPath) -> str:
    """Return the role of a path among the seven files; empty for all others."""
    if path.suffix.casefold() != ".md":
        return ""
    in_bank = not _FOLDERS.isdisjoint(part.casefold() for part in path.parts[:-1])
    if in_bank:
        stem = path.stem.casefold().replace("-", "").replace("_", "")
        return _BY_NAME.get(stem, "")
    return path.stem if path.stem in ROLES and path.stem != "progress" else ""


class Bank(Document):
    """A file of a bank: its parts are lines, of which there may be thousands."""

    __slots__ = ()

    def entry_at(self, line: int) -> Entry:
        """Return the stamp of a line."""
        at = bisect_left(self.parts, line, key=lambda part: part.lines.first)
        found = self.parts[at : at + 1]
        is_part = found and found[0].lines.first == line
        return found[0] if is_part else Entry("", "", NOWHERE, self.time)


def parse(text: str, path: PurePosixPath = NO_PATH) -> Bank:
    """Return a file of a bank, its role by path, else by title; never fails."""
    sections = split_sections(text)
    title = next((s.title for s in sections if s.level == 1), "")
    role = role_of(path) or _BY_NAME.get("".join(title.casefold().split()), "")
    items = sorted(_items(text), key=lambda item: item.lines)
    stated = open_without_stamps if role == "decisionLog" else _stated
    return Bank(
        text,
        told=(*_told(text, path, role, items),),
        stated=partial(stated, text),
        parts=tuple(
            Entry("", "", item.lines._replace(last=item.lines.first), at, kind="")
            for item in items
            if (at := Time(item.at)).at
        ),
    )


def _told(
    text: str, path: PurePosixPath, role: str, items: Sequence[BankItem]
) -> Iterator[Fact]:
    """Yield the topic that the bank's folder is: its status, or its history."""
    folder, name = str(path.parent), path.parent.parent.name or None
    match role:
        case "activeContext":
            status, lines = _status(split_sections(text))
            yield Topic("bank", name, None, status, lines or NOWHERE, folder)
        case "progress":
            yield Topic("bank", name, None, "", NOWHERE, folder)
            for item in _history(items):
                yield History(*item)
        case _:
            yield PartOf(folder)
    brief = _BRIEF.match(text) if role == "projectbrief" else None
    if brief:
        yield Declared("project", brief[1].strip(), whole(text))
    if role == "decisionLog":
        yield from stated_in(text, find_decisions(text), path)


def _stated(text: str) -> Stated:
    """Return the statements of a file; open items lose their stamps."""
    found = find_stated(text)
    return found._replace(open_items=without_stamps(found.open_items))


def _items(text: str) -> Iterator[BankItem]:
    bullets = bullets_of(text)
    for bullet in bullets:
        if not says_nothing(bullet.text):
            found = STAMPED.fullmatch(bullet.text)
            words = found[2] if found else bullet.text
            at = parse_timestamp(found[1]) if found else None
            yield BankItem(words, at, bullet.checked, bullet.section, bullet.lines)
    if "\n[" not in text and text[:1] != "[":
        return
    fenced = fenced_lines(text)
    for section in split_sections(text):
        for number, line in enumerate(split_lines(section.body), section.body_line):
            found = STAMPED.fullmatch(line.strip()) if line[0] == "[" else None
            if found and number not in fenced:
                at = parse_timestamp(found[1])
                place = Lines(number, number)
                yield BankItem(found[2], at, None, section.title, place)


def _history(items: Iterable[BankItem]) -> Iterator[Item]:
    """Yield completed work: stamped lines, checked items, lists not labelled open."""
    for item in items:
        is_open = item.checked is False or kind_of_label(item.section) == "open"
        if item.at:
            yield Item(f"{item.at.date().isoformat()}: {item.text}", item.lines)
        elif item.checked or not is_open:
            yield Item(item.text, item.lines)


def _status(sections: tuple[Section, ...]) -> tuple[str, Lines | None]:
    focus = (s for s in sections if normalise(s.title) in _FOCUS and s.body.strip())
    section = next(focus, None)
    if section is None:
        return first_paragraph(sections[0].text) if sections else ("", None)
    return first_paragraph(section.body, section.body_line)


#: Ranks of files among long-term memory, by their role.
_RANKS = {"activeContext": 1, "progress": 2}
DIALECT = Dialect(
    title=gettext_noop("Memory banks"),
    kind=gettext_noop("memory bank"),
    order=40,
    in_place=lambda path: bool(role_of(path)),
    lives_long=True,
    read_whole=True,
    recall_rank=lambda path: _RANKS.get(role_of(path), 4),
)
