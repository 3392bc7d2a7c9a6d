"""What found lines belong to: the decision, snapshot, handoff, entry, topic or file."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple

from django.db import connection
from django.db.models import F, Q

from memoryhub.handoffs.models import Handoff
from memoryhub.identity import code_of
from memoryhub.workspaces.models import Agent, Source, SourceFile
from snapshots.models import LogEntry, SessionMemory, Snapshot, Told
from topics.models import Decision, HistoryEntry, Topic

_TITLE = 200


class Place(NamedTuple):
    """A line of a file."""

    file_id: int
    line: int


@dataclass(frozen=True, slots=True)
class Thing:
    """A row that lines of a file tell of, with what pages say of it."""

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

    @property
    def code(self) -> str:
        """The id as it stands in URLs."""
        return code_of(self.id)


class _Span(NamedTuple):
    file_id: int
    first_line: int
    last_line: int
    kind: str
    id: int
    title: str
    agent: str | None
    topic_id: int | None
    occurred_at: datetime | None
    blocked: bool


def things_at(places: Iterable[Place]) -> dict[Place, Thing]:
    """Return the smallest thing at each line; the file where there is none."""
    wanted = set(places)
    files = SourceFile.objects.filter(id__in={place.file_id for place in wanted})
    known = {file.id: file for file in files}
    spans = _spans_of(list(known), _lines_by_file(wanted))
    named = {span.topic_id for found in spans.values() for span in found}
    topics = _topics(named - {None}, list(known))
    of_file = {
        topic.file_id: topic.id for topic in topics.values() if topic.last_seq is None
    }
    return {
        place: _thing(
            place, spans[place.file_id], known[place.file_id], topics, of_file
        )
        for place in wanted
        if place.file_id in known
    }


def _thing(
    place: Place,
    spans: list[_Span],
    file: SourceFile,
    topics: dict[int, Topic],
    of_file: dict[int, int],
) -> Thing:
    around = [span for span in spans if span.first_line <= place.line <= span.last_line]
    if not around:
        around = _alone(spans)
    if around:
        span = min(around, key=lambda s: s.last_line - s.first_line)
        topic = topics.get(span.topic_id or 0)
        return Thing(
            span.kind,
            span.id,
            " ".join(span.title.split())[:_TITLE] or file.path,
            file.path,
            span.first_line,
            span.last_line,
            span.agent or "",
            topic.name if topic else "",
            topic.slug if topic else "",
            span.occurred_at,
            span.blocked,
        )
    topic = topics.get(of_file.get(file.id, 0))
    if topic:
        return _topic_thing(topic, file)
    return Thing(
        "file",
        file.id,
        file.path,
        file.path,
        1,
        file.lines,
        occurred_at=file.recorded_at,
    )


#: Kinds that have files of their own, of which every line belongs to them.
_WHOLE_FILES = frozenset({"handoff", "memory", "session"})


def _alone(spans: list[_Span]) -> list[_Span]:
    """Return the one thing that a whole file is about, if it is about one."""
    whole = [span for span in spans if span.kind in _WHOLE_FILES]
    return whole if len({span.id for span in whole}) == 1 else []


def _topic_thing(topic: Topic, file: SourceFile) -> Thing:
    return Thing(
        "topic",
        topic.id,
        topic.name,
        file.path,
        1,
        file.lines,
        topic=topic.name,
        topic_slug=topic.slug,
        occurred_at=file.recorded_at,
    )


def _topics(ids: set[int | None], file_ids: list[int]) -> dict[int, Topic]:
    """Return topics by their ids, and those that files are of."""
    of_files = Q(file__in=file_ids, last_seq__isnull=True)
    return {topic.id: topic for topic in Topic.objects.filter(of_files | Q(id__in=ids))}


def _lines_by_file(places: Iterable[Place]) -> dict[int, list[int]]:
    lines: dict[int, list[int]] = defaultdict(list)
    for place in sorted(places):
        lines[place.file_id].append(place.line)
    return lines


def _spans_of(
    file_ids: list[int], lines: dict[int, list[int]]
) -> dict[int, list[_Span]]:
    """Return what is around lines of files, or what a whole file is."""
    found: dict[int, list[_Span]] = defaultdict(list)
    for span in _spans(file_ids, lines):
        found[span.file_id].append(span)
    return found


def _spans(file_ids: list[int], lines: dict[int, list[int]]) -> Iterator[_Span]:
    yield from _told(file_ids, lines)
    yield from _decisions(file_ids, lines)
    yield from _history(file_ids)


#: What each kind of row says: its kind, its name, what it is about, if it is blocked.
_TELLING: tuple[tuple[type[Told], str, str, str, str], ...] = (
    (Snapshot, "'snapshot'", "snapshot_id", "goal", "coalesce(blocked, 0)"),
    (SessionMemory, "'memory'", "memory_id", "objective", "0"),
    (Handoff, "'handoff'", "task_id", "context", f"state = '{Handoff.State.BLOCKED}'"),
    (LogEntry, "kind", "title", "title", "0"),
)
#: One statement, put together once: doing that for each search would take long.
_TOLD = " UNION ALL ".join(
    "SELECT file_id, first_line, last_line, t.id, a.name, topic_id, occurred_at,"
    f" {kind}, {name}, {detail}, {blocked} FROM {model._meta.db_table} t"
    f" LEFT JOIN {Agent._meta.db_table} a ON a.id = t.agent_id"
    " WHERE last_seq IS NULL AND file_id IN (SELECT value FROM json_each(%s))"
    for model, kind, name, detail, blocked in _TELLING
)
_ENTRY_KINDS = {"entry": "note", "dream": "note"}


def _told(file_ids: list[int], lines: dict[int, list[int]]) -> Iterator[_Span]:
    """Give what files tell now, by an agent, of a topic, at a time, in one query.

    Most rows of a log are elsewhere than what was found: their times are not read.
    """
    with connection.cursor() as cursor:
        cursor.execute(_TOLD, [json.dumps(file_ids)] * len(_TELLING))
        rows = cursor.fetchall()
    for row in rows:
        file_id, start, end, row_id, agent, topic, at, kind, name, detail, blocked = row
        if kind not in _WHOLE_FILES and not _holds(lines[file_id], start, end):
            continue
        said = (name, detail if detail != name else "")
        yield _Span(
            file_id,
            start,
            end,
            _ENTRY_KINDS.get(kind, kind),
            row_id,
            " · ".join(part for part in said if part),
            agent,
            topic,
            _moment(at),
            bool(blocked),
        )


def _holds(lines: list[int], first: int, last: int) -> bool:
    at = bisect_left(lines, first)
    return at < len(lines) and lines[at] <= last


def _moment(at: str | datetime) -> datetime:
    moment = datetime.fromisoformat(at) if isinstance(at, str) else at
    return moment.replace(tzinfo=UTC)


def _decisions(file_ids: list[int], lines: dict[int, list[int]]) -> Iterator[_Span]:
    rows = Source.objects.filter(
        file__in=file_ids,
        last_seq__isnull=True,
        target_kind=Source.Target.DECISION,
    ).values_list("file_id", "first_line", "last_line", "target_id")
    found = [row for row in rows if _holds(lines[row[0]], row[1], row[2])]
    decisions = Decision.objects.select_related("agent").in_bulk(
        {target for *_, target in found}
    )
    for file_id, first, last, target in found:
        if decision := decisions.get(target):
            agent: Agent | None = decision.agent
            yield _Span(
                file_id,
                first,
                last,
                "decision",
                target,
                decision.text,
                agent.name if agent else "",
                decision.topic_id,
                decision.occurred_at,
                blocked=False,
            )


def _history(file_ids: list[int]) -> Iterator[_Span]:
    """Give the lines of topics' histories: they belong to the topic."""
    rows = HistoryEntry.objects.filter(
        file__in=file_ids, last_seq__isnull=True
    ).annotate(name=F("topic__name"))
    for file_id, first, last, topic, name, at in rows.values_list(
        "file_id", "first_line", "last_line", "topic_id", "name", "occurred_at"
    ):
        yield _Span(
            file_id, first, last, "topic", topic, name or "", "", topic, at, False
        )
