"""Current work of each agent from its files, in three queries for all agents."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.db import connection

from memoryhub.events.models import UNTIMED, Event
from memoryhub.events.rules.agent_states import (
    AgentState,
    Work,
    active_at,
    state_of,
    usual_gap,
)
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.lane import open_work
from memoryhub.handoffs.rules.acting import BLOCKED, IN_PROGRESS
from memoryhub.handoffs.rules.standing import PERSON
from memoryhub.journal.models import Agent, Source, Workspace
from memoryhub.journal.sql import moment_of, table_of
from memoryhub.recall.topic import injected_tokens
from memoryhub.timeline.queries.hours import Hours, agent_hours
from snapshots.models import Snapshot
from topics.models import SessionBinding, Topic

#: Limits of agents whose work is queried, and of the newest events of each.
AGENTS, _EVENTS = 60, 12
#: Limit of each list on an agent's page.
_PLACES, _LATELY = 50, 20
_TEXT = 300


class Doing(NamedTuple):
    """The parts of a snapshot that describe the current work."""

    id: int
    snapshot_id: str
    agent_id: int | None
    topic: str
    topic_slug: str
    at: datetime
    goal: str
    phase: str
    blocked: bool
    blocked_by: str
    percent: int | None
    next_step: str


class _Told(NamedTuple):
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
    doing: Doing | None
    last_title: str
    task: Handoff | None
    waits_for: tuple[Handoff, ...]
    told: bool
    hours: Hours


def agents_now(
    workspace: Workspace, now: datetime, *, only: str = ""
) -> list[AgentNow]:
    """Return the agents of a workspace, or one of them, ordered by name."""
    rows = Agent.objects.filter(workspace=workspace)
    if only:
        rows = rows.filter(name=only)
    rows = rows.order_by("-declared", "name")
    agents = list(rows.values_list("id", "name", "role")[:AGENTS])
    told = _told_of([agent_id for agent_id, _, _ in agents])
    doings = _doings(workspace, [event for rows in told.values() for event in rows])
    gaps = _usual_gaps(told.values())
    hours = agent_hours(workspace, [agent_id for agent_id, _, _ in agents])
    handoffs = open_work(workspace).rows
    found = []
    for agent_id, name, role in agents:
        events = told.get(agent_id, [])
        doing = doings.get(agent_id)
        topic = next((e.topic_id for e in events if e.topic_id), None)
        work = work_of(name, events, doing, handoffs, gaps.get(topic))
        sent = [h for h in handoffs if h.sender == name]
        tasks = [h for h in handoffs if h.recipient == name and h.state == IN_PROGRESS]
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
                tuple(sent),
                bool(events or doing or sent or tasks),
                hours[agent_id],
            )
        )
    return sorted(found, key=lambda agent: agent.name)


def work_of(
    name: str,
    events: Sequence[_Told],
    doing: Doing | None,
    handoffs: Sequence[Handoff],
    gap: timedelta | None,
) -> Work:
    """Return the input of the rules of agent states."""
    asks = [h for h in handoffs if h.sender == name and h.acts == PERSON]
    sent = [h for h in handoffs if h.sender == name and h.state != BLOCKED]
    mine = [h for h in handoffs if h.acts == name]
    stuck = [h for h in mine if h.state == BLOCKED]
    last_sent = max(sent, key=lambda h: h.sent_at, default=None)
    last_stuck = max(stuck, key=lambda h: h.since, default=None)
    unfinished = doing is not None and doing.percent != 100
    return Work(
        last_at=max((e.at for e in events if e.at), default=None),
        last_said_at=max((e.said_at for e in events if e.at), default=None),
        asks=asks[-1].task_id if asks else "",
        snapshot_at=doing.at if doing else None,
        snapshot_blocked=bool(doing and doing.blocked),
        blocked_by=doing.blocked_by if doing else "",
        result_blocked_at=last_stuck.since if last_stuck else None,
        result_blocked=last_stuck.task_id if last_stuck else "",
        sent_at=last_sent.sent_at if last_sent else None,
        sent_to=last_sent.recipient if last_sent else "",
        open_work=bool(mine) or unfinished,
        usual_gap=gap,
    )


def _usual_gaps(told: Iterable[Sequence[_Told]]) -> dict[int | None, timedelta | None]:
    """Return the usual gap of each topic, as far as the newest events show it."""
    moments: dict[int | None, list[datetime]] = defaultdict(list)
    for events in told:
        for event in events:
            if event.topic_id and event.at:
                moments[event.topic_id].append(event.at)
    return {topic: usual_gap(at) for topic, at in moments.items()}


def _told_of(agent_ids: Sequence[int]) -> dict[int, list[_Told]]:
    """Return the newest events of each agent, by one index walk each."""
    if not agent_ids:
        return {}
    table = table_of(Event)
    one = (
        "SELECT * FROM (SELECT agent_id, topic_id, kind, title, target_id, occurred_at,"
        f" recorded_at, precision, run_number FROM {table} WHERE agent_id = %s"
        f" ORDER BY occurred_at DESC, position DESC LIMIT {_EVENTS}) AS told"
    )
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join([one] * len(agent_ids)), agent_ids)
        rows = cursor.fetchall()
    found: dict[int, list[_Told]] = {}
    for row in rows:
        found.setdefault(row[0], []).append(_told(row))
    return found


def _told(row: Sequence[Any]) -> _Told:
    *told, occurred_at, recorded_at, precision, run_number = row
    said_at = moment_of(occurred_at)
    at = active_at(
        said_at,
        moment_of(recorded_at),
        precision,
        first_import=run_number == 1,
    )
    return _Told._make([*told, said_at, at])


def _doings(workspace: Workspace, events: Iterable[_Told]) -> dict[int, Doing]:
    """Return the newest snapshot of each agent.

    Candidates are the newest of each topic and those of the agent's newest events.
    """
    snapshot, topic = map(table_of, (Snapshot, Topic))
    ids = [e.target_id for e in events if e.kind == "snapshot" and e.target_id]
    marks = ", ".join(["%s"] * len(ids)) or "NULL"
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT s.id, s.snapshot_id, s.agent_id, COALESCE(t.name, ''),"
            " COALESCE(t.slug, ''), s.occurred_at,"
            f" SUBSTR(s.goal, 1, {_TEXT}), s.phase,"
            f" s.blocked, SUBSTR(s.blocked_by, 1, {_TEXT}), s.percent,"
            f" SUBSTR(s.next_step, 1, {_TEXT}) FROM {snapshot} AS s"
            f" LEFT JOIN {topic} AS t ON t.id = s.topic_id"
            f" WHERE s.agent_id IS NOT NULL AND s.id IN (SELECT (SELECT n.id"
            f" FROM {snapshot} AS n WHERE n.topic_id = w.id AND n.copy_of_id IS NULL"
            f" ORDER BY n.occurred_at DESC LIMIT 1) FROM {topic} AS w"
            f" WHERE w.workspace_id = %s UNION ALL"
            f" SELECT id FROM {snapshot} WHERE id IN ({marks}))",
            [workspace.pk, *ids],
        )
        rows = [_doing(row) for row in cursor.fetchall()]
    rows.sort(key=lambda doing: doing.at)
    return {doing.agent_id: doing for doing in rows if doing.agent_id is not None}


def _doing(row: Sequence[Any]) -> Doing:
    found = Doing(*row)
    return found._replace(at=moment_of(found.at), blocked=bool(found.blocked))


class DeclaredRole(NamedTuple):
    """A file's statement of an agent's responsibility."""

    role: str
    path: str
    line: int


def declared_roles(agent_id: int) -> list[DeclaredRole]:
    """Return the current statements of files on an agent's responsibility."""
    sources = Source.objects.filter(
        target_kind=Source.Target.AGENT, target_id=agent_id, last_seq__isnull=True
    ).order_by("first_seq", "position")
    rows = sources.values_list("value", "file__path", "first_line")[:_PLACES]
    return [DeclaredRole(*row) for row in rows]


class BoundSession(NamedTuple):
    """A session of an agent and its topic, with its tokens in snap-memory's form."""

    key: str
    topic: str
    slug: str
    tokens: int


def bound_sessions(workspace: Workspace, agent_id: int) -> list[BoundSession]:
    """Return the currently bound sessions of an agent."""
    rows = SessionBinding.objects.filter(agent_id=agent_id, last_seq__isnull=True)
    bound = list(rows.order_by("session_key").select_related("topic__file")[:_PLACES])
    topics = {row.topic.pk: row.topic for row in bound if row.topic}
    tokens = injected_tokens(workspace, list(topics.values()))
    return [
        BoundSession(
            row.session_key,
            row.topic_name,
            row.topic.slug if row.topic else "",
            tokens[row.topic.pk] if row.topic else 0,
        )
        for row in bound
    ]


class AgentEvent(NamedTuple):
    """An event of an agent."""

    kind: str
    verb: str
    title: str
    at: datetime
    precision: str
    topic: str | None
    path: str | None
    line: int
    target_id: int | None
    data: dict[str, Any] | None


def wrote_lately(agent_id: int) -> list[AgentEvent]:
    """Return the newest events of an agent, without those of unknown time."""
    rows = Event.objects.filter(agent_id=agent_id).exclude(UNTIMED)
    told = rows.order_by("-occurred_at", "-position").values_list(
        "kind",
        "verb",
        "title",
        "occurred_at",
        "precision",
        "topic__name",
        "file__path",
        "line",
        "target_id",
        "data",
    )
    return [AgentEvent(*row) for row in told[:_LATELY]]
