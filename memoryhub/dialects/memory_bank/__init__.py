"""Cline's and Roo's memory bank: seven files with fixed names and free headings."""

from __future__ import annotations

import datetime
import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from memoryhub.dialects import facts
from memoryhub.dialects.decision_log import Decision, find_decisions, stated_in
from memoryhub.dialects.dialect import Dialect, gettext_noop
from memoryhub.dialects.facts import (
    Entry,
    Facts,
    Time,
    open_without_stamps,
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

NAME = "memory_bank"

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


@dataclass(frozen=True, slots=True)
class MemoryBankFile(Facts):
    """A parsed file of a bank.

    `status` is the first paragraph of the current focus. `history` lists completed
    work, each item prefixed with its day if it has one; `decisions` is for the log
    only.
    """

    text: str
    role: str
    sections: tuple[Section, ...]
    items: tuple[BankItem, ...]
    status: str
    status_lines: Lines | None
    history: tuple[Item, ...]
    decisions: tuple[Decision, ...]

    def facts(self, place: PurePosixPath) -> Iterator[facts.Fact]:
        """Yield the topic that the bank's folder is: its status, or its history."""
        folder, name = str(place.parent), place.parent.parent.name or None
        lines = self.status_lines or NOWHERE
        match self.role:
            case "activeContext":
                yield facts.Topic("bank", name, None, self.status, lines, folder)
            case "progress":
                yield facts.Topic("bank", name, None, "", NOWHERE, folder)
                for item in self.history:
                    yield facts.History(*item)
            case _:
                yield facts.PartOf(folder)
        brief = _BRIEF.match(self.text) if self.role == "projectbrief" else None
        if brief:
            yield facts.Declared("project", brief[1].strip(), facts.whole(self.text))
        yield from stated_in(self.text, self.decisions, place)

    def entry_at(self, line: int, place: PurePosixPath) -> Entry:
        """Return the stamp of a line."""
        found = bisect_left(self.items, line, key=lambda item: item.lines.first)
        item = next(iter(self.items[found : found + 1]), None)
        at = item.at if item and item.lines.first == line else None
        return Entry("", "", Lines(line, line), Time(at), kind="")

    def statements(self, place: PurePosixPath) -> Stated:
        """Return what it states, without stamps; of a decision log only open items."""
        if self.role == "decisionLog":
            return open_without_stamps(self.text)
        found = find_stated(self.text)
        return found._replace(open_items=without_stamps(found.open_items))


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


def parse(text: str, path: PurePosixPath = NO_PATH) -> MemoryBankFile:
    """Return a file of a bank, its role by path, else by title; never fails."""
    sections = split_sections(text)
    title = next((s.title for s in sections if s.level == 1), "")
    role = role_of(path) or _BY_NAME.get("".join(title.casefold().split()), "")
    items = tuple(sorted(_items(text), key=lambda item: item.lines))
    status, lines = _status(sections)
    return MemoryBankFile(
        text=text,
        role=role,
        sections=sections,
        items=items,
        status=status,
        status_lines=lines,
        history=tuple(_history(items)),
        decisions=find_decisions(text) if role == "decisionLog" else (),
    )


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


def _history(items: tuple[BankItem, ...]) -> Iterator[Item]:
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
    said, lines = first_paragraph(section.body)
    if lines is None:
        return "", None
    shift = section.body_line - 1
    return said, Lines(lines.first + shift, lines.last + shift)


#: Ranks of files among long-term memory, by their role.
_RANKS = {"activeContext": 1, "progress": 2}
DIALECT = Dialect(
    name=NAME,
    title=gettext_noop("Memory banks"),
    kind=gettext_noop("memory bank"),
    order=40,
    matches=matches,
    parse=parse,
    at_path=True,
    in_place=lambda path: bool(role_of(path)),
    lives_long=True,
    read_whole=True,
    recall_rank=lambda path: _RANKS.get(role_of(path), 4),
)
