"""Tasks that wait for one another, and deadlocks among them.

An untaken task waits for those that it comes after, and an unfinished one for those
that are part of it. An untaken write waits as well for the write that has its lane, and
for other work that its agent has begun, except that of which it is part. Nothing else
is a wait: an agent answers a question beside its work, and goes on with begun work.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from django.db.models import Q, QuerySet

from memoryhub.dialects.handoff import listed_in
from memoryhub.handoffs.models import Handoff, HandoffStep
from memoryhub.handoffs.queries.lane import OpenWork, open_work, unfinished
from memoryhub.handoffs.queries.resends import HANDED_OFF_AGAIN
from memoryhub.handoffs.rules.acting import (
    ACTIVE,
    IN_PROGRESS,
    TAKEN_FROM,
    UNFINISHED,
    WRITE,
    Lane,
)
from memoryhub.handoffs.rules.fields import PERSON
from memoryhub.journal.models import Workspace


def circles_of(waits: Iterable[tuple[str, str]]) -> tuple[tuple[str, ...], ...]:
    """Return the circles of names, each waiting for the next one.

    Each name is in at most one circle: further ones show once it is broken.
    """
    ahead: dict[str, list[str]] = {}
    for waiting, on in waits:
        if waiting != on:
            ahead.setdefault(waiting, []).append(on)
    found: list[tuple[str, ...]] = []
    settled: set[str] = set()
    for name in sorted(ahead):
        if name not in settled:
            found += _circles_from(name, ahead, settled)
    return tuple(found)


def _circles_from(
    start: str, ahead: dict[str, list[str]], settled: set[str]
) -> list[tuple[str, ...]]:
    """Search depth-first from a name; return the circles it closes."""
    found, path = [], [start]
    todo = [iter(sorted(set(ahead.get(start, ()))))]
    on_path = {start: 0}
    while todo:
        name = next(todo[-1], None)
        if name is None:
            todo.pop()
            settled.add(last := path.pop())
            del on_path[last]
        elif name in on_path:
            found.append(tuple(path[on_path[name] :]))
        elif name not in settled:
            on_path[name] = len(path)
            path.append(name)
            todo.append(iter(sorted(set(ahead.get(name, ())))))
    return found


class Deadlock(NamedTuple):
    """Tasks of which each waits for the next, and the agents that have them."""

    tasks: tuple[str, ...]
    agents: tuple[str, ...]


class Deadlocked(NamedTuple):
    """A task in a deadlock, since when, and its shortest circle from the task on."""

    handoff: Handoff
    since: datetime
    deadlock: Deadlock


def deadlocks(workspace: Workspace) -> tuple[Deadlock, ...]:
    """Return the deadlocks of a workspace, each once."""
    return _deadlocks(open_work(workspace)) if _may_be_any(workspace) else ()


def deadlocked(workspace: Workspace) -> tuple[Deadlocked, ...]:
    """Return each task of this workspace that is in a deadlock, the oldest first."""
    if not deadlocks(workspace):
        return ()
    work = open_work(workspace)
    ahead = _Tasks.of(work).reached()
    rows = {row.pk: row for row in work.rows}
    own = (row for row in work.rows if not row.away)
    found = ((row, _circle_through(row.pk, ahead)) for row in own)
    return tuple(
        Deadlocked(
            row,
            max(rows[pk].since for pk in circle),
            _deadlock([rows[pk] for pk in circle]),
        )
        for row, circle in found
        if circle
    )


def deadlock_with(handoff: Handoff) -> Deadlock | None:
    """Return the deadlock that a handoff is part of, the shortest."""
    if not _may_wait(handoff) or not _with_ties(handoff.side).exists():
        return None
    work = unfinished(handoff.side)
    circle = _circle_through(handoff.pk, _Tasks.of(work).reached())
    if not circle:
        return None
    places = {row.pk: place for place, row in enumerate(work.rows)}
    first = circle.index(min(circle, key=places.__getitem__))
    turned = [*circle[first:], *circle[:first]]
    return _deadlock([work.rows[places[pk]] for pk in turned])


def _circle_through(pk: int, ahead: Mapping[int, list[int]]) -> list[int]:
    """Return the shortest circle of waits from a task to itself; empty without one."""
    paths = {on: [pk] for on in ahead.get(pk, ())}
    todo = deque(paths)
    while todo:
        here = todo.popleft()
        for on in ahead.get(here, ()):
            if on == pk:
                return [*paths[here], here]
            if on not in paths:
                paths[on] = [*paths[here], here]
                todo.append(on)
    return []


def _may_wait(handoff: Handoff) -> bool:
    """Return whether a task can wait for another, without reading the others."""
    if handoff.state in TAKEN_FROM and (handoff.after or handoff.type == WRITE):
        return True
    if handoff.state not in ACTIVE:
        return False
    names = (handoff.task_id, f"{handoff.workspace.slug}/{handoff.task_id}")
    parts = Handoff.objects.filter(parent__in=names, state__in=UNFINISHED)
    return parts.filter(last_seq__isnull=True).exists()


def _may_be_any(workspace: Workspace) -> bool:
    """Return whether there can be a deadlock, by the tasks with ties alone.

    A lane and begun work lead only to tasks that come after nothing unfinished. So
    without parts each task of a circle comes after the next one: by the names that
    tasks have here, unless work was handed off again or is elsewhere.
    """
    ahead: dict[str, tuple[str, ...]] = {}
    tied = _with_ties(workspace).values_list("task_id", "after", "parent")
    for name, after, parent in tied:
        ahead[name] = (*ahead.get(name, ()), *listed_in(after))
        if parent or "/" in after:
            return True
    pairs = [(name, on) for name, found in ahead.items() for on in found]
    if circles_of(pairs):
        return True
    others = {on for _, on in pairs} - ahead.keys()
    again = HandoffStep.objects.filter(verb=HANDED_OFF_AGAIN, last_seq__isnull=True)
    of_others = again.filter(workspace=workspace, handoff__task_id__in=others)
    return of_others.exists() if others else False


def _with_ties(workspace: Workspace) -> QuerySet[Handoff]:
    return Handoff.objects.filter(
        Q(workspace=workspace) | Q(origin=workspace.slug),
        Q(after__gt="") | Q(parent__gt=""),
        state__in=UNFINISHED,
        last_seq__isnull=True,
    ).order_by()


def _deadlocks(work: OpenWork) -> tuple[Deadlock, ...]:
    if not any(row.after or row.parent for row in work.rows):
        return ()
    tasks = _Tasks.of(work)
    ahead = tasks.reached()
    places = {row.pk: f"{n:09}" for n, row in enumerate(work.rows)}
    pairs = ((places[one], places[on]) for one, found in ahead.items() for on in found)
    circles = ([work.rows[int(n)] for n in found] for found in circles_of(pairs))
    return tuple(map(_deadlock, circles))


def _deadlock(circle: Sequence[Handoff]) -> Deadlock:
    return Deadlock(
        tuple(map(_name, circle)), tuple(dict.fromkeys(map(_holder, circle)))
    )


def _name(row: Handoff) -> str:
    """Return a task's name as its side calls it."""
    return f"{row.home_slug}/{row.name}" if row.away else row.name


def _holder(row: Handoff) -> str:
    if row.state == IN_PROGRESS:
        return row.taken_by or row.recipient
    return row.recipient if row.acts == PERSON else row.acts or row.recipient


@dataclass(frozen=True, slots=True)
class _Tasks:
    """Unfinished tasks by id, with indexes of their dependencies."""

    rows: Mapping[int, Handoff]
    lane: Lane
    slugs: Mapping[int, str]
    named: Mapping[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    parts: Mapping[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    begun: Mapping[str, list[int]] = field(default_factory=lambda: defaultdict(list))

    @classmethod
    def of(cls, work: OpenWork) -> _Tasks:
        known = Workspace.everything.filter(
            pk__in={row.workspace_id for row in work.rows}
        )
        slugs = dict(known.values_list("pk", "slug"))
        tasks = cls({row.pk: row for row in work.rows}, work.lane, slugs)
        for name, ids in work.named.items():
            tasks.named[name] += (pk for pk in ids if pk in tasks.rows)
        for row in work.rows:
            for name in tasks.names_of(row):
                # Work that was handed off again is not where its name was.
                if name not in work.named:
                    tasks.named[name].append(row.pk)
            if row.parent:
                tasks.parts[row.parent].append(row.pk)
            if row.state == IN_PROGRESS:
                tasks.begun[_holder(row)].append(row.pk)
        return tasks

    def reached(self) -> dict[int, list[int]]:
        """Return the waits of tasks that have ties, and of all that they lead to."""
        todo = [row.pk for row in self.rows.values() if row.after or row.parent]
        todo += [pk for name in self.parts for pk in self.named.get(name, ())]
        ahead: dict[int, list[int]] = {}
        while todo:
            if (pk := todo.pop()) not in ahead:
                ahead[pk] = [on for on in self._waits(self.rows[pk]) if on != pk]
                todo += ahead[pk]
        return ahead

    def names_of(self, row: Handoff) -> tuple[str, str]:
        """Return the names by which other tasks can mean one."""
        return row.task_id, f"{self.slugs[row.workspace_id]}/{row.task_id}"

    def _waits(self, row: Handoff) -> Iterator[int]:
        if row.state in TAKEN_FROM:
            for name in listed_in(row.after):
                yield from self.named.get(name, ())
        if row.state in ACTIVE:
            for name in self.names_of(row):
                yield from self.parts.get(name, ())
        if row.type == WRITE and row.state in TAKEN_FROM:
            yield from self._before(row)
            whole = self.named.get(row.parent, ())
            begun = self.begun.get(row.recipient, ())
            yield from (pk for pk in begun if pk not in whole)

    def _before(self, row: Handoff) -> Iterable[int]:
        """Return the write that has the lane, or goes first in it."""
        first = self.lane.before(row) if row.in_lane else None
        return [first.id] if first else []
