"""Tasks that wait for one another, and deadlocks among them.

A task waits for those that it comes after, for those that are part of it, and, if it is
an untaken write, for the write that has its lane, and for the work that its agent has
begun. Nothing else is a wait: an agent answers a question beside its work.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from django.db.models import Q

from memoryhub.events.rules.waiting import circles_of
from memoryhub.formats.hub.handoff_blocks import listed_in
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.lane import OpenWork, open_work, unfinished
from memoryhub.handoffs.rules.acting import (
    IN_PROGRESS,
    TAKEN_FROM,
    UNFINISHED,
    WRITE,
    Lane,
)
from memoryhub.handoffs.rules.standing import PERSON
from memoryhub.journal.models import Workspace
from memoryhub.journal.prepared import Prepared


class Deadlock(NamedTuple):
    """Tasks of which each waits for the next, and the agents that have them."""

    tasks: tuple[str, ...]
    agents: tuple[str, ...]


def deadlocks(workspace: Workspace) -> tuple[Deadlock, ...]:
    """Return the deadlocks of a workspace, each once."""
    return _deadlocks(open_work(workspace)) if _has_ties(workspace) else ()


def deadlock_with(handoff: Handoff) -> Deadlock | None:
    """Return the deadlock that a handoff is part of, the shortest."""
    if not _may_wait(handoff) or not _has_ties(handoff.side):
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
    if handoff.state not in UNFINISHED:
        return False
    if handoff.after or (handoff.type == WRITE and handoff.state in TAKEN_FROM):
        return True
    names = (handoff.task_id, f"{handoff.workspace.slug}/{handoff.task_id}")
    parts = Handoff.objects.filter(parent__in=names, state__in=UNFINISHED)
    return parts.filter(last_seq__isnull=True).exists()


def _has_ties(workspace: Workspace) -> bool:
    """Return whether an unfinished task comes after others or is part of one."""
    return bool(_TIED(workspace.pk, workspace.slug))


_TIED: Prepared[int] = Prepared(
    lambda workspace_id, slug: (
        Handoff.objects.filter(
            Q(workspace_id=workspace_id) | Q(origin=slug),
            Q(after__gt="") | Q(parent__gt=""),
            state__in=UNFINISHED,
            last_seq__isnull=True,
        )
        .order_by()
        .values_list("pk", flat=True)[:1]
    ),
    int,
    str,
)


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
        for name in listed_in(row.after):
            yield from self.named.get(name, ())
        for name in self.names_of(row):
            yield from self.parts.get(name, ())
        if row.type == WRITE and row.state in TAKEN_FROM:
            yield from self._before(row)
            yield from self.begun.get(row.recipient, ())

    def _before(self, row: Handoff) -> Iterable[int]:
        """Return the write that has the lane, or goes first in it."""
        first = self.lane.before(row) if row.in_lane else None
        return [first.id] if first else []
