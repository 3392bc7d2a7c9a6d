"""Rollout summaries: Codex's summaries of threads, ``rollout_summaries/*.md``.

Lines ``key: value`` come first: the thread, when it was updated, its folder. The
Markdown below them is by a model: a title, and a section for each task.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import NamedTuple

from memoryhub.dialects.dialect import Dialect, always, gettext_noop
from memoryhub.dialects.facts import (
    Declared,
    Entry,
    Time,
    WorkNote,
    last_part,
    one_line,
    whole,
)
from memoryhub.dialects.plain import first_paragraph
from memoryhub.formats.base import Field, Lines
from memoryhub.formats.text.dates import parse_timestamp
from memoryhub.formats.text.source import Section, split_lines, split_sections
from memoryhub.prose.stated import find_stated

_FIELD = re.compile(r"\ufeff?([a-z_]{2,40}):[ \t]*([^\r\n]*)[\r\n]*")
_MOST = 12


def fields_at(lines: Sequence[str], first: int) -> tuple[Field, ...]:
    """Parse consecutive fields from line number `first` on."""
    fields: list[Field] = []
    for number, line in enumerate(lines[first - 1 : first - 1 + _MOST], first):
        found = _FIELD.fullmatch(line)
        if found is None:
            break
        fields.append(Field(found[1], found[2].strip(), Lines(number, number)))
    return tuple(fields)


NAME = "rollout_summary"

_FOLDER = "rollout_summaries"
#: The line of the thread comes first; older versions call it a session.
_FIRST = re.compile(r"\ufeff?(?:thread_id|session_id):[ \t]*\S")
#: When the thread began, in UTC, at the start of the file name.
_STARTED = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)(?![\d.])", re.ASCII)
_TASK = re.compile(r"Task(?:[ \t]+\d{1,4})?[ \t]*[:：][ \t]*(\S.*)")
_OUTCOME = re.compile(r"[ \t]*(?:[-*][ \t]+)?\**Outcome\**[:：]\**[ \t]*(\S[^\n]*)")


class Task(NamedTuple):
    """A task of a thread and its outcome in one word, empty if none is stated."""

    name: str
    outcome: str
    lines: Lines


@dataclass(frozen=True, slots=True)
class RolloutSummary(WorkNote):
    """A parsed summary; `folder` is where the thread worked.

    `lines` are those of the Markdown below the fields.
    """

    fields: tuple[Field, ...]
    thread_id: str
    updated_at: datetime.datetime | None
    folder: str
    title: str
    tasks: tuple[Task, ...]
    first_paragraph: str
    lines: Lines

    def facts(self, place: PurePosixPath) -> Iterator[Declared]:
        """Yield the folder in which the thread worked."""
        if self.folder:
            name, lines = last_part(self.folder), whole(self.text)
            yield Declared("folder", name, lines, self.folder)

    @property
    def outcome(self) -> str:
        """Return the tasks with their outcomes, else the first paragraph."""
        told = [f"{t.name}: {t.outcome}" for t in self.tasks if t.outcome]
        return "; ".join(told) or self.first_paragraph

    def entries_from(self, place: PurePosixPath, start: int = 0) -> Iterator[Entry]:
        """Yield the thread: its title, and its tasks with their outcomes."""
        title = self.title or self.first_paragraph or self.thread_id
        yield Entry(
            title,
            one_line(self.outcome),
            self.lines,
            self.entry_at(0, place).time,
            self.thread_id[:300],
            source=self.text.rstrip(),
            heading=title,
        )

    def entry_at(self, line: int, place: PurePosixPath) -> Entry:
        """Return when the thread began, else when it was updated."""
        at = started_of(place) or self.updated_at
        return Entry("", "", self.lines, Time(at), kind="")


def matches(path: PurePosixPath, text: str) -> bool:
    """Return whether the folder is that of summaries, or a thread's line comes first.

    Elsewhere the line for the update has to follow.
    """
    if not _FIRST.match(text):
        return False
    return _FOLDER in path.parts[:-1] or "\nupdated_at:" in text[:400]


def parse(text: str) -> RolloutSummary:
    """Return the summary of any text; it never fails."""
    fields, start = _fields(text)
    values = {field.key: field.value for field in reversed(fields)}
    sections = split_sections(text)
    body_line = len(fields) + 1
    return RolloutSummary(
        text=text,
        fields=fields,
        thread_id=values.get("thread_id") or values.get("session_id", ""),
        updated_at=parse_timestamp(values.get("updated_at", "")),
        folder=values.get("cwd", ""),
        title=next((s.title for s in sections if s.title), ""),
        tasks=tuple(_tasks(sections)),
        first_paragraph=first_paragraph(text[start:])[0],
        sections=sections,
        stated=find_stated(text, frozenset(range(1, body_line))),
        lines=_written(text, body_line),
    )


def started_of(path: PurePosixPath) -> datetime.datetime | None:
    """Return when the thread of a file began, by its name; None without a time."""
    found = _STARTED.match(path.name)
    if found is None:
        return None
    return parse_timestamp(f"{found[1]}T{found[2]}:{found[3]}:{found[4]}+00:00")


def _fields(text: str) -> tuple[tuple[Field, ...], int]:
    """Return the lines ``key: value`` at the start, and the offset behind them."""
    if not _FIRST.match(text):
        return (), 0
    lines = split_lines(text[:20_000])
    fields = fields_at(lines, 1)
    return fields, sum(map(len, lines[: len(fields)]))


def _written(text: str, first: int) -> Lines:
    """Return the range of lines from `first` on, without blank ones at both ends."""
    lines = split_lines(text.rstrip())
    while first < len(lines) and not lines[first - 1].strip():
        first += 1
    return Lines(min(first, max(1, len(lines))), max(1, len(lines)))


def _tasks(sections: tuple[Section, ...]) -> Iterator[Task]:
    for section in sections:
        found = _TASK.fullmatch(section.title)
        if section.level and found:
            outcome = _OUTCOME.match(section.body.lstrip("\r\n"))
            said = outcome[1].strip(" \t\r*.") if outcome else ""
            yield Task(found[1].strip(), said, section.lines)


DIALECT = Dialect(
    name=NAME,
    title=gettext_noop("Summaries of Codex threads"),
    kind=gettext_noop("rollout summary"),
    order=100,
    matches=matches,
    parse=parse,
    in_rows=always,
)
