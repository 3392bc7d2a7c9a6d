"""Queries of pages on sessions, their activity, and unassigned rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.db.models import F, Max, OuterRef, Q, QuerySet, Subquery
from django.utils import timezone

from memoryhub.events.models import UNTIMED, Event
from memoryhub.formats.openclaw.session_key import unattended_run
from memoryhub.journal.day_sources import Precision
from memoryhub.journal.models import Operation, Source, Workspace
from memoryhub.journal.untimed import UNDATED_LAST
from snapshots.importers.linking import ASSIGNABLE
from snapshots.models import NEWEST_FIRST, AuthoredSpan, Compaction, LogEntry
from topics.models import SessionBinding
from topics.queries.topics import Spoken, with_ends

PAGE_SIZE = 50
HOURS = 24
_SKIPPED_SHOWN = 200
_WITHOUT_OWNER = Q(agent__isnull=True) | Q(topic__isnull=True)


@dataclass(frozen=True, slots=True)
class Activity:
    """Time of the last event, and the number of events in each of 24 hours.

    Events that name the session (`own`), else those of its agent.
    """

    last: datetime | None
    hours: tuple[int, ...]
    own: bool = False


#: Number of a session's compactions, and the message counts before and after the last.
Compactions = tuple[int, int | None, int | None]


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A session in the list."""

    binding: SessionBinding
    activity: Activity
    compactions: Compactions | None


def session_keys(
    workspace: Workspace, text: str = ""
) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Return the bindings' ids, the currently bound first, and keys of unattended runs.

    The latter are folded on the page.
    """
    rows = SessionBinding.objects.filter(workspace=workspace)
    if text:
        rows = rows.filter(
            Q(session_key__icontains=text) | Q(topic_name__icontains=text)
        )
    shown, skipped = [], []
    ordered = rows.order_by(
        F("last_seq").asc(nulls_first=True), "-recorded_at", "session_key"
    )
    for row_id, key in ordered.values_list("id", "session_key"):
        if unattended_run(key):
            skipped.append(key)
        else:
            shown.append(row_id)
    return tuple(shown), tuple(skipped[:_SKIPPED_SHOWN])


def session_rows(workspace: Workspace, ids: Sequence[int]) -> list[SessionRow]:
    """Return sessions by their ids, in that order."""
    rows = SessionBinding.objects.select_related("agent", "topic").in_bulk(list(ids))
    return with_activity(workspace, [rows[i] for i in ids if i in rows])


def with_activity(
    workspace: Workspace, rows: Sequence[SessionBinding]
) -> list[SessionRow]:
    """Return sessions with their activity."""
    activity = activity_of(workspace, rows)
    compacted = compactions_of(workspace, rows)
    return [SessionRow(row, activity[row.id], compacted.get(row.id)) for row in rows]


def activity_of(
    workspace: Workspace, rows: Sequence[SessionBinding]
) -> Mapping[int, Activity]:
    """Return the activity of each session, by the id of its binding.

    Counted are operations and transcripts with the session's key, and changes of its
    binding; if none has a time, the events of its agent. The 24 hours end at the hub's
    last check. Facts of a first import without a time are left out, and those with
    only a day are in no hour.
    """
    until = workspace.checked_at or timezone.now()
    ids = {row.session_key: row.id for row in rows}
    done = Operation.objects.filter(
        workspace=workspace,
        state=Operation.State.APPLIED,
        session__in=list(ids),
    ).order_by()
    logged = LogEntry.objects.filter(workspace=workspace, session_key__in=ids)
    bound = Event.objects.filter(
        kind=Event.Kind.SESSION, target_id__in=ids.values(), workspace=workspace
    ).exclude(UNTIMED)
    own: dict[int, list[tuple[datetime, str]]] = {}
    for key, at in done.values_list("session", "recorded_at"):
        own.setdefault(ids[key], []).append((at, Precision.SECOND.value))
    for key, at, precision in logged.exclude(precision=Precision.NONE).values_list(
        "session_key", "occurred_at", "precision"
    ):
        own.setdefault(ids[key], []).append((at, precision))
    for row_id, at, precision in bound.values_list(
        "target_id", "occurred_at", "precision"
    ):
        own.setdefault(row_id or 0, []).append((at, precision))
    lost = {row.agent_id for row in rows if row.id not in own and row.agent_id}
    agents = _agents_activity(lost, until)
    nothing = Activity(None, by_hour({}, until))
    return {
        row.id: _of_moments(own[row.id], until)
        if row.id in own
        else agents.get(row.agent_id or 0, nothing)
        for row in rows
    }


def _of_moments(moments: Sequence[tuple[datetime, str]], until: datetime) -> Activity:
    exact = [at for at, precision in moments if precision != Precision.DAY]
    recent = (at for at in exact if until - timedelta(hours=HOURS) < at <= until)
    counts = Counter(f"{at.astimezone(UTC):%Y-%m-%d %H}" for at in recent)
    return Activity(max(at for at, _ in moments), by_hour(counts, until), own=True)


def _agents_activity(agents: Collection[int], until: datetime) -> dict[int, Activity]:
    """Return the activity of agents, by their ids."""
    events = Event.objects.filter(agent__in=agents).exclude(UNTIMED)
    since = until - timedelta(hours=HOURS)
    recent = events.filter(occurred_at__gt=since, occurred_at__lte=until)
    counts: dict[int, Counter[str]] = {}
    for agent_id, at in recent.exclude(precision=Precision.DAY).values_list(
        "agent_id", "occurred_at"
    ):
        counted = counts.setdefault(agent_id or 0, Counter())
        counted[f"{at.astimezone(UTC):%Y-%m-%d %H}"] += 1
    last = events.order_by().values_list("agent_id").annotate(Max("occurred_at"))
    return {
        agent_id: Activity(at, by_hour(counts.get(agent_id, {}), until))
        for agent_id, at in last
    }


def by_hour(counts: Mapping[str, int], until: datetime) -> tuple[int, ...]:
    """Return the counts of the hours before a moment, oldest first."""
    last = until.astimezone(UTC)
    hours = (last - timedelta(hours=back) for back in reversed(range(HOURS)))
    return tuple(counts.get(f"{hour:%Y-%m-%d %H}", 0) for hour in hours)


def compactions_of(
    workspace: Workspace, rows: Sequence[SessionBinding]
) -> Mapping[int, Compactions]:
    """Return the compactions of sessions, by the ids of their bindings.

    A line written by a hook belongs to the session the hook names. A line known only
    from a file belongs to the topic's session if it always was the only one; else to
    none.
    """
    topics = {row.topic_id for row in rows if row.topic_id is not None}
    written = Operation.objects.filter(
        workspace=workspace, version_seq=OuterRef("first_seq"), verb="auto_save"
    )
    found = (
        Compaction.objects.filter(workspace=workspace, topic__in=topics)
        .annotate(session=Subquery(written.values("session")[:1]))
        .order_by(UNDATED_LAST, "-occurred_at")
        .values_list("topic_id", "session", "before", "after")
    )
    bound = SessionBinding.objects.filter(workspace=workspace, topic__in=topics)
    sharing = Counter(bound.values_list("topic_id", flat=True))
    said: dict[tuple[int, str], list[tuple[int | None, int | None]]] = {}
    for topic_id, session, before, after in found:
        said.setdefault((topic_id, session or ""), []).append((before, after))
    compacted = {}
    for row in rows:
        topic_id = row.topic_id or 0
        own = said.get((topic_id, row.session_key), [])
        if sharing[topic_id] == 1:
            own = own + said.get((topic_id, ""), [])
        if own:
            compacted[row.id] = (len(own), *own[0])
    return compacted


def binding_of(workspace: Workspace, key: str) -> SessionBinding | None:
    """Return the binding of a session key."""
    rows = SessionBinding.objects.filter(workspace=workspace, session_key=key)
    return rows.select_related("agent", "topic").first()


def bound_by(binding: SessionBinding) -> list[Spoken]:
    """Return the files that bound a session, with the topics, newest first."""
    rows = Source.objects.filter(
        target_id=binding.id, target_kind=Source.Target.BINDING
    )
    newest = rows.select_related("file").order_by("-first_seq")[:PAGE_SIZE]
    return with_ends(binding.workspace_id, newest)


def unassigned(workspace: Workspace, kind: str) -> list[AuthoredSpan]:
    """Return rows of a kind without an agent or without a topic, newest first."""
    rows = _current(workspace, kind).filter(_WITHOUT_OWNER)
    found = rows.select_related("agent", "topic", "file")
    return list(found.order_by(*NEWEST_FIRST)[: PAGE_SIZE + 1])


def assignable_kinds(workspace: Workspace) -> list[str]:
    """Return the kinds that the files have; those with unassigned rows come first."""
    known = [kind for kind in ASSIGNABLE if _current(workspace, kind).exists()]
    return sorted(
        known, key=lambda k: not _current(workspace, k).filter(_WITHOUT_OWNER).exists()
    )


def _current(workspace: Workspace, kind: str) -> QuerySet[AuthoredSpan]:
    rows: QuerySet[AuthoredSpan] = ASSIGNABLE[kind]._default_manager.all()
    return rows.filter(workspace=workspace, last_seq__isnull=True)


def transcripts(workspace: Workspace, text: str = "") -> list[LogEntry]:
    """Return the sessions that are whole files, newest first: one page of them."""
    rows = LogEntry.objects.filter(
        workspace=workspace, kind=LogEntry.Kind.SESSION, last_seq__isnull=True
    )
    if text:
        rows = rows.filter(Q(title__icontains=text) | Q(session_key__icontains=text))
    found = rows.select_related("agent", "topic", "file")
    return list(found.order_by(*NEWEST_FIRST)[:PAGE_SIZE])
