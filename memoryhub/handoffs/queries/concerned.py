"""Whom changes of handoffs concern: so that only those who wait for them are woken."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import NamedTuple

from memoryhub.formats.hub.handoff import SAID
from memoryhub.handoffs.models import NOT_LISTED, Handoff, HandoffStep
from memoryhub.handoffs.queries.alarms import alarms_and_deadlocks, warnings_for
from memoryhub.handoffs.queries.board import Filters, ready
from memoryhub.handoffs.queries.inbox import seqs_of, within
from memoryhub.handoffs.queries.lane import turns_listed
from memoryhub.handoffs.queries.sides import of_sides, seen_from
from memoryhub.handoffs.rules.acting import OPEN
from memoryhub.handoffs.rules.parties import (
    BY_COORDINATOR,
    is_pool,
    mentioned_in,
    reviewer_of,
    reviewers_of,
)
from memoryhub.journal.models import Workspace
from memoryhub.journal.ownership import is_person

#: Most handoffs that can be taken, and of changed ones, that are looked at.
_READY, _CHANGED = 200, 200


class Heads(NamedTuple):
    """State of a workspace's handoffs: seqs of journals, takeable ones, alarms.

    `ready`: recipient by row. `alarms`: keys. `coordinated`: identities of those for
    coordinators.
    """

    seqs: Mapping[int, int]
    ready: Mapping[int, str]
    alarms: frozenset[object]
    coordinated: frozenset[str]


def heads_of(workspace: Workspace, now: datetime) -> Heads:
    """Return the state of a workspace's handoffs."""
    rows = ready(
        workspace, Filters(state=OPEN), turns_listed(workspace), now, limit=_READY
    )
    return Heads(
        seqs_of(workspace),
        {row.pk: row.recipient for row in rows},
        frozenset(a.key for a in alarms_and_deadlocks(workspace, now)),
        frozenset(_for_coordinators(workspace, now)),
    )


def _for_coordinators(workspace: Workspace, now: datetime) -> Iterator[str]:
    for name in workspace.coordinators[:1]:
        yield from (one.digest for one in warnings_for(workspace, name, now))


def concerned(
    workspace: Workspace, before: Heads, after: Heads
) -> frozenset[str] | None:
    """Return the agents for whom something changed; None if anybody may be."""
    if after.alarms - before.alarms:
        return None
    names = {after.ready[pk] for pk in after.ready.keys() - before.ready.keys()}
    rows = _changed(workspace, before, after)
    if len(rows) >= _CHANGED:
        return None
    names |= {name for row in rows for name in (row.sender, row.recipient)}
    names |= {row.taken_by for row in rows}
    for row in rows:
        names |= _reviewers(workspace, row)
    if after.coordinated - before.coordinated:
        names |= set(workspace.coordinators)
    is_for_any = any(map(is_pool, names)) or _mentions_agents(before, after)
    return None if is_for_any else frozenset(names)


def _reviewers(workspace: Workspace, row: Handoff) -> set[str]:
    if reviewer_of(row) == BY_COORDINATOR:
        return set(workspace.coordinators)
    return reviewers_of(row)


def _mentions_agents(before: Heads, after: Heads) -> bool:
    """Return whether a new message mentions an agent, by whatever spelling."""
    said = HandoffStep.objects.filter(
        within(before.seqs, after.seqs), verb=SAID, reason__contains="@"
    )
    texts = said.order_by().values_list("reason", flat=True)[:_CHANGED]
    names = (name for text in texts for name in mentioned_in(text))
    return not all(map(is_person, names))


def _changed(workspace: Workspace, before: Heads, after: Heads) -> list[Handoff]:
    new = within(before.seqs, after.seqs)
    moved = HandoffStep.objects.filter(new).values("handoff")
    live = of_sides(Handoff.objects.filter(last_seq__isnull=True), [workspace])
    sent = live.filter(new).values("pk")
    rows = live.filter(pk__in=sent) | live.filter(pk__in=moved)
    cards = rows.select_related("workspace").defer(*NOT_LISTED)
    return seen_from([workspace], cards[:_CHANGED])
