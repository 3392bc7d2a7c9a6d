"""What pages say of topics: their state, their list, and what belongs to one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db import connection
from django.db.models import Count, Q, QuerySet

from memoryhub.handoffs.models import Handoff
from memoryhub.identity import id_of
from memoryhub.workspaces.models import Agent, Revision, Source, Workspace
from snapshots.models import Snapshot
from topics.models import Decision, HistoryEntry, SessionBinding, Topic

#: More topics than this are not listed.
LIST_LIMIT = 1_000
_TAB_LIMIT = 200

#: Words that a status begins with when it says how things stand.
_DONE = re.compile(
    r"\W*(?:done|complete|completed|finished|shipped|closed|已?完成)(?![a-z])",
    re.IGNORECASE,
)
_BLOCKED = re.compile(r"\W*(?:blocked|on hold|阻塞)(?![a-z])", re.IGNORECASE)


def topic_state(topic: Topic, latest: Snapshot | None) -> str:
    """Return a topic's state: what its status begins with, else its newest snapshot.

    The snapshot decides if it was taken on a later day than the status was written.
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


def latest_snapshots(topic_ids: Sequence[int]) -> dict[int, Snapshot]:
    """Return the newest snapshot of each topic that has one: one walk of an index."""
    if not topic_ids:
        return {}
    table = connection.ops.quote_name(Snapshot._meta.db_table)
    topics = connection.ops.quote_name(Topic._meta.db_table)
    marks = ", ".join(["%s"] * len(topic_ids))
    rows = Snapshot.objects.raw(
        f"SELECT * FROM {table} WHERE id IN (SELECT (SELECT s.id FROM {table} AS s"
        " WHERE s.topic_id = t.id AND s.copy_of_id IS NULL"
        " ORDER BY s.occurred_at DESC LIMIT 1)"
        f" FROM {topics} AS t WHERE t.id IN ({marks}))",
        topic_ids,
    )
    return {row.topic_id: row for row in rows if row.topic_id is not None}


@dataclass(frozen=True, slots=True)
class TopicRow:
    """A topic in the list of topics."""

    topic: Topic
    address: str
    state: str
    latest: Snapshot | None
    agents: tuple[str, ...]
    decisions: int
    history: int


def topic_rows(workspace: Workspace, *, text: str = "") -> list[TopicRow]:
    """Return the topics of a workspace with what the list says of each."""
    found = Topic.objects.filter(workspace=workspace).select_related("file")
    if text:
        found = found.filter(Q(name__icontains=text) | Q(status__icontains=text))
    topics = list(found.order_by("name", "id")[:LIST_LIMIT])
    files = [topic.file_id for topic in topics]
    latest = latest_snapshots([topic.id for topic in topics])
    agents = _agents_of(workspace)
    decisions = _open_by_file(_decision_sources(files))
    history = _open_by_file(HistoryEntry.objects.filter(file__in=files))
    shared = _shared_slugs(topics)
    return [
        TopicRow(
            topic,
            topic.code if topic.slug in shared else topic.slug,
            topic_state(topic, latest.get(topic.id)),
            latest.get(topic.id),
            tuple(agents.get(topic.id, ())),
            decisions.get(topic.file_id, 0),
            history.get(topic.file_id, 0),
        )
        for topic in topics
    ]


def _shared_slugs(topics: Iterable[Topic]) -> set[str]:
    counts = Counter(topic.slug for topic in topics)
    return {slug for slug, number in counts.items() if number > 1}


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
    """Return the topics that an address can mean: by slug, else the one by its code."""
    topics = Topic.objects.filter(workspace=workspace).select_related("file")
    found = list(topics.filter(slug=address).order_by("name", "id"))
    if found:
        return found
    try:
        return list(topics.filter(pk=id_of(address)))
    except ValueError:
        return []


@dataclass(frozen=True, slots=True)
class TopicFacts:
    """What the head of a topic's page says besides the topic."""

    agents: tuple[str, ...]
    snapshots: int
    decisions: int
    stated: int
    history: int
    handoffs: int
    sessions: int
    status_read: Revision | None


def topic_facts(topic: Topic) -> TopicFacts:
    """Return what the head of a topic's page says."""
    told = Snapshot.objects.filter(topic=topic)
    bound = SessionBinding.objects.filter(topic=topic, last_seq__isnull=True)
    agents = Agent.objects.filter(
        Q(pk__in=told.values("agent")) | Q(pk__in=bound.values("agent"))
    )
    return TopicFacts(
        agents=tuple(agents.order_by("name").values_list("name", flat=True)[:20]),
        snapshots=told.count(),
        decisions=Decision.objects.filter(topic=topic).count(),
        stated=_decision_sources([topic.file_id]).filter(last_seq__isnull=True).count(),
        history=HistoryEntry.objects.filter(
            file=topic.file_id, last_seq__isnull=True
        ).count(),
        handoffs=Handoff.objects.filter(topic=topic).count(),
        sessions=bound.count(),
        status_read=Revision.objects.filter(
            workspace=topic.workspace_id, seq=topic.status_seq
        )
        .select_related("run")
        .first(),
    )


def oldest_decision(topic: Topic) -> str:
    """Return the decision that stands first in a topic's file."""
    first = (
        _decision_sources([topic.file_id])
        .filter(last_seq__isnull=True)
        .order_by("position")
        .values("target_id")[:1]
    )
    found = Decision.objects.filter(pk__in=first).first()
    return found.text if found else ""


def oldest_history(topic: Topic) -> str:
    """Return the line that stands first in the history of a topic's file."""
    rows = HistoryEntry.objects.filter(file=topic.file_id, last_seq__isnull=True)
    return rows.order_by("position").values_list("text", flat=True).first() or ""


@dataclass(frozen=True, slots=True)
class DecisionRow:
    """A decision with the place in the topic's own file, if it stands there."""

    decision: Decision
    path: str
    line: int


def decisions_of(topic: Topic) -> list[DecisionRow]:
    """Return the decisions of a topic, newest first, each with where it is said."""
    decisions = list(
        Decision.objects.filter(topic=topic)
        .select_related("agent")
        .order_by("-occurred_at", "-first_seq", "id")[:_TAB_LIMIT]
    )
    sources = Source.objects.filter(
        target_kind=Source.Target.DECISION,
        target_id__in=[decision.id for decision in decisions],
    ).select_related("file")
    places: dict[int, Source] = {}
    for source in sources:
        kept = places.get(source.target_id)
        if kept is None or _rank(source, topic) > _rank(kept, topic):
            places[source.target_id] = source
    return [
        DecisionRow(
            decision,
            places[decision.id].file.path if decision.id in places else "",
            places[decision.id].first_line if decision.id in places else 0,
        )
        for decision in decisions
    ]


def _rank(source: Source, topic: Topic) -> tuple[bool, bool, int]:
    own = source.file_id == topic.file_id
    return source.last_seq is None, own, source.first_seq


def snapshots_of(topic: Topic) -> list[Snapshot]:
    """Return the snapshots of a topic, newest first."""
    rows = Snapshot.objects.filter(topic=topic).select_related("agent", "file")
    return list(rows.order_by("-occurred_at", "-first_seq")[:_TAB_LIMIT])


def handoffs_of(topic: Topic) -> list[Handoff]:
    """Return the handoffs of a topic, newest first."""
    rows = Handoff.objects.filter(topic=topic).select_related("file")
    return list(rows.order_by("-occurred_at", "-first_seq")[:_TAB_LIMIT])


def sessions_of(topic: Topic) -> list[SessionBinding]:
    """Return the sessions bound to a topic; those that were, after those that are."""
    rows = SessionBinding.objects.filter(topic=topic).select_related("agent")
    return list(rows.order_by("last_seq", "session_key")[:_TAB_LIMIT])
