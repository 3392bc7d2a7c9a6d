"""Alarms of handoffs that stand still without waiting for a person.

A handoff is in one alarm at most, the first that holds of `KINDS`.

Everything that stands still has alarms, deadlocks, failed work, breakers and claims; an
agent sees those of its handoffs, a coordinator every one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from hashlib import blake2b
from itertools import chain, islice
from typing import NamedTuple

from django.db.models import Case, Exists, Max, OuterRef, Q, QuerySet, Subquery, When
from django.db.models.functions import Coalesce, Least

from memoryhub.claims.queries import Overlap, overlaps_now
from memoryhub.compaction.breaker import Breaker
from memoryhub.dialects.handoff import listed_in
from memoryhub.events.models import UNTIMED, Event
from memoryhub.formats.text.source import first_sentence
from memoryhub.handoffs.models import (
    ALIVE_AT,
    NOT_LISTED,
    Handoff,
    HandoffStep,
    SignOfLife,
)
from memoryhub.handoffs.queries.agents import coordinates, is_known
from memoryhub.handoffs.queries.lane import open_work, states_named
from memoryhub.handoffs.queries.resends import HANDED_OFF_AGAIN
from memoryhub.handoffs.queries.sides import handoffs_of
from memoryhub.handoffs.queries.waiting import deadlocked
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
from memoryhub.journal.breakers import open_breakers
from memoryhub.journal.models import Agent, SourceFile, Workspace
from memoryhub.journal.ownership import is_person
from memoryhub.journal.page_cache import cached, cached_by_handoffs, relate


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
    newest = HandoffStep.objects.filter(workspace=workspace).order_by(ALIVE_AT.desc())
    last_lines = newest.values_list("actor", ALIVE_AT)
    lines = (line for name in names for line in last_lines.filter(actor=name)[:1])
    signs = dict(calls.values_list("agent", "at"))
    written = _written(workspace, names, min(begun[row.pk] for row in rows))
    for agent, last in chain(lines, written):
        signs[agent] = max(last, signs.get(agent, last))
    return signs


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


DEADLOCK, FAILURE, BREAKER, CLAIMS = "deadlock", "failed", "breaker", "claims"
#: How long failed work is named, and most of it.
FAILED_FOR, _MOST_STUCK = timedelta(days=7), 200


class Standstill(NamedTuple):
    """All alarms of a workspace: those of agents, of handoffs, of claims of files."""

    breakers: tuple[Breaker, ...]
    alarms: tuple[Alarm, ...]
    claims: tuple[Overlap, ...]


def standstill(workspace: Workspace, now: datetime) -> Standstill:
    """Return every alarm, each kind with the most urgent first."""
    unfinished = with_files(alarms_and_deadlocks(workspace, now))
    return Standstill(
        tuple(open_breakers(workspace)),
        (*unfinished, *failures(workspace, now)),
        overlaps_now(workspace, now),
    )


def alarms_and_deadlocks(workspace: Workspace, now: datetime) -> tuple[Alarm, ...]:
    """Return the alarms, after one for each task that is in a deadlock."""
    found = cached_by_handoffs(workspace, "deadlocked", lambda: _deadlocks(workspace))
    return (*found, *alarms(workspace, now))


def with_files(found: tuple[Alarm, ...]) -> tuple[Alarm, ...]:
    """Read the paths of the files of alarms' handoffs, in one query."""
    rows = [a.handoff for a in found if not Handoff.file.is_cached(a.handoff)]
    files = SourceFile.objects.only("path").in_bulk({row.file_id for row in rows})
    relate(rows, "file", files)
    return found


def failures(workspace: Workspace, now: datetime) -> tuple[Alarm, ...]:
    """Return this workspace's work that failed in the last week, the newest first."""
    if not has_failed(workspace):
        return ()
    own = failed_lately(workspace, now).filter(workspace=workspace, twin="")
    rows = own.select_related("workspace", "file", "topic").defer(*NOT_LISTED)
    return tuple(
        Alarm(FAILURE, row.since, row, (row.taken_by or row.recipient,))
        for row in rows[:_MOST_STUCK]
    )


def has_failed(workspace: Workspace) -> bool:
    """Return whether any handoff has failed, however long ago: most have none."""
    sides = Q(workspace=workspace) | Q(origin=workspace.slug)
    failed = Handoff.objects.filter(sides, state=FAILED, last_seq__isnull=True)
    return failed.exists()


def failed_lately(workspace: Workspace, now: datetime) -> QuerySet[Handoff]:
    """Return work that failed in the last week and was not handed off again.

    Where no file says when it failed, the time at which the result was read counts.
    """
    results = HandoffStep.objects.filter(
        handoff=OuterRef("pk"), is_result=True, verb=FAILED, last_seq__isnull=True
    )
    read_at = results.order_by("-first_seq").values("recorded_at")[:1]
    rows = handoffs_of(workspace).filter(state=FAILED)
    rows = rows.annotate(
        failed_at=Coalesce("finished_at", Subquery(read_at), "last_at")
    )
    rows = rows.filter(failed_at__gte=now - FAILED_FOR)
    return rows.exclude(last_verb=HANDED_OFF_AGAIN).order_by("-failed_at")


def _deadlocks(workspace: Workspace) -> tuple[Alarm, ...]:
    found = deadlocked(workspace)
    return tuple(Alarm(DEADLOCK, d.since, d.handoff, d.deadlock.tasks) for d in found)


#: Most alarms of an agent, the most urgent ones: a cursor remembers as many.
_MOST_WARNINGS = 200
_DIGEST = 4


class Warned(NamedTuple):
    """An alarm for an agent; without a handoff, `agent` is whom it is about.

    `since`: part of the identity of alarms that can come again unchanged.
    """

    kind: str
    at: datetime | None
    reason: str
    handoff: Handoff | None = None
    agent: str = ""
    since: str = ""

    @property
    def digest(self) -> str:
        about = self.handoff.code if self.handoff else self.agent
        names = self.reason.replace(", ", " ") if self.handoff else self.reason
        return digest(f"{self.kind} {about} {names}{self.since}")


def digest(text: str) -> str:
    """Return a short digest of an item, as cursors store it."""
    return blake2b(text.encode("utf-8", "replace"), digest_size=_DIGEST).hexdigest()


def warnings_for(
    workspace: Workspace, agent: str, now: datetime, hidden: str = ""
) -> tuple[Warned, ...]:
    """Return the alarms for an agent, the most urgent first.

    `hidden`: path of the file whose handoffs are left out.
    """
    if coordinates(workspace, agent):
        found = _all_warnings(workspace, agent, now)
    else:
        every = with_files(alarms_and_deadlocks(workspace, now))
        found = (_of_handoff(a) for a in every if agent in _concerned(a.handoff))
    return tuple(islice((w for w in found if not _is_at(w, hidden)), _MOST_WARNINGS))


def _all_warnings(workspace: Workspace, agent: str, now: datetime) -> Iterator[Warned]:
    """Yield every alarm, without the failures of the agent itself."""
    every = standstill(workspace, now)
    yield from map(_of_breaker, every.breakers)
    for alarm in every.alarms:
        if (alarm.kind, *alarm.names) != (FAILURE, agent):
            yield _of_handoff(alarm)
    yield from map(_of_claims, every.claims)


def _of_breaker(breaker: Breaker) -> Warned:
    about = breaker.reason
    return Warned(BREAKER, breaker.at, about, None, breaker.agent, breaker.since)


def _of_handoff(alarm: Alarm) -> Warned:
    names, row = ", ".join(alarm.names), alarm.handoff
    if alarm.kind != FAILURE:
        return Warned(alarm.kind, alarm.at, names, row)
    reason = f"{names}: {first_sentence(row.why)}" if row.why else names
    return Warned(FAILURE, alarm.at, reason, row, since=alarm.at.isoformat())


def _of_claims(overlap: Overlap) -> Warned:
    first, second = overlap
    about = f"{second.name} meets {first.name} of {first.agent}"
    at = second.made_at
    return Warned(CLAIMS, at, about, None, second.agent, at.isoformat())


def _concerned(row: Handoff) -> tuple[str, ...]:
    return row.sender, row.recipient, row.taken_by


def _is_at(warned: Warned, path: str) -> bool:
    row = warned.handoff
    return bool(row and path and row.file.path.casefold() == path.casefold())
