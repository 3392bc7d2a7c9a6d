"""Current work of each agent from its files, in few queries for all agents."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from operator import attrgetter
from typing import Any, NamedTuple

from django.db import connection
from django.db.models import Count as Counted
from django.utils import timezone

from memoryhub.events.models import UNTIMED, Event
from memoryhub.events.rules.agent_states import (
    AgentState,
    Work,
    active_at,
    state_of,
    usual_gap,
)
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.lane import OpenWork, open_work
from memoryhub.handoffs.rules.acting import BLOCKED, IN_PROGRESS
from memoryhub.handoffs.rules.fields import PERSON
from memoryhub.journal.day_sources import Precision
from memoryhub.journal.models import Agent, Source, Workspace
from memoryhub.journal.moments import Written, moment_of
from memoryhub.journal.page_cache import cached
from memoryhub.journal.rows import table_of
from memoryhub.recall.topic import injected_tokens
from memoryhub.timeline.queries.events import BY_TIME, Count
from memoryhub.timeline.queries.filters import Filter, events_elsewhere, topics_of
from snapshots.models import NEWEST_FIRST, Snapshot
from topics.models import SessionBinding, Topic
from topics.queries.sessions import HOURS, by_hour
from topics.queries.topics import newest_snapshots

#: Limits of agents whose work is queried, and of the newest events of each.
AGENTS, _EVENTS = 60, 12
#: Limit of each list on an agent's page.
_PLACES, _LATELY = 50, 20
_TEXT = 300

Hours = tuple[int, ...]


class _Activity(NamedTuple):
    """The parts of an event that show an agent's activity."""

    agent_id: int
    topic_id: int | None
    kind: str
    title: str
    target_id: int | None
    said_at: datetime
    at: datetime | None


@dataclass(frozen=True, slots=True)
class AgentNow:
    """An agent with its state and its last known work."""

    id: int
    name: str
    role: str
    state: AgentState
    last_at: datetime | None
    doing: Snapshot | None
    last_title: str
    task: Handoff | None
    waits_for: tuple[Handoff, ...]
    has_work: bool
    hours: Hours


def agents_now(
    workspace: Workspace, now: datetime, *, only: str = ""
) -> list[AgentNow]:
    """Return the agents of a workspace, or one of them, ordered by name.

    A name that differs from an active agent's in case alone, and did nothing, is left
    out.
    """
    agents, activities, doings, gaps = cached(
        workspace, ("agents lately", only), lambda: _lately(workspace, only)
    )
    hours = agent_hours(workspace, [agent_id for agent_id, _, _ in agents])
    open_now = open_work(workspace)
    found = []
    for agent_id, name, role in agents:
        events = activities.get(agent_id, [])
        doing = doings.get(agent_id)
        topic = next((e.topic_id for e in events if e.topic_id), None)
        work = work_of(name, events, doing, open_now, gaps.get(topic))
        mine = [h for h in open_now.rows if name in (h.sender, h.recipient)]
        tasks = [h for h in mine if h.recipient == name and h.state == IN_PROGRESS]
        found.append(
            AgentNow(
                agent_id,
                name,
                role,
                state_of(work, workspace.checked_at, now),
                work.last_at,
                doing,
                next((e.title for e in events if e.at), ""),
                tasks[-1] if tasks else None,
                tuple(wait for wait in open_now.waits if wait.sender == name),
                bool(events or doing or tasks or any(h.sender == name for h in mine)),
                hours[agent_id],
            )
        )
    active = {agent.name.casefold() for agent in found if agent.has_work}
    shown = [
        agent
        for agent in found
        if only or agent.has_work or agent.name.casefold() not in active
    ]
    return sorted(shown, key=lambda agent: agent.name)


class _Lately(NamedTuple):
    """The agents of a page, with the work that their files state.

    `agents` are id, name and role. By the agent's id: `activities`, newest first, and
    `doings`, its newest snapshot. `gaps` are the usual times between two activities, by
    the topic's id.
    """

    agents: Sequence[tuple[int, str, str]]
    activities: Mapping[int, Sequence[_Activity]]
    doings: Mapping[int, Snapshot]
    gaps: Mapping[int | None, timedelta | None]


def _lately(workspace: Workspace, only: str) -> _Lately:
    rows = Agent.objects.filter(workspace=workspace)
    if only:
        rows = rows.filter(name=only)
    rows = rows.order_by("-declared", "name")
    agents = list(rows.values_list("id", "name", "role")[:AGENTS])
    activities = _activities_of({agent_id: name for agent_id, name, _ in agents})
    doings = _doings(workspace, [e for rows in activities.values() for e in rows])
    return _Lately(agents, activities, doings, _usual_gaps(activities.values()))


def agents_counted(workspace: Workspace, shown: int) -> Count:
    """Return the number of agents shown: a lower bound if some were left out."""
    known = Agent.objects.filter(workspace=workspace).order_by()
    return Count(shown, len(known.values_list("pk")[: AGENTS + 1]) > AGENTS)


def work_of(
    name: str,
    events: Sequence[_Activity],
    doing: Snapshot | None,
    open_now: OpenWork,
    gap: timedelta | None,
) -> Work:
    """Return the input of the rules of agent states."""
    waits = [h for h in open_now.waits if h.sender == name]
    asks = [h for h in waits if h.acts == PERSON]
    mine = [h for h in open_now.rows if h.acts == name]
    stuck = [h for h in mine if h.state == BLOCKED]
    last_sent = max(waits, key=lambda h: h.sent_at, default=None)
    last_stuck = max(stuck, key=lambda h: h.since, default=None)
    unfinished = doing is not None and doing.percent != 100
    return Work(
        last_at=max((e.at for e in events if e.at), default=None),
        last_said_at=max((e.said_at for e in events if e.at), default=None),
        asks=asks[-1].task_id if asks else "",
        snapshot_at=doing.occurred_at if doing else None,
        snapshot_blocked=bool(doing and doing.blocked),
        blocked_by=doing.blocked_by[:_TEXT] if doing else "",
        result_blocked_at=last_stuck.since if last_stuck else None,
        result_blocked=last_stuck.task_id if last_stuck else "",
        sent_at=last_sent.sent_at if last_sent else None,
        sent_to=last_sent.acts if last_sent else "",
        open_work=bool(mine) or unfinished,
        usual_gap=gap,
    )


def _usual_gaps(
    activities: Iterable[Sequence[_Activity]],
) -> dict[int | None, timedelta | None]:
    """Return the usual gap of each topic, as far as the newest events show it."""
    moments: dict[int | None, list[datetime]] = defaultdict(list)
    for events in activities:
        for event in events:
            if event.topic_id and event.at:
                moments[event.topic_id].append(event.at)
    return {topic: usual_gap(at) for topic, at in moments.items()}


def _activities_of(names: Mapping[int, str]) -> dict[int, list[_Activity]]:
    """Return the newest events of agents by their ids, by two index walks each.

    Those that say when the agent was active, and behind them the newest other one.
    """
    if not names:
        return {}
    table = table_of(Event)
    untimed = f"precision = '{Precision.NONE.value}' AND actor <> %s"
    newest = (
        "SELECT * FROM (SELECT agent_id, topic_id, kind, title, target_id, occurred_at,"
        f" recorded_at, precision, actor FROM {table} WHERE agent_id = %s AND"
        " {which} ORDER BY occurred_at DESC, position DESC LIMIT {most}) AS newest"
    )
    both = (
        newest.format(which=f"NOT ({untimed})", most=_EVENTS),
        newest.format(which=f"({untimed})", most=1),
    )
    query = " UNION ALL ".join(both * len(names))
    values = [value for pair in names.items() for value in pair * 2]
    with connection.cursor() as cursor:
        cursor.execute(query, values)
        rows = cursor.fetchall()
    found: dict[int, list[_Activity]] = {}
    for row in rows:
        found.setdefault(row[0], []).append(_activity(row, names[row[0]]))
    return found


def _activity(row: Sequence[Any], name: str) -> _Activity:
    *values, occurred_at, recorded_at, precision, actor = row
    said_at = moment_of(occurred_at)
    at = active_at(
        said_at,
        moment_of(recorded_at),
        precision,
        acted=actor == name,
    )
    return _Activity._make([*values, said_at, at])


def _doings(workspace: Workspace, events: Iterable[_Activity]) -> dict[int, Snapshot]:
    """Return the newest snapshot of each agent.

    Candidates are the newest of each topic and those of the agent's newest events.
    """
    topics = Topic.objects.filter(workspace=workspace)
    ids = {e.target_id for e in events if e.kind == "snapshot" and e.target_id}
    ids.update(newest_snapshots(topics).values_list("pk", flat=True))
    rows = Snapshot.objects.filter(pk__in=ids, agent__isnull=False)
    newest = list(rows.select_related("topic").order_by(*NEWEST_FIRST))
    return {row.agent_id: row for row in reversed(newest) if row.agent_id is not None}


def agent_hours(workspace: Workspace, ids: Sequence[int]) -> Mapping[int, Hours]:
    """Return the counts of agents' last 24 hours, in one query; cached.

    They end at the hub's last check. Events with only a day, or without a time, are
    in no hour.
    """
    return cached(
        workspace, ("agent hours", *ids), lambda: _agent_hours(workspace, ids)
    )


def _agent_hours(workspace: Workspace, ids: Sequence[int]) -> Mapping[int, Hours]:
    until = workspace.checked_at or timezone.now()
    rows = (
        Event.objects.filter(
            agent_id__in=ids,
            occurred_at__gt=until - timedelta(hours=HOURS),
            occurred_at__lte=until,
        )
        .exclude(precision__in=(Precision.DAY, Precision.NONE))
        .annotate(hour=Written("occurred_at", "%Y-%m-%d %H"))
        .order_by()
        .values_list("agent_id", "hour")
        .annotate(n=Counted("pk"))
    )
    counts: dict[int, dict[str, int]] = defaultdict(dict)
    for agent_id, hour, number in rows:
        counts[agent_id][hour] = number
    return {agent_id: by_hour(counts[agent_id], until) for agent_id in ids}


def declared_roles(agent_id: int) -> list[Source]:
    """Return the current statements of files on an agent's responsibility."""
    rows = Source.objects.filter(
        target_kind__in=(Source.Target.AGENT, Source.Target.IDENTITY),
        target_id=agent_id,
        last_seq__isnull=True,
    ).select_related("file")
    return list(rows.order_by("first_seq", "position")[:_PLACES])


def bound_sessions(
    workspace: Workspace, agent_id: int
) -> list[tuple[SessionBinding, int]]:
    """Return an agent's bound sessions with their tokens in snap-memory's form."""
    rows = SessionBinding.objects.filter(agent_id=agent_id, last_seq__isnull=True)
    bound = list(rows.order_by("session_key").select_related("topic__file")[:_PLACES])
    topics = {row.topic.pk: row.topic for row in bound if row.topic}
    tokens = injected_tokens(workspace, list(topics.values()))
    return [(row, tokens[row.topic.pk] if row.topic else 0) for row in bound]


def wrote_lately(workspace: Workspace, agent_id: int) -> list[Event]:
    """Return the newest events of an agent, without those of unknown time."""
    own = Event.objects.filter(agent_id=agent_id).exclude(UNTIMED)
    sent = events_elsewhere(Filter(workspace.pk, agent_id=agent_id))
    found, there = (
        list(rows.select_related("topic", "file").order_by(*BY_TIME)[:_LATELY])
        for rows in (own, sent)
    )
    topics = topics_of(workspace.pk, (event.target_id or 0 for event in there))
    for event in there:
        event.topic = topics.get(event.target_id or 0)
    newest = sorted([*found, *there], key=attrgetter("occurred_at"), reverse=True)
    return newest[:_LATELY]
