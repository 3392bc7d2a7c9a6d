"""Alarms of handoffs that stand still without waiting for a person.

A handoff is in one alarm at most, the first that holds of `KINDS`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import chain, islice
from typing import NamedTuple

from django.db.models import Case, Exists, Max, OuterRef, Q, When
from django.db.models.functions import Coalesce, Least

from memoryhub.events.models import UNTIMED, Event
from memoryhub.formats.hub.handoff_blocks import listed_in
from memoryhub.handoffs.models import (
    ALIVE_AT,
    Handoff,
    HandoffStep,
    SignOfLife,
)
from memoryhub.handoffs.queries.after import states_named
from memoryhub.handoffs.queries.agents import is_known
from memoryhub.handoffs.queries.lane import open_work
from memoryhub.handoffs.rules.acting import (
    FAILED,
    IN_PROGRESS,
    OPEN,
    REVIEW,
    TAKEN_FROM,
    WITHDRAWN,
    WRITE,
    Lane,
)
from memoryhub.handoffs.rules.parties import is_pool
from memoryhub.journal.models import Agent, Workspace
from memoryhub.journal.ownership import is_person
from memoryhub.journal.page_cache import cached, cached_by_handoffs
from memoryhub.journal.prepared import Prepared


def lease_end(
    begun: datetime, due: datetime | None, sign: datetime | None, length: timedelta
) -> datetime:
    """Return when the lease of a handoff that was taken at `begun` ends.

    It lasts until its due time, else for the length that the workspace sets. A sign of
    life of the holder in a later second renews it by that length: the call that takes
    a handoff is none.
    """
    end = due if due is not None and due > begun else begun + length
    renews = sign is not None and sign.replace(microsecond=0) > begun
    return max(end, sign + length) if sign and renews else end


SILENT, OVERLAP, STUCK = "silent", "overlap", "stuck"
OVERDUE, UNKNOWN, LANE = "overdue", "unknown-recipient", "lane"
#: In order of urgency.
KINDS = (OVERLAP, SILENT, STUCK, OVERDUE, UNKNOWN, LANE)
#: How long work for a name that nobody knows may be open.
_UNKNOWN_AFTER = timedelta(minutes=10)
#: Most rows of each kind that are looked at.
_MOST = 200


class Alarm(NamedTuple):
    """Something that stands still: its kind, since when, the handoff, other names."""

    kind: str
    at: datetime
    handoff: Handoff
    names: tuple[str, ...] = ()

    @property
    def key(self) -> tuple[str, int, tuple[str, ...]]:
        return self.kind, self.handoff.pk, self.names


@dataclass(frozen=True, slots=True)
class _Facts:
    """Rows that an alarm can be about, as of the last change of a handoff."""

    running: tuple[Handoff, ...] = ()
    begun: Mapping[int, datetime] = field(default_factory=dict)
    due: tuple[Handoff, ...] = ()
    stuck: tuple[Handoff, ...] = ()
    #: Of each of these: a task that it comes after, and how that ended.
    ends: Mapping[int, tuple[str, str]] = field(default_factory=dict)
    #: Untaken, or done and to be accepted by an agent.
    unheard: tuple[Handoff, ...] = ()
    heads: tuple[Handoff, ...] = ()
    lane: Lane = field(default_factory=Lane)
    behind: Mapping[int, int] = field(default_factory=dict)
    freed_at: datetime | None = None


def alarms(workspace: Workspace, now: datetime) -> tuple[Alarm, ...]:
    """Return the alarms of a workspace, the most urgent first, then the oldest."""
    facts = _facts(workspace)
    found: dict[int, Alarm] = {}
    for alarm in _all(workspace, facts, now):
        found.setdefault(alarm.handoff.pk, alarm)
    return tuple(sorted(found.values(), key=lambda a: (KINDS.index(a.kind), a.at)))


def alarms_shown(workspace: Workspace, now: datetime) -> tuple[Alarm, ...]:
    """Return the alarms for pages: of the minute, cached until the journal grows."""
    minute = now.replace(second=0, microsecond=0)
    return cached(workspace, ("alarms", minute), lambda: alarms(workspace, minute))


def next_alarms(workspace: Workspace, now: datetime) -> Iterator[datetime]:
    """Yield the times at which an alarm can begin, as it stands; some have passed."""
    facts = _facts(workspace)
    yield from (row.due_at for row in facts.due if row.due_at)
    yield from leases(workspace, facts.running, now).values()
    yield from (row.since + _UNKNOWN_AFTER for row in facts.unheard)
    length = timedelta(minutes=workspace.handoff_lease)
    yield from (max(r.since, facts.freed_at or r.since) + length for r in facts.heads)


def silent_rows(workspace: Workspace, now: datetime) -> list[Handoff]:
    """Return the handoffs in progress whose holder is silent."""
    return [alarm.handoff for alarm in _silent(workspace, _facts(workspace), now)]


def leases(
    workspace: Workspace, rows: Iterable[Handoff], now: datetime
) -> dict[int, datetime]:
    """Return when the lease of each row that an agent holds ends, by its id."""
    taken = (row for row in rows if row.state == IN_PROGRESS and not row.away)
    held = [row for row in taken if not is_person(_holder(row))]
    length, begun = timedelta(minutes=workspace.handoff_lease), _begun(held)
    signs = _signs(workspace, held, begun) if held else {}
    return {
        row.pk: lease_end(begun[row.pk], row.due_at, signs.get(_holder(row)), length)
        for row in held
    }


def _facts(workspace: Workspace) -> _Facts:
    """Return the facts of a workspace; cached until a handoff changes."""
    return cached_by_handoffs(workspace, "alarms", lambda: _facts_now(workspace))


def _facts_now(workspace: Workspace) -> _Facts:
    work = open_work(workspace)
    own = [row for row in work.rows if not row.away]
    agents = [row for row in own if not row.for_person]
    if not agents:
        return _Facts()
    untaken = [row for row in agents if row.state == OPEN]
    running = _most(row for row in agents if row.state == IN_PROGRESS)
    waiting = [row for row in agents if row.state in TAKEN_FROM and row.after]
    ends = _ends_before(workspace, waiting)
    firsts = filter(None, map(work.lane.before, work.lane.next))
    behind = Counter(first.id for first in firsts if first.state == OPEN)
    due = ((row.due_at, row) for row in agents if row.due_at)
    return _Facts(
        running=running,
        begun=_begun(running),
        due=_most(row for _, row in sorted(due, key=lambda each: each[0])),
        stuck=_most(row for row in waiting if row.pk in ends),
        ends=ends,
        unheard=_of_every_name([r for r in agents if r.state in (OPEN, REVIEW)]),
        heads=tuple(row for row in untaken if row.pk in behind),
        lane=work.lane,
        behind=behind,
        freed_at=_freed_at(workspace) if behind else None,
    )


def _most(rows: Iterable[Handoff]) -> tuple[Handoff, ...]:
    return tuple(islice(rows, _MOST))


def _of_every_name(rows: Sequence[Handoff]) -> tuple[Handoff, ...]:
    """Return the oldest rows, and where there are more, the oldest of other names."""
    found = _most(rows)
    names = {row.acts for row in found}
    others = (row for row in rows[_MOST:] if row.acts not in names)
    return (*found, *_most(others))


def _freed_at(workspace: Workspace) -> datetime | None:
    """Return when a write was finished last."""
    writes = Handoff.objects.filter(workspace=workspace, twin="", type=WRITE)
    finished = writes.filter(last_seq__isnull=True, finished_at__isnull=False)
    at = finished.order_by("-finished_at").values_list("finished_at", flat=True)
    return at.first()


def _ends_before(
    workspace: Workspace, waiting: Sequence[Handoff]
) -> dict[int, tuple[str, str]]:
    """Return per row the ended task that blocks it for good, and how it ended.

    The states are read later than the rows: what is sent meanwhile is in neither.
    """
    if not waiting:
        return {}
    states = states_named(workspace, [row.after for row in waiting])
    found = ((row.pk, name) for row in waiting for name in listed_in(row.after))
    ended = ((pk, name, states.get(name, "")) for pk, name in found)
    never = (FAILED, WITHDRAWN, "")
    # Of several the first is named.
    return {pk: (name, end) for pk, name, end in [*ended][::-1] if end in never}


def _all(workspace: Workspace, facts: _Facts, now: datetime) -> Iterator[Alarm]:
    met = facts.lane.overlapping
    rows = {row.pk: row for row in facts.running}
    if met and (first := rows.get(met[0].id)):
        yield Alarm(OVERLAP, first.since, first, tuple(write.name for write in met))
    yield from _silent(workspace, facts, now)
    yield from _stuck(facts)
    yield from _overdue(facts, now)
    yield from _unknown(workspace, facts, now)
    yield from _lanes(workspace, facts, now)


def _silent(workspace: Workspace, facts: _Facts, now: datetime) -> Iterator[Alarm]:
    length = timedelta(minutes=workspace.handoff_lease)
    held = [row for row in facts.running if not is_person(_holder(row))]
    begun = facts.begun
    late = [r for r in held if lease_end(begun[r.pk], r.due_at, None, length) < now]
    signs = _signs(workspace, late, begun) if late else {}
    for row in late:
        sign = signs.get(_holder(row))
        end = lease_end(begun[row.pk], row.due_at, sign, length)
        if end < now:
            yield Alarm(SILENT, end, row, (_holder(row),))


def _begun(rows: Sequence[Handoff]) -> dict[int, datetime]:
    """Return when each of some handoffs was taken last, by its id."""
    taken = HandoffStep.objects.filter(
        handoff__in=[row.pk for row in rows],
        verb="taken",
        stranger=False,
        last_seq__isnull=True,
    )
    at = Max(Coalesce("happened_at", "recorded_at"))
    found = taken.order_by().values_list("handoff_id").annotate(at=at) if rows else ()
    return {row.pk: row.since for row in rows} | dict(found)


def _signs(
    workspace: Workspace, rows: Sequence[Handoff], begun: Mapping[int, datetime]
) -> dict[str, datetime]:
    """Return the last sign of life of the holders of handoffs begun at these times.

    What a version has is a sign of the time at which it was recorded, but the first
    import reads old files: there the time that a file states counts. Of handoffs only
    the lines of the holder itself are signs, not what others do with those it sent.
    """
    names = {_holder(row) for row in rows}
    calls = SignOfLife.objects.filter(workspace=workspace, agent__in=names)
    lines = ((name, at) for name in names for at in _LAST_LINE(workspace.pk, name))
    signs = dict(calls.values_list("agent", "at"))
    written = _written(workspace, names, min(begun[row.pk] for row in rows))
    for agent, last in chain(lines, written):
        signs[agent] = max(last, signs.get(agent, last))
    return signs


#: When an agent wrote the last line in a handoff.
_LAST_LINE: Prepared[datetime] = Prepared(
    lambda workspace_id, actor: (
        HandoffStep.objects.filter(workspace_id=workspace_id, actor=actor)
        .order_by(ALIVE_AT.desc())
        .values_list(ALIVE_AT, flat=True)[:1]
    ),
    int,
    str,
)


def _written(
    workspace: Workspace, names: Iterable[str], begun: datetime
) -> Iterator[tuple[str, datetime]]:
    """Yield when agents wrote last after a time, other than in handoffs."""
    agents = Agent.objects.filter(workspace=workspace, name__in=names)
    known = dict(agents.values_list("pk", "name"))
    kinds = [kind for kind in Event.Kind if kind != Event.Kind.HANDOFF]
    events = Event.objects.filter(agent__in=[*known], kind__in=kinds)
    late = events.exclude(UNTIMED, run_number=1).filter(recorded_at__gt=begun)
    at_first = When(run_number=1, then=Least("occurred_at", "recorded_at"))
    last = Max(Case(at_first, default="recorded_at"))
    found = late.order_by().values_list("agent").annotate(last=last)
    yield from ((known[agent], at) for agent, at in found)


def _holder(row: Handoff) -> str:
    return row.taken_by or row.recipient


def _stuck(facts: _Facts) -> Iterator[Alarm]:
    """Yield untaken handoffs with a dependency that failed or was withdrawn."""
    for row in facts.stuck:
        name, state = facts.ends[row.pk]
        yield Alarm(STUCK, row.since, row, (name, state or "unknown"))


def _overdue(facts: _Facts, now: datetime) -> Iterator[Alarm]:
    for row in facts.due:
        if row.due_at is not None and row.due_at < now:
            yield Alarm(OVERDUE, row.due_at, row, (row.acts,))


def _unknown(workspace: Workspace, facts: _Facts, now: datetime) -> Iterator[Alarm]:
    """Yield handoffs whose recipient or reviewer is an unknown agent."""
    old = [row for row in facts.unheard if now - row.since > _UNKNOWN_AFTER]
    names = {row.acts for row in old}
    if not names:
        return
    known = {*_known(workspace, names), *_known_elsewhere(names)}
    known |= {name for name in names if is_pool(name) and is_known(workspace, name)}
    for row in old:
        if row.acts not in known:
            yield Alarm(UNKNOWN, row.since, row, (row.acts,))


def _known_elsewhere(names: Iterable[str]) -> Iterator[str]:
    """Yield the names ``workspace/agent`` of agents known in their workspace."""
    away = {name: name.partition("/") for name in names if "/" in name}
    slugs = {slug for slug, _, _ in away.values()}
    for home in Workspace.objects.filter(slug__in=slugs) if slugs else ():
        agents = [agent for slug, _, agent in away.values() if slug == home.slug]
        yield from (f"{home.slug}/{agent}" for agent in _known(home, agents))


def _known(workspace: Workspace, names: Iterable[str]) -> Iterator[str]:
    """Yield the names of agents that files declare or that did something."""
    wanted = list(names)
    acted = Exists(Event.objects.filter(agent=OuterRef("pk")))
    agents = Agent.objects.filter(workspace=workspace, name__in=wanted)
    yield from agents.filter(Q(declared=True) | acted).values_list("name", flat=True)
    calls = SignOfLife.objects.filter(workspace=workspace, agent__in=wanted)
    yield from calls.values_list("agent", flat=True)


def _lanes(workspace: Workspace, facts: _Facts, now: datetime) -> Iterator[Alarm]:
    """Yield untaken writes that others have waited behind for longer than a lease."""
    length = timedelta(minutes=workspace.handoff_lease)
    rows = {row.pk: row for row in facts.heads}
    for row_id, number in facts.behind.items():
        if (row := rows.get(row_id)) is None:
            continue
        since = max(row.since, facts.freed_at or row.since)
        if now - since > length:
            yield Alarm(LANE, since, row, (row.recipient, str(number)))
