"""Queries of pages on topics: their state, their list, and the rows of one topic."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from django.db import connection
from django.db.models import Count, OuterRef, Q, QuerySet, Subquery

from memoryhub.handoffs.models import Handoff
from memoryhub.journal.models import (
    Agent,
    Operation,
    Revision,
    Source,
    SyncRun,
    Workspace,
)
from memoryhub.journal.sql import moment_of, table_of
from memoryhub.values.identity import id_of
from snapshots.models import Snapshot
from topics.importers.topics import slug_of
from topics.models import Decision, HistoryEntry, SessionBinding, Topic
from topics.queries.quiet import quiet_for

#: More topics than this are not listed.
LIST_LIMIT = 1_000

#: First words of a status that name a state.
_DONE = re.compile(
    r"\W*(?:done|complete|completed|finished|shipped|closed|已?完成)(?![a-z])",
    re.IGNORECASE,
)
_BLOCKED = re.compile(r"\W*(?:blocked|on hold|阻塞)(?![a-z])", re.IGNORECASE)


def topic_state(topic: Topic, latest: Snapshot | None) -> str:
    """Return a topic's state: from the start of its status, else its newest snapshot.

    The snapshot decides if it is of a later day than the status.
    """
    if topic.last_seq is not None:
        return "stale"
    newer = latest and topic.updated_on and latest.occurred_at.date() > topic.updated_on
    if not newer:
        if _DONE.match(topic.status):
            return "done"
        if _BLOCKED.match(topic.status):
            return "blocked"
    if latest is not None:
        return _snapshot_state(latest)
    return "idle" if topic.kind != Topic.Kind.CONTEXT else "open"


def _snapshot_state(snapshot: Snapshot) -> str:
    if snapshot.blocked:
        return "blocked"
    return "done" if snapshot.percent == 100 else "progress"


def latest_snapshot(topic: Topic) -> Snapshot | None:
    """Return the newest snapshot of a topic, with the related rows of its panel."""
    rows = Snapshot.objects.filter(topic=topic, copy_of__isnull=True)
    return (
        rows.select_related("agent", "topic", "file").order_by("-occurred_at").first()
    )


def newest_snapshots(topics: QuerySet[Topic]) -> QuerySet[Snapshot]:
    """Return the newest snapshot of each topic: one index walk for each."""
    newest = Snapshot.objects.filter(topic=OuterRef("pk"), copy_of__isnull=True)
    ids = Subquery(newest.order_by("-occurred_at").values("pk")[:1])
    return Snapshot.objects.filter(pk__in=topics.order_by().values_list(ids))


def latest_snapshots(topics: Iterable[Topic]) -> dict[int, Snapshot]:
    """Return the newest snapshot of each of these topics that has one."""
    ids = [topic.pk for topic in topics]
    rows = newest_snapshots(Topic.objects.filter(pk__in=ids))
    return {row.topic_id: row for row in rows if row.topic_id is not None}


#: States in which work neither has ended nor waits.
_OPEN = {"progress", "open"}


@dataclass(frozen=True, slots=True)
class TopicRow:
    """A topic in the list of topics; `quiet` is how long it has been too silent."""

    topic: Topic
    state: str
    quiet: timedelta | None
    latest: Snapshot | None
    agents: tuple[str, ...]
    decisions: int
    history: int


def topic_rows(workspace: Workspace, *, text: str = "") -> list[TopicRow]:
    """Return the topics of a workspace as rows of the list."""
    found = Topic.objects.filter(workspace=workspace).select_related("file")
    if text:
        found = found.filter(Q(name__icontains=text) | Q(status__icontains=text))
    topics = list(found.order_by("name", "id")[:LIST_LIMIT])
    files = [topic.file_id for topic in topics]
    latest = latest_snapshots(topics)
    agents = _agents_of(workspace)
    decisions = _open_by_file(_decision_sources(files))
    history = _open_by_file(HistoryEntry.objects.filter(file__in=files))
    states = {topic.id: topic_state(topic, latest.get(topic.id)) for topic in topics}
    quiet = quiet_for(workspace, [t for t in topics if states[t.id] in _OPEN])
    return [
        TopicRow(
            topic,
            "quiet" if topic.id in quiet else states[topic.id],
            quiet.get(topic.id),
            latest.get(topic.id),
            tuple(agents.get(topic.id, ())),
            decisions.get(topic.file_id, 0),
            history.get(topic.file_id, 0),
        )
        for topic in topics
    ]


def _decision_sources(files: Sequence[int]) -> QuerySet[Source]:
    return Source.objects.filter(file__in=files, target_kind=Source.Target.DECISION)


def _open_by_file(rows: QuerySet[Source] | QuerySet[HistoryEntry]) -> dict[int, int]:
    grouped = (
        rows.filter(last_seq__isnull=True)
        .order_by()
        .values_list("file")
        .annotate(n=Count("pk"))
    )
    return dict(grouped)


def _agents_of(workspace: Workspace) -> dict[int, list[str]]:
    bound = SessionBinding.objects.filter(workspace=workspace, last_seq__isnull=True)
    told = Snapshot.objects.filter(workspace=workspace)
    pairs = (
        bound.filter(topic__isnull=False, agent__isnull=False)
        .values_list("topic", "agent__name")
        .union(
            told.filter(topic__isnull=False, agent__isnull=False).values_list(
                "topic", "agent__name"
            )
        )
    )
    found: dict[int, list[str]] = {}
    for topic_id, name in sorted(pairs, key=lambda pair: pair[1]):
        found.setdefault(topic_id, []).append(name)
    return found


def topics_named(workspace: Workspace, address: str) -> list[Topic]:
    """Return the topics of a URL's name: by slug, else by code.

    Else all whose names give this slug: shared by several, it belongs to none.
    """
    rows = Topic.objects.filter(workspace=workspace)
    return _named(rows.select_related("file"), address)


def topic_ids_named(workspace: Workspace, address: str) -> tuple[int, ...]:
    """Return the ids of the topics of a URL's name, for the filter of any list."""
    rows = Topic.objects.filter(workspace=workspace).only("id")
    return tuple(topic.id for topic in _named(rows, address))


def _named(topics: QuerySet[Topic], address: str) -> list[Topic]:
    if found := list(topics.filter(slug=address)):
        return found
    with suppress(ValueError):
        if found := list(topics.filter(pk=id_of(address))):
            return found
    named = topics.values_list("id", "name").order_by("name", "id")
    ids = [row_id for row_id, name in named if slug_of(name) == address]
    return list(topics.filter(pk__in=ids).order_by("name", "id"))


@dataclass(frozen=True, slots=True)
class StatusRead:
    """Time at which the hub recorded a status, and the import or actor."""

    recorded_at: datetime
    run_number: int | None
    actor: str


@dataclass(frozen=True, slots=True)
class TopicFacts:
    """Data for the head of a topic's page besides the topic."""

    agents: tuple[str, ...]
    snapshots: int
    decisions: int
    stated: int
    history: int
    handoffs: int
    sessions: int
    staged: int
    oldest_decision: str
    oldest_history: str
    status_read: StatusRead | None


def topic_facts(topic: Topic) -> TopicFacts:
    """Return the data for the head of a topic's page, in one query."""
    with connection.cursor() as cursor:
        cursor.execute(_facts_sql(), _facts_values(topic))
        found: tuple[Any, ...] = cursor.fetchone()
    agents, at, run, actor = found[:4]
    snapshots, decisions, stated, history, handoffs, sessions, staged = found[4:11]
    return TopicFacts(
        agents=tuple(sorted(json.loads(agents or "[]"))[:20]),
        snapshots=snapshots,
        decisions=decisions,
        stated=stated,
        history=history,
        handoffs=handoffs,
        sessions=sessions,
        staged=staged,
        oldest_decision=found[11] or "",
        oldest_history=found[12] or "",
        status_read=StatusRead(moment_of(at), run, actor) if at else None,
    )


def _facts_values(topic: Topic) -> dict[str, int | str]:
    return {
        "topic": topic.id,
        "file": topic.file_id,
        "workspace": topic.workspace_id,
        "slug": topic.workspace.slug,
        "name": topic.name,
        "seq": topic.status_seq,
        "path": topic.file.path,
        "decision": Source.Target.DECISION.value,
        "staged": Operation.State.STAGED.value,
    }


@cache
def _facts_sql() -> str:
    """Return the statement: one column for each fact, each by an index."""
    models = (
        Agent, Decision, Handoff, HistoryEntry, Operation, Revision, SessionBinding,
        Snapshot, Source, SyncRun,
    )  # fmt: skip
    table = {model.__name__: table_of(model) for model in models}
    read = (
        "FROM {Revision} AS r LEFT JOIN {SyncRun} AS n ON n.id = r.run_id"
        " WHERE r.workspace_id = %(workspace)s AND r.seq = %(seq)s"
    )
    said = (
        "{Source} AS s WHERE s.file_id = %(file)s AND s.last_seq IS NULL"
        " AND s.target_kind = %(decision)s"
    )
    lines = "{HistoryEntry} WHERE file_id = %(file)s AND last_seq IS NULL"
    agents = (
        "{Agent} WHERE id IN (SELECT agent_id FROM {Snapshot}"
        " WHERE topic_id = %(topic)s UNION SELECT agent_id FROM {bound})"
    )
    bound = "{SessionBinding} WHERE topic_id = %(topic)s AND last_seq IS NULL"
    staged = (
        "{Operation} WHERE workspace_id = %(workspace)s AND target = %(path)s"
        " AND state = %(staged)s AND state IN ('staged', 'pending')"
    )
    handoffs = (
        "{Handoff} WHERE topic_id = %(topic)s"
        " OR origin = %(slug)s AND topic_name = %(name)s"
    )
    oldest = f"SELECT s.target_id FROM {said} ORDER BY s.position LIMIT 1"
    parts = (
        f"SELECT json_group_array(name) FROM {agents.replace('{bound}', bound)}",
        f"SELECT r.recorded_at {read}",
        f"SELECT n.number {read}",
        f"SELECT r.actor {read}",
        "SELECT COUNT(*) FROM {Snapshot} WHERE topic_id = %(topic)s",
        "SELECT COUNT(*) FROM {Decision} WHERE topic_id = %(topic)s",
        f"SELECT COUNT(*) FROM {said}",
        f"SELECT COUNT(*) FROM {lines}",
        f"SELECT COUNT(*) FROM {handoffs}",
        f"SELECT COUNT(*) FROM {bound}",
        f"SELECT COUNT(*) FROM {staged}",
        f"SELECT text FROM {{Decision}} WHERE id = ({oldest})",
        f"SELECT text FROM {lines} ORDER BY position LIMIT 1",
    )
    columns = ", ".join(f"({part.format(**table)})" for part in parts)
    return f"SELECT {columns}"


def decisions_of(topic: Topic) -> QuerySet[Decision]:
    """Return the decisions of a topic, newest first."""
    rows = Decision.objects.filter(topic=topic)
    rows = rows.select_related("topic", "agent", "supersedes")
    return rows.order_by("-occurred_at", "-first_seq", "id")


def snapshots_of(topic: Topic) -> QuerySet[Snapshot]:
    """Return the snapshots of a topic, newest first."""
    rows = Snapshot.objects.filter(topic=topic).select_related("agent", "file")
    return rows.order_by("-occurred_at", "-first_seq", "id")


def handoffs_of(topic: Topic) -> QuerySet[Handoff]:
    """Return the handoffs of a topic, newest first, also those sent elsewhere."""
    sent = Q(origin=topic.workspace.slug, topic_name=topic.name)
    rows = Handoff.objects.filter(Q(topic=topic) | sent).select_related("file")
    return rows.order_by("-occurred_at", "-first_seq", "id")


def sessions_of(topic: Topic) -> QuerySet[SessionBinding]:
    """Return the sessions bound to a topic, the current ones first."""
    rows = SessionBinding.objects.filter(topic=topic).select_related("agent")
    return rows.order_by("last_seq", "session_key", "id")
