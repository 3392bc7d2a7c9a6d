"""The write lane of a workspace, and its other unfinished handoffs."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Q
from django.db.models.functions import Left

from memoryhub.handoffs.models import IN_TURN, Handoff
from memoryhub.handoffs.rules.acting import (
    DECISION,
    IN_PROGRESS,
    OPEN,
    READ_ONLY,
    UNFINISHED,
    Lane,
    Unfinished,
    lane_of,
    turn_of,
)
from memoryhub.journal.models import Workspace
from memoryhub.journal.page_cache import kept_of_handoffs

#: Characters of a context in lists.
_EXCERPT = 300
#: Columns in the order of the fields of `Unfinished`.
_COLUMNS = (
    "id", "task_id", "sender", "recipient", "type", "state", "acts", "in_lane", "away",
    "signed_by", "taken_by", "occurred_at", "last_at", "first_seq", "position",
    Left("context", _EXCERPT), "topic__name",
)  # fmt: skip
#: Of several in progress two are enough: one of them is not the row asked about.
_BEGUN = 2


@dataclass(frozen=True, slots=True)
class OpenWork:
    """The unfinished handoffs of a workspace in the order they were sent."""

    rows: tuple[Unfinished, ...]

    @property
    def lane(self) -> Lane[Unfinished]:
        return Lane(tuple(row for row in self.rows if row.in_lane))

    @property
    def reads(self) -> tuple[Unfinished, ...]:
        """Reads in progress, the last begun first."""
        reads = [
            row
            for row in self.rows
            if row.type == READ_ONLY and row.state == IN_PROGRESS and not row.away
        ]
        return tuple(sorted(reads, key=lambda r: (r.since, turn_of(r)), reverse=True))

    @property
    def waits(self) -> tuple[Unfinished, ...]:
        """Handoffs whose sender waits for somebody to act."""
        return tuple(row for row in self.rows if row.sender and row.acts)

    @property
    def unsigned(self) -> tuple[Unfinished, ...]:
        """Decisions in progress without a sign-off."""
        begun = (row for row in self.rows if row.state == IN_PROGRESS)
        return tuple(r for r in begun if r.type == DECISION and not r.signed_by)


def turns(workspace: Workspace, row_id: int | None = None) -> Lane[Unfinished]:
    """Return the part of the lane that decides on one write, in one query.

    These are writes in progress, the first open one and the write itself. Without an
    id: the part that decides on any write, once that write is added.
    """
    alive = Handoff.objects.filter(workspace=workspace, last_seq__isnull=True)
    writes = alive.filter(in_lane=True).order_by(*IN_TURN)
    first = writes.filter(state=OPEN)[:1]
    begun = writes.filter(state=IN_PROGRESS)[:_BEGUN]
    rows = writes.filter(
        Q(pk=row_id) | Q(pk__in=begun.values("pk")) | Q(pk__in=first.values("pk"))
    )
    return lane_of(map(Unfinished._make, rows.values_list(*_COLUMNS)))


def open_work(workspace: Workspace) -> OpenWork:
    """Return unfinished handoffs; cached until a handoff changes."""
    return kept_of_handoffs(workspace, "unfinished", lambda: unfinished(workspace))


def unfinished(workspace: Workspace) -> OpenWork:
    """Return unfinished handoffs, in one query."""
    alive = Handoff.objects.filter(workspace=workspace, last_seq__isnull=True)
    rows = alive.filter(state__in=UNFINISHED).order_by(*IN_TURN)
    return OpenWork(tuple(map(Unfinished._make, rows.values_list(*_COLUMNS))))
