"""The write lane of a workspace, and its other unfinished handoffs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from django.db.models import Q, QuerySet

from memoryhub.handoffs.models import IN_TURN, NOT_LISTED, Handoff
from memoryhub.handoffs.queries.after import last_named, states_after, states_of
from memoryhub.handoffs.queries.sides import handoffs_of, seen_from
from memoryhub.handoffs.rules.acting import (
    DECISION,
    IN_PROGRESS,
    OPEN,
    READ_ONLY,
    UNFINISHED,
    Lane,
    lane_of,
    turn_of,
)
from memoryhub.journal.models import Workspace
from memoryhub.journal.page_cache import cached_by_handoffs
from memoryhub.journal.row_memo import RowMemo, relate
from topics.models import Topic

#: Columns of the fields of `rules.fields.Sent`, all that the lane needs of a write.
_SENT = (
    "task_id", "sender", "recipient", "state", "taken_by", "occurred_at", "last_at",
    "first_seq", "position", "context", "after", "repository", "paths", "priority",
    "overridden",
)  # fmt: skip
#: Writes that are not all of one lane, in the order they were sent.
_APART = Q(repository__gt="") | Q(paths__gt="") | Q(priority__gt="") | Q(after__gt="")
#: Of several in progress two are enough: one of them is not the row asked about.
_BEGUN = 2
#: Unfinished handoffs of workspaces as they were read last.
_ROWS: RowMemo[Handoff] = RowMemo(100)


@dataclass(frozen=True)
class OpenWork:
    """The unfinished handoffs of a workspace in the order they were sent."""

    rows: tuple[Handoff, ...]
    #: States of the tasks that some of them come after, by name.
    states: Mapping[str, str] = field(default_factory=dict)
    #: Ids of these tasks by name; of work handed off again that of the last handoff.
    named: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    @cached_property
    def lane(self) -> Lane:
        lane = lane_of(row for row in self.rows if row.in_lane)
        return replace(lane, states=self.states)

    @cached_property
    def reads(self) -> tuple[Handoff, ...]:
        """Reads in progress, the last begun first."""
        reads = [
            row
            for row in self.rows
            if row.type == READ_ONLY and row.state == IN_PROGRESS and not row.away
        ]
        return tuple(sorted(reads, key=lambda r: (r.since, turn_of(r)), reverse=True))

    @cached_property
    def waits(self) -> tuple[Handoff, ...]:
        """Handoffs whose sender waits for somebody else to act."""
        rows = (row for row in self.rows if row.sender and row.acts)
        return tuple(row for row in rows if row.acts != row.sender)

    @cached_property
    def unsigned(self) -> tuple[Handoff, ...]:
        """Decisions in progress without a sign-off."""
        begun = (row for row in self.rows if row.state == IN_PROGRESS)
        return tuple(r for r in begun if r.type == DECISION and not r.signed_by)


def turns(workspace: Workspace, row_id: int | None = None) -> Lane:
    """Return the part of the lane that decides on one write, in one query.

    These are writes in progress, the first open one and the write itself; all of them
    where one names files, a priority or what it comes after. Without an id: the part
    that decides on any write, once that write is added.
    """
    alive = Handoff.objects.filter(workspace=workspace, last_seq__isnull=True)
    writes = alive.filter(in_lane=True).order_by(*IN_TURN)
    rows = writes if writes.filter(_APART).exists() else _first(writes, row_id)
    lane = lane_of(rows.only(*_SENT))
    return replace(lane, states=states_after(workspace))


def turns_listed(workspace: Workspace) -> Lane:
    """Return the lane for lists, which decide nothing; cached until a handoff changes.

    What begins a write asks `turns`, in the lane's lock.
    """
    return cached_by_handoffs(workspace, "turns", lambda: turns(workspace))


def _first(writes: QuerySet[Handoff], row_id: int | None) -> QuerySet[Handoff]:
    """Return the writes that decide where all are of one lane."""
    first = writes.filter(state=OPEN)[:1]
    begun = writes.filter(state=IN_PROGRESS)[:_BEGUN]
    return writes.filter(
        Q(pk=row_id) | Q(pk__in=begun.values("pk")) | Q(pk__in=first.values("pk"))
    )


def open_work(workspace: Workspace) -> OpenWork:
    """Return unfinished handoffs; cached until a handoff changes."""
    return cached_by_handoffs(workspace, "unfinished", lambda: unfinished(workspace))


def unfinished(workspace: Workspace) -> OpenWork:
    """Return unfinished handoffs, also those whose work is done elsewhere."""
    rows = handoffs_of(workspace).filter(state__in=UNFINISHED).order_by(*IN_TURN)
    read = _ROWS.read(workspace.pk, rows.defer(*NOT_LISTED))
    topics = {row.topic_id for row in read if row.topic_id}
    relate(read, "topic", Topic.objects.in_bulk(topics))
    found = tuple(seen_from([workspace], read))
    lists = [row.after for row in found if row.after]
    last = last_named(workspace, lists) if lists else {}
    ids = {name: tuple(row.pk for row in rows) for name, rows in last.items()}
    return OpenWork(found, states_of(last), ids)
