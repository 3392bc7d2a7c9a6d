"""Map lines of files to the row that contains them, or to the file's topic."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, NamedTuple

from django.db import connection
from django.db.models import Case, Q, When

from memoryhub.handoffs.models import Handoff
from memoryhub.journal.day_sources import Precision
from memoryhub.journal.grades import Grade
from memoryhub.journal.models import Agent, Source, SourceFile, Workspace
from memoryhub.journal.moments import moment_of
from memoryhub.journal.rows import table_of
from memoryhub.journal.untimed import UNDATED_LAST, times_on_disk
from memoryhub.search.parser import Query
from memoryhub.values.identity import code_of
from snapshots.models import LogEntry, OpenItem, SessionMemory, Snapshot
from snapshots.queries.open_items import superseded, work_by_code
from snapshots.rules.carried_over import Item
from topics.models import Decision, HistoryEntry, Topic
from topics.queries.decisions import DecisionFilter

_LONGEST_TITLE = 200


def decisions_with(workspace: Workspace, query: Query, number: int) -> list[Thing]:
    """Return the newest decisions with all words; none for a query with filters.

    The words can be parts of others, as in what is still being typed. One that no
    longer holds is found by its whole text alone, and comes first.
    """
    words = " ".join((*query.words, *query.phrases))
    if query.filters or query.without or not words:
        return []
    rows = DecisionFilter(workspace.pk, words).rows()
    holds = Q(state__in=Decision.STANDING, last_seq__isnull=True)
    whole = Q(pk=Decision.id_of(workspace.uuid.bytes, words))
    found = rows.filter(whole | holds)
    first = Case(When(whole, then=0), default=1)
    newest = found.order_by(first, UNDATED_LAST, "-occurred_at", "-id")
    return [
        Thing("decision", row_id, " ".join(text.split())[:_LONGEST_TITLE], "", 0, 0)
        for row_id, text in newest.values_list("id", "text")[:number]
    ]


_TITLE = 200


class Place(NamedTuple):
    """A line of a file."""

    file_id: int
    line: int


@dataclass(frozen=True, slots=True)
class Thing:
    """A row that contains lines of a file, with the values that results show."""

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
    #: State of a decision, or of an open item; "suggested" until somebody accepts it.
    state: str = ""

    @property
    def code(self) -> str:
        """The id in the form used in URLs."""
        return code_of(self.id)


#: Modification time on disk by file id.
ChangedAt = Mapping[int, datetime]


class _File(NamedTuple):
    """A file with its topic, as the columns of `_FILES`."""

    id: int
    workspace_id: int
    seq: int
    path: str
    lines: int
    recorded_at: int
    topic_id: int | None
    topic: str | None
    topic_slug: str | None


class _Span(NamedTuple):
    """A row's lines in a file, as the columns of `_SPANS`."""

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
    occurred_at: int
    blocked: bool
    precision: str
    state: str


def things_at(
    workspace: Workspace, places: Iterable[Place], *, timed: bool = True
) -> dict[Place, Thing]:
    """Return the smallest row that contains each place, else its topic or file.

    Repeats of an open item are the item, and one that a newer snapshot superseded is
    none. A row whose text states no time has none, a file that of its change on disk;
    unless `timed`, that of its reading, and repeats are not looked up.
    """
    wanted = set(places)
    lines = _lines_by_file(wanted)
    files = {row[0]: _File(*row) for row in _rows(_FILES, list(lines))}
    changed_at = _changed_at(files.values()) if timed else {}
    spans: dict[int, list[_Span]] = defaultdict(list)
    wanted_lines = [(file_id, found[0], found[-1]) for file_id, found in lines.items()]
    for span in map(_Span._make, _rows(_SPANS, wanted_lines)):
        if span.kind in _WHOLE_FILES or _holds(lines[span.file_id], span):
            spans[span.file_id].append(span)
    items = {s.id: s for some in spans.values() for s in some if s.kind == "item"}
    works = {
        row_id: work
        for row_id in (items if timed else ())
        if (work := work_by_code(workspace, code_of(row_id)))
    }
    if left := {n for n in items if items[n].state != "done"} - works.keys():
        past = superseded(workspace, among=left)
        for file_id, some in spans.items():
            spans[file_id] = [s for s in some if s.kind != "item" or s.id not in past]
    return {
        place: _as_work(_at(place.line, spans[file.id], file), works)
        or (
            Thing(
                "topic" if file.topic_id else "file",
                file.topic_id or file.id,
                file.topic or file.path,
                file.path,
                1,
                file.lines,
                topic=file.topic or "",
                topic_slug=file.topic_slug or "",
                occurred_at=changed_at.get(file.id) or moment_of(file.recorded_at),
            )
        )
        for place in wanted
        if (file := files.get(place.file_id))
    }


def _as_work(thing: Thing | None, works: Mapping[int, Item]) -> Thing | None:
    """Replace a repeated open item by the one it repeats; return others as is."""
    if thing is None or thing.kind != "item" or thing.id not in works:
        return thing
    work = works[thing.id]
    title = " ".join(work.text.split())[:_TITLE]
    state = thing.state if thing.state == Grade.SUGGESTED else work.state
    return replace(thing, id=work.id, title=title, state=state)


def _changed_at(files: Iterable[_File]) -> ChangedAt:
    """Return modification times on disk by file id."""
    versions: dict[int, dict[int, int]] = defaultdict(dict)
    for file in files:
        versions[file.workspace_id][file.seq] = file.id
    return {
        file_ids[seq]: at
        for workspace_id, file_ids in versions.items()
        for seq, at in times_on_disk(workspace_id, file_ids).items()
    }


def _at(line: int, spans: list[_Span], file: _File) -> Thing | None:
    """Return the smallest row around a line, else the only row of a whole file."""
    around = [span for span in spans if span.first_line <= line <= span.last_line]
    if not around:
        around = [span for span in spans if span.kind in _WHOLE_FILES]
        if len({span.id for span in around}) != 1:
            return None
    nearest = min(around, key=lambda s: s.last_line - s.first_line)
    names = (nearest.name, nearest.detail if nearest.detail != nearest.name else "")
    title = " · ".join(filter(None, names))
    is_dated = nearest.precision != Precision.NONE
    return Thing(
        nearest.kind,
        nearest.id,
        " ".join(title.split())[:_TITLE] or file.path,
        file.path,
        nearest.first_line,
        nearest.last_line,
        nearest.agent or "",
        nearest.topic or "",
        nearest.topic_slug or "",
        moment_of(nearest.occurred_at) if is_dated else None,
        bool(nearest.blocked),
        nearest.precision != Precision.DAY,
        nearest.state,
    )


#: Kinds whose rows contain every line of their file.
_WHOLE_FILES = frozenset({"handoff", "memory", "session"})


def _lines_by_file(places: Iterable[Place]) -> dict[int, list[int]]:
    lines: dict[int, list[int]] = defaultdict(list)
    for place in sorted(places):
        lines[place.file_id].append(place.line)
    return lines


#: Lines by file, in each select anew: of a common table SQLite makes a filter for which
#: it reads all spans, where a few are looked up.
_WANTED = (
    "(SELECT json_extract(value, '$[0]') AS id, json_extract(value, '$[1]') AS first,"
    " json_extract(value, '$[2]') AS last FROM json_each(%s)) AS wanted"
)


class _Select(NamedTuple):
    """SQL of a kind's spans: `s` is the span, `row` the table with its values."""

    kind: str
    rows: str
    name: str
    detail: str = "''"
    blocked: str = "0"
    row: str = "s"
    id: str = "s.id"
    agent: str = "s.agent_id"
    state: str = "''"
    whole: str = "0"
    only: str = "1"

    @property
    def sql(self) -> str:
        return (
            f"SELECT s.file_id, s.first_line, s.last_line, {self.kind}, {self.id},"
            f" {self.name}, {self.detail}, a.name, t.name, t.slug,"
            f" {self.row}.occurred_at, {self.blocked},"
            f" {self.row}.precision, {self.state}"
            f" FROM {_WANTED} CROSS JOIN {self.rows}"
            f" LEFT JOIN {table_of(Agent)} a ON a.id = {self.agent}"
            f" LEFT JOIN {table_of(Topic)} t ON t.id = {self.row}.topic_id"
            f" WHERE s.file_id = wanted.id AND s.last_seq IS NULL AND {self.only}"
            f" AND ({self.whole} OR s.first_line <= wanted.last"
            " AND s.last_line >= wanted.first)"
        )


def _graded(row: str, state: str) -> str:
    return f"iif({row}.grade = '{Grade.SUGGESTED}', {row}.grade, {state})"


_SELECTS = (
    _Select(
        "'snapshot'",
        f"{table_of(Snapshot)} s",
        "s.snapshot_id",
        "s.goal",
        "coalesce(s.blocked, 0)",
    ),
    _Select(
        "'memory'",
        f"{table_of(SessionMemory)} s",
        "s.memory_id",
        "s.objective",
        whole="1",
    ),
    _Select(
        "'handoff'",
        f"{table_of(Handoff)} s",
        "s.task_id",
        "s.context",
        f"s.state = '{Handoff.State.BLOCKED}'",
        whole="1",
    ),
    _Select(
        f"iif(s.kind = '{LogEntry.Kind.SESSION}', 'session', 'note')",
        f"{table_of(LogEntry)} s",
        "s.title",
        whole=f"s.kind = '{LogEntry.Kind.SESSION}'",
    ),
    _Select(
        "'decision'",
        f"{table_of(Source)} s JOIN {table_of(Decision)} d ON d.id = s.target_id"
        f" AND s.target_kind = '{Source.Target.DECISION}'",
        "d.text",
        row="d",
        id="d.id",
        agent="d.agent_id",
        state=_graded("d", "d.state"),
        only="d.grade <> 'dismissed'",
    ),
    _Select(
        "'item'",
        f"{table_of(OpenItem)} s",
        "s.text",
        state=_graded("s", "iif(s.done, 'done', 'open')"),
        only="(NOT s.done OR s.mark <> '') AND s.grade <> 'dismissed'",
    ),
    _Select(
        "'topic'",
        f"{table_of(HistoryEntry)} s",
        "t.name",
        id="s.topic_id",
        agent="NULL",
    ),
)
_FILES = (
    "SELECT f.id, f.workspace_id, f.seq, f.path, f.lines, f.recorded_at,"
    f" t.id, t.name, t.slug FROM {table_of(SourceFile)} f"
    f" LEFT JOIN {table_of(Topic)} t ON t.file_id = f.id AND t.last_seq IS NULL"
    " WHERE f.id IN (SELECT value FROM json_each(%s))"
)
#: Compiled once: building the SQL takes longer than running it.
_SPANS = " UNION ALL ".join(select.sql for select in _SELECTS)


def _rows(sql: str, wanted: Sequence[object]) -> list[tuple[Any, ...]]:
    """Return the rows of a query whose parameters are all the same, a list in JSON.

    Times are not parsed: most rows of a log are elsewhere than the hits.
    """
    with connection.cursor() as cursor:
        cursor.execute(sql, [json.dumps(wanted)] * sql.count("%s"))
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows


def _holds(lines: list[int], span: _Span) -> bool:
    """Return whether one of these sorted lines is in a span."""
    at = bisect_left(lines, span.first_line)
    return at < len(lines) and lines[at] <= span.last_line
