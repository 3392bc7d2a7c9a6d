"""The thing lines belong to: decision, snapshot, handoff, entry, topic or file."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from django.db import connection

from memoryhub.handoffs.models import Handoff
from memoryhub.journal.models import Agent, Source, SourceFile
from memoryhub.journal.precision import Precision
from memoryhub.journal.sql import moment_of, table_of
from memoryhub.values.identity import code_of
from snapshots.models import LogEntry, SessionMemory, Snapshot
from topics.models import Decision, HistoryEntry, Topic

_TITLE = 200


class Place(NamedTuple):
    """A line of a file."""

    file_id: int
    line: int


@dataclass(frozen=True, slots=True)
class Thing:
    """A row that lines of a file belong to, with its values for pages."""

    kind: str
    id: int
    title: str
    path: str
    first_line: int
    last_line: int
    agent: str = ""
    topic: str = ""
    topic_slug: str = ""
    occurred_at: datetime | None = None
    blocked: bool = False
    is_timed: bool = True

    @property
    def code(self) -> str:
        """The id in the form used in URLs."""
        return code_of(self.id)


class _Span(NamedTuple):
    """A row's lines in a file, as the columns of `_TOLD`."""

    file_id: int
    first_line: int
    last_line: int
    kind: str
    id: int
    name: str
    detail: str
    agent: str | None
    topic: str | None
    topic_slug: str | None
    occurred_at: str | datetime
    blocked: bool
    is_timed: bool


class _File(NamedTuple):
    """A file and its topic, as the columns of `_FILES`."""

    id: int
    path: str
    lines: int
    recorded_at: str | datetime
    topic_id: int | None
    topic: str
    topic_slug: str


def things_at(places: Iterable[Place]) -> dict[Place, Thing]:
    """Return the smallest thing at each line; the file where there is none."""
    wanted = set(places)
    lines = _lines_by_file(wanted)
    files = {file.id: file for file in map(_File._make, _rows(_FILES, lines))}
    spans: dict[int, list[_Span]] = defaultdict(list)
    for span in map(_Span._make, _rows(_TOLD, lines)):
        if span.kind in _WHOLE_FILES or _holds(lines[span.file_id], span):
            spans[span.file_id].append(span)
    return {
        place: _thing(place, spans[place.file_id], files[place.file_id])
        for place in wanted
        if place.file_id in files
    }


def _thing(place: Place, spans: list[_Span], file: _File) -> Thing:
    around = [span for span in spans if span.first_line <= place.line <= span.last_line]
    if not around:
        around = _alone(spans)
    if around:
        return _told(min(around, key=lambda s: s.last_line - s.first_line), file)
    return Thing(
        "topic" if file.topic_id else "file",
        file.topic_id or file.id,
        file.topic if file.topic_id else file.path,
        file.path,
        1,
        file.lines,
        topic=file.topic,
        topic_slug=file.topic_slug,
        occurred_at=moment_of(file.recorded_at),
    )


def _told(span: _Span, file: _File) -> Thing:
    said = (span.name, span.detail if span.detail != span.name else "")
    title = " · ".join(part for part in said if part)
    return Thing(
        span.kind,
        span.id,
        " ".join(title.split())[:_TITLE] or file.path,
        file.path,
        span.first_line,
        span.last_line,
        span.agent or "",
        span.topic or "",
        span.topic_slug or "",
        moment_of(span.occurred_at),
        bool(span.blocked),
        bool(span.is_timed),
    )


#: Kinds that have files of their own, of which every line belongs to them.
_WHOLE_FILES = frozenset({"handoff", "memory", "session"})


def _alone(spans: list[_Span]) -> list[_Span]:
    """Return the spans of the single thing a whole file is about; else none."""
    whole = [span for span in spans if span.kind in _WHOLE_FILES]
    return whole if len({span.id for span in whole}) == 1 else []


def _lines_by_file(places: Iterable[Place]) -> dict[int, list[int]]:
    lines: dict[int, list[int]] = defaultdict(list)
    for place in sorted(places):
        lines[place.file_id].append(place.line)
    return lines


class _Telling(NamedTuple):
    """Source of a kind's spans, in SQL: `s` is the span, `said` has the facts."""

    kind: str
    rows: str
    name: str
    detail: str = "''"
    blocked: str = "0"
    said: str = "s"
    id: str = "s.id"
    agent: str = "s.agent_id"
    whole: str = "0"

    @property
    def statement(self) -> str:
        return (
            f"SELECT s.file_id, s.first_line, s.last_line, {self.kind}, {self.id},"
            f" {self.name}, {self.detail}, a.name, t.name, t.slug,"
            f" {self.said}.occurred_at, {self.blocked},"
            f" {self.said}.precision <> '{Precision.DAY.value}'"
            f" FROM wanted CROSS JOIN {self.rows}"
            f" LEFT JOIN {table_of(Agent)} a ON a.id = {self.agent}"
            f" LEFT JOIN {table_of(Topic)} t ON t.id = {self.said}.topic_id"
            " WHERE s.file_id = wanted.id AND s.last_seq IS NULL"
            f" AND ({self.whole} OR s.first_line <= wanted.last"
            " AND s.last_line >= wanted.first)"
        )


_TELLING = (
    _Telling(
        "'snapshot'",
        f"{table_of(Snapshot)} s",
        "s.snapshot_id",
        "s.goal",
        "coalesce(s.blocked, 0)",
    ),
    _Telling(
        "'memory'",
        f"{table_of(SessionMemory)} s",
        "s.memory_id",
        "s.objective",
        whole="1",
    ),
    _Telling(
        "'handoff'",
        f"{table_of(Handoff)} s",
        "s.task_id",
        "s.context",
        f"s.state = '{Handoff.State.BLOCKED}'",
        whole="1",
    ),
    _Telling(
        f"iif(s.kind = '{LogEntry.Kind.SESSION}', 'session', 'note')",
        f"{table_of(LogEntry)} s",
        "s.title",
        whole=f"s.kind = '{LogEntry.Kind.SESSION}'",
    ),
    _Telling(
        "'decision'",
        f"{table_of(Source)} s JOIN {table_of(Decision)} d ON d.id = s.target_id"
        f" AND s.target_kind = '{Source.Target.DECISION}'",
        "d.text",
        said="d",
        id="d.id",
        agent="d.agent_id",
    ),
    _Telling(
        "'topic'",
        f"{table_of(HistoryEntry)} s",
        "t.name",
        id="s.topic_id",
        agent="NULL",
    ),
)
#: Put together once: to do so for each search takes longer than to run them.
_WANTED = (
    "WITH wanted(id, first, last) AS (SELECT json_extract(value, '$[0]'),"
    " json_extract(value, '$[1]'), json_extract(value, '$[2]') FROM json_each(%s)) "
)
_TOLD = _WANTED + " UNION ALL ".join(telling.statement for telling in _TELLING)
_FILES = (
    f"{_WANTED}SELECT f.id, f.path, f.lines, f.recorded_at,"
    " t.id, coalesce(t.name, ''), coalesce(t.slug, '')"
    f" FROM wanted CROSS JOIN {table_of(SourceFile)} f ON f.id = wanted.id"
    f" LEFT JOIN {table_of(Topic)} t ON t.file_id = f.id AND t.last_seq IS NULL"
)


def _rows(statement: str, lines: dict[int, list[int]]) -> list[tuple[Any, ...]]:
    """Return a statement's rows for files, from the first line to the last.

    Times are not parsed: most rows of a log are elsewhere than the hits.
    """
    wanted = [(file_id, found[0], found[-1]) for file_id, found in lines.items()]
    with connection.cursor() as cursor:
        cursor.execute(statement, [json.dumps(wanted)])
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows


def _holds(lines: list[int], span: _Span) -> bool:
    """Return whether one of these sorted lines is in a span."""
    at = bisect_left(lines, span.first_line)
    return at < len(lines) and lines[at] <= span.last_line
