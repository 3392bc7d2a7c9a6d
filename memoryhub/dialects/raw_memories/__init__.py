"""Raw memories: Codex's notes of each thread, merged in ``raw_memories.md``.

A thread that names its rollout summary is told there. Only older files, whose threads
name none, give sessions and statements.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from memoryhub.dialects.dialect import Dialect, always, gettext_noop
from memoryhub.dialects.facts import Declared, Document, Entry, dated, last_part
from memoryhub.dialects.rollout_summary import fields_at
from memoryhub.formats.base import NO_PATH, Lines
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


#: A thread: its id, its fields, its lines.
_Thread = tuple[str, dict[str, str], Lines]


def matches(path: PurePosixPath, text: str) -> bool:
    """Return whether this is Codex's file, by name and title."""
    return path.name == _FILE and text.lstrip("\ufeff").startswith("# Raw Memories")


def parse(text: str, path: PurePosixPath = NO_PATH) -> Document:
    """Return the threads of any text with their folders; it never fails."""
    lines = split_lines(text)
    threads = [*_threads(split_sections(text), lines)]
    untold = [one for one in threads if not one[1].get("rollout_summary_file")]
    read = {line for *_, at in untold for line in range(at.first, at.last + 1)}
    folders = ((fields.get("cwd", ""), at) for _, fields, at in threads)
    return Document(
        text,
        told=tuple(Declared("folder", last_part(f), at, f) for f, at in folders if f),
        stated=find_stated(text, frozenset(range(1, len(lines) + 1)) - read),
        parts=tuple(_part(thread, lines, path) for thread in untold),
        time=dated(None, path),
        names_people=True,
    )


def _threads(sections: Sequence[Section], lines: Sequence[str]) -> Iterator[_Thread]:
    starts = [(s.first_line, found) for s in sections if (found := _heading(s))]
    ends = [*(first - 1 for first, _ in starts[1:]), len(lines)]
    for (first, thread_id), last in zip(starts, ends, strict=False):
        while last > first and not lines[last - 1].strip():
            last -= 1
        yield thread_id, fields_at(lines[first:last])[0], Lines(first, last)


def _heading(section: Section) -> str:
    """Return the thread of a heading; a model's own headings have no fields below."""
    found = _THREAD.fullmatch(section.title) if section.level == 2 else None
    is_thread = found and section.body.startswith(("updated_at:", "cwd:"))
    return found[1] if found and is_thread else ""


def _part(thread: _Thread, lines: Sequence[str], path: PurePosixPath) -> Entry:
    thread_id, fields, at = thread
    source = "\n" + "".join(lines[at.first : at.last])
    title, outcome = _TITLE.search(source), _OUTCOME.search(source)
    named = title[1].strip(' \t\r"') if title else thread_id
    folder = PurePosixPath(fields.get("cwd", "").replace("\\", "/")).name
    told = filter(None, (folder, outcome[1].strip() if outcome else ""))
    time = dated(parse_timestamp(fields.get("updated_at", "")), path)
    return Entry(named, ": ".join(told), at, time, thread_id)


DIALECT = Dialect(
    title=gettext_noop("Raw memories of Codex"),
    kind=gettext_noop("raw memories"),
    order=110,
    in_rows=always,
)
