"""Queries of pages on topics: their state, their list, and the rows of one topic."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from django.db import connection
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery

from memoryhub.dialects.topic_context import CONTEXT_CREATED
from memoryhub.events.models import NO_TIME, Event
from memoryhub.events.rules.agent_states import active_at, quiet_after, usual_gap
from memoryhub.handoffs import models as handoffs
from memoryhub.handoffs.models import Handoff
from memoryhub.journal.models import Agent, Revision, Source, Workspace
from memoryhub.journal.moments import as_stored, moment_of
from memoryhub.journal.page_cache import cached
from memoryhub.journal.rows import table_of
from memoryhub.journal.untimed import times_on_disk
from memoryhub.values.identity import id_of
from snapshots.models import NEWEST_FIRST, Snapshot
from topics.importers.topics import slug_of
from topics.models import Decision, HistoryEntry, SessionBinding, Topic

#: More topics than this are not listed.
LIST_LIMIT = 1_000
#: Limit of agents that a topic's page names.
_AGENTS = 20

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
    at = latest.stated_at if latest else None
    newer = at and topic.updated_on and at.date() > topic.updated_on
    if not newer:
        if _DONE.match(topic.status):
            return "done"
        if _BLOCKED.match(topic.status):
            return "blocked"
    if latest is None:
        return "idle" if topic.kind != Topic.Kind.CONTEXT else "open"
    if latest.blocked:
        return "blocked"
    return "done" if latest.percent == 100 else "progress"


def latest_snapshot(topic: Topic) -> Snapshot | None:
    """Return the newest snapshot of a topic, with the related rows of its panel."""
    rows = Snapshot.objects.filter(topic=topic, copy_of__isnull=True)
    return rows.select_related("agent", "topic", "file").order_by(*NEWEST_FIRST).first()


def newest_snapshots(topics: QuerySet[Topic]) -> QuerySet[Snapshot]:
    """Return the newest snapshot of each topic: one index walk for each."""
    newest = Snapshot.objects.filter(topic=OuterRef("pk"), copy_of__isnull=True)
    ids = Subquery(newest.order_by(*NEWEST_FIRST).values("pk")[:1])
    return Snapshot.objects.filter(pk__in=topics.order_by().values_list(ids))


def latest_snapshots(topics: Iterable[Topic]) -> dict[int, Snapshot]:
    """Return the newest snapshot of each of these topics, with the panel's rows."""
    ids = [topic.pk for topic in topics]
    rows = newest_snapshots(Topic.objects.filter(pk__in=ids))
    rows = rows.select_related("agent", "topic", "file")
    return {row.topic_id: row for row in rows if row.topic_id is not None}


#: States in which work neither has ended nor waits.
_OPEN = {"progress", "open"}


class Quiet(NamedTuple):
    """The silence of an open topic, its usual gap, and the longest usual silence."""

    silence: timedelta
    gap: timedelta | None
    limit: timedelta


class Standing(NamedTuple):
    """A topic's state on every page, and its silence if that is what makes it quiet."""

    state: str
    latest: Snapshot | None
    quiet: Quiet | None


def standings(workspace: Workspace, topics: Collection[Topic]) -> dict[int, Standing]:
    """Return the state of each of these topics: "quiet" if it is open and silent."""
    latest = latest_snapshots(topics)
    states = {topic.pk: topic_state(topic, latest.get(topic.pk)) for topic in topics}
    quiet = _quiet(workspace, [pk for pk, state in states.items() if state in _OPEN])
    return {
        pk: Standing("quiet" if pk in quiet else state, latest.get(pk), quiet.get(pk))
        for pk, state in states.items()
    }


def quiet_topics(workspace: Workspace) -> list[tuple[Topic, Quiet]]:
    """Return the topics that are quiet, the longest first; cached."""

    def found() -> list[tuple[Topic, Quiet]]:
        topics = Topic.objects.filter(workspace=workspace).order_by("name", "id")
        rows = list(topics[:LIST_LIMIT])
        states = standings(workspace, rows)
        quiet = ((topic, states[topic.pk].quiet) for topic in rows)
        silent = [(topic, silence) for topic, silence in quiet if silence]
        return sorted(silent, key=lambda one: (-one[1].silence, one[0].slug))

    return cached(workspace, "quiet topics", found)


@dataclass(frozen=True, slots=True)
class TopicRow:
    """A topic in the list of topics."""

    topic: Topic
    standing: Standing
    agents: tuple[str, ...]
    decisions: int
    history: int
    #: The day of its file's last change on disk, in the workspace's zone.
    changed_on: date | None = None

    @property
    def updated_on(self) -> date | None:
        """The day that its file states, else of the file's last change on disk."""
        return self.topic.updated_on or self.changed_on


def topic_rows(workspace: Workspace, *, text: str = "") -> list[TopicRow]:
    """Return the topics of a workspace as rows of the list."""
    found = Topic.objects.filter(workspace=workspace).select_related("file")
    if text:
        found = found.filter(Q(name__icontains=text) | Q(status__icontains=text))
    topics = list(found.order_by("name", "id")[:LIST_LIMIT])
    files = [topic.file_id for topic in topics]
    agents = _agents_of(workspace)
    decisions = _counted(Decision.objects.filter(topic__in=topics), "topic")
    entries = HistoryEntry.objects.filter(file__in=files, last_seq__isnull=True)
    history = _counted(entries, "file")
    changed_at = times_on_disk(workspace, {topic.file.seq for topic in topics})
    zone = ZoneInfo(workspace.time_zone)
    stand = standings(workspace, topics)
    return [
        TopicRow(
            topic,
            stand[topic.id],
            tuple(agents.get(topic.id, ())),
            decisions.get(topic.id, 0),
            history.get(topic.file_id, 0),
            changed_at[topic.file.seq].astimezone(zone).date()
            if topic.file.seq in changed_at
            else None,
        )
        for topic in topics
    ]


def _counted(rows: QuerySet[Any], by: str) -> dict[int, int]:
    return dict(rows.order_by().values_list(by).annotate(n=Count("pk")))


def _agents_of(workspace: Workspace) -> dict[int, list[str]]:
    bound = SessionBinding.objects.filter(workspace=workspace, last_seq__isnull=True)
    snapshots = Snapshot.objects.filter(workspace=workspace)
    pairs = (
        bound.filter(topic__isnull=False, agent__isnull=False)
        .values_list("topic", "agent__name")
        .union(
            snapshots.filter(topic__isnull=False, agent__isnull=False).values_list(
                "topic", "agent__name"
            )
        )
    )
    found: dict[int, list[str]] = {}
    for topic_id, name in sorted(pairs, key=lambda pair: pair[1]):
        found.setdefault(topic_id, []).append(name)
    return found


def topics_named(workspace: Workspace, address: str) -> list[Topic]:
    """Return the topics of a URL's name: by slug, else by code, else by name.

    Else all whose names give this slug: shared by several, it belongs to none.
    """
    rows = Topic.objects.filter(workspace=workspace)
    return _named(rows.select_related("file"), address)


def topic_ids_named(workspace: Workspace, address: str) -> tuple[int, ...]:
    """Return the ids of the topics of a URL's name, for the filter of any list.

    Also those of a name, which agents know from the answers of tools.
    """
    rows = Topic.objects.filter(workspace=workspace).only("id")
    return tuple(topic.id for topic in _named(rows, address))


def _named(topics: QuerySet[Topic], address: str) -> list[Topic]:
    if found := list(topics.filter(slug=address)):
        return found
    with suppress(ValueError):
        if found := list(topics.filter(pk=id_of(address))):
            return found
    if found := list(topics.filter(name=address)):
        return found
    named = topics.values_list("id", "name").order_by("name", "id")
    ids = [row_id for row_id, name in named if slug_of(name) == address]
    return list(topics.filter(pk__in=ids).order_by("name", "id"))


@dataclass(frozen=True, slots=True)
class TopicFacts:
    """Data for the head of a topic's page besides the topic.

    `stated` and `history` are the lines of the file's lists, the oldest of which the
    next entries drop; `bound` are the sessions that are bound to it now; `status_read`
    is the version that brought its status.
    """

    agents: tuple[str, ...]
    snapshots: int
    decisions: int
    stated: int
    history: int
    handoffs: int
    sessions: int
    bound: int
    oldest_decision: str
    oldest_history: str
    status_read: Revision | None


def topic_facts(topic: Topic) -> TopicFacts:
    """Return the data for the head of a topic's page."""
    sessions = sessions_of(topic)
    stated = Source.objects.filter(
        file=topic.file_id,
        target_kind=Source.Target.DECISION,
        last_seq__isnull=True,
    )
    history = HistoryEntry.objects.filter(file=topic.file_id, last_seq__isnull=True)
    first = stated.order_by("position").values("target_id")[:1]
    oldest = Decision.objects.filter(pk=Subquery(first)).first()
    last = history.order_by("position").first()
    read = Revision.objects.filter(workspace=topic.workspace_id, seq=topic.status_seq)
    return TopicFacts(
        agents=agents_of(topic),
        snapshots=Snapshot.objects.filter(topic=topic).count(),
        decisions=Decision.objects.filter(topic=topic).count(),
        stated=stated.count(),
        history=history.count(),
        handoffs=handoffs_of(topic).count(),
        sessions=sessions.count(),
        bound=sessions.filter(last_seq__isnull=True).count(),
        oldest_decision=oldest.text if oldest else "",
        oldest_history=last.text if last else "",
        status_read=read.select_related("run").first(),
    )


def agents_of(topic: Topic) -> tuple[str, ...]:
    """Return the names of the agents that work on a topic."""
    snapshots = Snapshot.objects.filter(topic=topic)
    bound = SessionBinding.objects.filter(topic=topic, last_seq__isnull=True)
    agents = Agent.objects.filter(
        Q(pk__in=snapshots.values("agent")) | Q(pk__in=bound.values("agent"))
    )
    return tuple(agents.order_by("name").values_list("name", flat=True)[:_AGENTS])


def snapshots_of(topic: Topic) -> QuerySet[Snapshot]:
    """Return the snapshots of a topic, newest first."""
    rows = Snapshot.objects.filter(topic=topic).select_related("agent", "file")
    return rows.order_by(*NEWEST_FIRST)


def handoffs_of(topic: Topic) -> QuerySet[Handoff]:
    """Return the handoffs of a topic, newest first, also those sent elsewhere."""
    sent = Q(origin=topic.workspace.slug, topic_name=topic.name)
    rows = Handoff.objects.filter(Q(topic=topic) | sent).select_related("file")
    return rows.order_by(*handoffs.NEWEST_FIRST)


def sessions_of(topic: Topic) -> QuerySet[SessionBinding]:
    """Return the sessions bound to a topic, the current ones first."""
    rows = SessionBinding.objects.filter(topic=topic).select_related("agent")
    return rows.order_by("last_seq", "session_key", "id")


@dataclass(frozen=True, slots=True)
class Spoken:
    """A span of a fact in a file, with the revisions at its ends."""

    source: Source
    first: Revision | None
    last: Revision | None


def with_ends(workspace_id: int, rows: Iterable[Source]) -> list[Spoken]:
    """Return spans in their order, with the revisions at their ends: one query."""
    spans = list(rows)
    seqs = {seq for row in spans for seq in (row.first_seq, row.last_seq) if seq}
    found = Revision.objects.filter(workspace=workspace_id, seq__in=seqs)
    ends = {row.seq: row for row in found.select_related("run")}
    return [
        Spoken(row, ends.get(row.first_seq), ends.get(row.last_seq or 0))
        for row in spans
    ]


#: Number of events whose gaps give a topic's usual frequency.
_GAPS = 12


def _quiet(workspace: Workspace, topics: Sequence[int]) -> dict[int, Quiet]:
    """Return the silence of open topics, if longer than usual.

    Measured at the hub's last check: an outage of the importer is not the agents'
    silence.
    """
    if workspace.checked_at is None:
        return {}
    quiet = {}
    for topic_id, moments in _last_moments(topics):
        if moments:
            gap = usual_gap(moments)
            found = Quiet(workspace.checked_at - moments[0], gap, quiet_after(gap))
            if found.silence > found.limit:
                quiet[topic_id] = found
    return quiet


def _last_moments(ids: Sequence[int]) -> Iterator[tuple[int, list[datetime]]]:
    """Yield the times of topics' last events, newest first: walks of an index."""
    if not ids:
        return
    table, topics = table_of(Event), table_of(Topic)
    marks = ", ".join(["%s"] * len(ids))
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT t.id, (SELECT json_group_array(json_array(e.occurred_at,"
            " e.recorded_at, e.precision)) FROM (SELECT * FROM"
            f" {table} WHERE topic_id = t.id AND occurred_at > %s"
            " ORDER BY occurred_at DESC, position DESC"
            f" LIMIT {_GAPS}) AS e) FROM {topics} AS t WHERE t.id IN ({marks})",
            [as_stored(NO_TIME), *ids],
        )
        for topic_id, events in cursor.fetchall():
            found = (
                active_at(
                    moment_of(occurred),
                    moment_of(recorded),
                    precision,
                    acted=precision == "none",
                )
                for occurred, recorded, precision in json.loads(events or "[]")
            )
            yield topic_id, sorted((at for at in found if at), reverse=True)


#: A topic, and the reason for its choice: asked, session, agent or newest.
CurrentTopic = tuple[Topic, str]


def current_topic(
    workspace: Workspace, *, named: str = "", session: str = "", agent: str = ""
) -> CurrentTopic | None:
    """Return the named topic, else that of the session, of the agent, or the newest.

    One without content never stands before another that has some.
    """
    rows = Topic.objects.filter(workspace=workspace)
    rows = rows.select_related("file__blob", "workspace")
    # Those currently in files first, then the newest: the first import reads all
    # files at once, so that only the disk knows which of them changed last.
    version = Revision.objects.filter(workspace=workspace, seq=OuterRef("file__seq"))
    rows = rows.annotate(changed=Subquery(version.values("mtime_ns")[:1]))
    order = (F("last_seq").desc(nulls_first=True), "-changed", "-file__seq", "pk")
    topics = rows.order_by(*order)
    if named:
        ids = topic_ids_named(workspace, named)
        return _chosen(topics.filter(name=named), "asked") or _chosen(
            topics.filter(pk__in=ids if len(ids) == 1 else ()), "asked"
        )
    bound = SessionBinding.objects.filter(workspace=workspace, last_seq__isnull=True)
    live = topics.filter(last_seq__isnull=True)
    choices = {
        "session": live.filter(
            pk__in=bound.filter(session_key=session).values("topic")
        ),
        "agent": live.filter(pk__in=bound.filter(agent__name=agent).values("topic")),
        "newest": live.filter(kind=Topic.Kind.CONTEXT),
    }
    for chosen, topics in choices.items():
        if found := _chosen(with_content(topics), chosen):
            return found
    found_empty = (_chosen(topics, chosen) for chosen, topics in choices.items())
    return next(filter(None, found_empty), None)


#: Lines of a topic's history that programs write by themselves.
_AUTOMATIC = ("Auto-saved before ", "Compaction completed ", CONTEXT_CREATED)


def with_content(topics: QuerySet[Topic]) -> QuerySet[Topic]:
    """Return the topics with more than their name and what programs wrote there.

    That is a status, a decision, a snapshot, or a line of history by somebody; a topic
    that is a note, a fact or a memory bank has content.
    """
    own = {"topic": OuterRef("pk"), "last_seq__isnull": True}
    history = HistoryEntry.objects.filter(**own)
    for words in _AUTOMATIC:
        history = history.exclude(text__icontains=words)
    return topics.filter(
        ~Q(kind__in=[Topic.Kind.CONTEXT, Topic.Kind.NAMED])
        | ~Q(status="")
        | Exists(history)
        | Exists(Decision.objects.filter(topic=OuterRef("pk")))
        | Exists(Snapshot.objects.filter(topic=OuterRef("pk")))
    )


def _chosen(topics: QuerySet[Topic], chosen: str) -> CurrentTopic | None:
    topic = topics.first()
    return (topic, chosen) if topic else None
