"""Rollout summaries: Codex's summaries of threads, ``rollout_summaries/*.md``.

Lines ``key: value`` come first: the thread, when it was updated, its folder. The
Markdown below them is by a model: a title, and a section for each task.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Sequence
from itertools import takewhile
from pathlib import PurePosixPath

from memoryhub.dialects.dialect import Dialect, always, gettext_noop
from memoryhub.dialects.facts import (
    Declared,
    Document,
    Entry,
    Time,
    last_part,
    one_line,
    whole,
)
from memoryhub.dialects.plain import first_heading, first_paragraph
from memoryhub.formats.base import NO_PATH, Lines
from memoryhub.formats.text.dates import parse_timestamp
from memoryhub.formats.text.source import Section, split_lines, split_sections
from memoryhub.prose.stated import find_stated

_FIELD = re.compile(r"\ufeff?([a-z_]{2,40}):[ \t]*([^\r\n]*)[\r\n]*")
_MOST = 12


def fields_at(lines: Sequence[str]) -> tuple[dict[str, str], int]:
    """Parse the fields that lines begin with; return how many lines they are, too."""
    found = [_FIELD.fullmatch(line) for line in lines[:_MOST]]
    fields = [*takewhile(bool, found)]
    return {one[1]: one[2].strip() for one in reversed(fields) if one}, len(fields)


_FOLDER = "rollout_summaries"
#: The line of the thread comes first; older versions call it a session.
_FIRST = re.compile(r"\ufeff?(?:thread_id|session_id):[ \t]*\S")
#: When the thread began, in UTC, at the start of the file name.
_STARTED = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)(?![\d.])", re.ASCII)
_TASK = re.compile(r"Task(?:[ \t]+\d{1,4})?[ \t]*[:：][ \t]*(\S.*)")
_OUTCOME = re.compile(r"[ \t]*(?:[-*][ \t]+)?\**Outcome\**[:：]\**[ \t]*(\S[^\n]*)")


def matches(path: PurePosixPath, text: str) -> bool:
    """Return whether the folder is that of summaries, or a thread's line comes first.

    Elsewhere the line for the update has to follow.
    """
    if not _FIRST.match(text):
        return False
    return _FOLDER in path.parts[:-1] or "\nupdated_at:" in text[:400]


def parse(text: str, path: PurePosixPath = NO_PATH) -> Document:
    """Return a thread: its tasks with their outcomes, its folder; it never fails."""
    lines = split_lines(text[:20_000]) if _FIRST.match(text) else []
    values, count = fields_at(lines)
    start = sum(map(len, lines[:count]))
    sections, body_line = split_sections(text), count + 1
    first, title = first_paragraph(text[start:])[0], first_heading(sections)
    thread = values.get("thread_id") or values.get("session_id", "")
    time = Time(started_of(path) or parse_timestamp(values.get("updated_at", "")))
    at, folder = _written(text, body_line), values.get("cwd", "")
    named, said = title or first or thread, "; ".join(_tasks(sections)) or first
    part = Entry(named, one_line(said), at, time, thread[:300], heading=named)
    return Document(
        text,
        title,
        told=(Declared("folder", last_part(folder), whole(text), folder),)
        if folder
        else (),
        stated=find_stated(text, frozenset(range(1, body_line))),
        parts=(part._replace(source=text.rstrip()),),
        time=time,
        names_people=True,
    )


def started_of(path: PurePosixPath) -> datetime.datetime | None:
    """Return when the thread of a file began, by its name; None without a time."""
    found = _STARTED.match(path.name)
    if found is None:
        return None
    return parse_timestamp(f"{found[1]}T{found[2]}:{found[3]}:{found[4]}+00:00")


def _written(text: str, first: int) -> Lines:
    """Return the range of lines from `first` on, without blank ones at both ends."""
    lines = split_lines(text.rstrip())
    while first < len(lines) and not lines[first - 1].strip():
        first += 1
    return Lines(min(first, max(1, len(lines))), max(1, len(lines)))


def _tasks(sections: tuple[Section, ...]) -> Iterator[str]:
    """Yield the tasks of a thread, each with its outcome in one word, if stated."""
    for section in sections:
        found = _TASK.fullmatch(section.title)
        outcome = _OUTCOME.match(section.body.lstrip("\r\n")) if found else None
        said = outcome[1].strip(" \t\r*.") if outcome else ""
        if section.level and found and said:
            yield f"{found[1].strip()}: {said}"


DIALECT = Dialect(
    title=gettext_noop("Summaries of Codex threads"),
    kind=gettext_noop("rollout summary"),
    order=100,
    in_rows=always,
)
