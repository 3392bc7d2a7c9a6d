"""Raw memories: Codex's notes of each thread, merged in ``raw_memories.md``.

A thread that names its rollout summary is told there. Only older files, whose threads
name none, give sessions and statements.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import NamedTuple

from memoryhub.dialects.dialect import Dialect, always, gettext_noop
from memoryhub.dialects.facts import Declared, Entry, Time, WorkNote, last_part
from memoryhub.dialects.rollout_summary import fields_at
from memoryhub.formats.base import Field, Lines
from memoryhub.formats.text.dates import parse_timestamp
from memoryhub.formats.text.source import Section, split_lines, split_sections
from memoryhub.prose.stated import find_stated

NAME = "raw_memories"

_FILE = "raw_memories.md"
_THREAD = re.compile(r"(?:Thread[ \t]+)?`?([0-9A-Za-z][\w-]{0,79})`?")
_TITLE = re.compile(
    r"\n(?:#{2,6}[ \t]+Task[ \t]*\d{0,3}[:：]|description:)[ \t]*(\S[^\n]*)"
)
_OUTCOME = re.compile(r"\ntask_outcome:[ \t]*(\S[^\n]{0,60})")


class Thread(NamedTuple):
    """A thread: its id, its fields, and the folder that it worked in."""

    thread_id: str
    fields: tuple[Field, ...]
    folder: str
    summary_file: str
    lines: Lines


@dataclass(frozen=True, slots=True)
class RawMemories(WorkNote):
    """A parsed file of raw memories, with its threads in file order."""

    threads: tuple[Thread, ...]

    def facts(self, place: PurePosixPath) -> Iterator[Declared]:
        """Yield the folders in which the threads worked."""
        for one in self.threads:
            if one.folder:
                yield Declared("folder", last_part(one.folder), one.lines, one.folder)


def matches(path: PurePosixPath, text: str) -> bool:
    """Return whether this is Codex's file, by name and title."""
    return path.name == _FILE and text.lstrip("\ufeff").startswith("# Raw Memories")


def parse(text: str) -> RawMemories:
    """Return the threads of any text; it never fails."""
    sections, lines = split_sections(text), split_lines(text)
    threads = tuple(_threads(sections, lines))
    untold = [thread for thread in threads if not thread.summary_file]
    read = {line for t in untold for line in range(t.lines.first, t.lines.last + 1)}
    others = frozenset(range(1, len(lines) + 1)) - read
    return RawMemories(
        text=text,
        sections=sections,
        stated=find_stated(text, others),
        threads=threads,
        parts=tuple(_part(thread, lines) for thread in untold),
    )


def _threads(sections: Sequence[Section], lines: Sequence[str]) -> Iterator[Thread]:
    starts = [(s.first_line, found) for s in sections if (found := _heading(s))]
    ends = [*(first - 1 for first, _ in starts[1:]), len(lines)]
    for (first, thread_id), last in zip(starts, ends, strict=False):
        while last > first and not lines[last - 1].strip():
            last -= 1
        fields = fields_at(lines, first + 1)
        values = {field.key: field.value for field in reversed(fields)}
        yield Thread(
            thread_id,
            fields,
            values.get("cwd", ""),
            values.get("rollout_summary_file", ""),
            Lines(first, last),
        )


def _heading(section: Section) -> str:
    """Return the thread of a heading; a model's own headings have no fields below."""
    found = _THREAD.fullmatch(section.title) if section.level == 2 else None
    is_thread = found and section.body.startswith(("updated_at:", "cwd:"))
    return found[1] if found and is_thread else ""


def _part(thread: Thread, lines: Sequence[str]) -> Entry:
    source = "\n" + "".join(lines[thread.lines.first : thread.lines.last])
    title = _TITLE.search(source)
    outcome = _OUTCOME.search(source)
    values = {field.key: field.value for field in reversed(thread.fields)}
    folder = PurePosixPath(thread.folder.replace("\\", "/")).name
    told = (folder, outcome[1].strip() if outcome else "")
    return Entry(
        title[1].strip(' \t\r"') if title else thread.thread_id,
        ": ".join(filter(None, told)),
        thread.lines,
        Time(parse_timestamp(values.get("updated_at", ""))),
        thread.thread_id,
    )


DIALECT = Dialect(
    name=NAME,
    title=gettext_noop("Raw memories of Codex"),
    kind=gettext_noop("raw memories"),
    order=110,
    matches=matches,
    parse=parse,
    in_rows=always,
)
