"""The write lane of a workspace, and what else is not finished in it."""

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

#: Characters of a context that lists show.
_EXCERPT = 300
#: Columns and what they are of, in the order of `Unfinished`.
_COLUMNS = (
    "id", "task_id", "sender", "recipient", "type", "state", "acts", "in_lane", "away",
    "signed_by", "taken_by", "occurred_at", "last_at", "first_seq", "position",
    Left("context", _EXCERPT), "topic__name",
)  # fmt: skip
#: Of those in progress, where files say that there are many: one that is another.
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
        """The reads in progress beside the lane, the last begun first."""
        reads = [
            row
            for row in self.rows
            if row.type == READ_ONLY and row.state == IN_PROGRESS and not row.away
        ]
        return tuple(sorted(reads, key=lambda r: (r.since, turn_of(r)), reverse=True))

    @property
    def waits(self) -> tuple[Unfinished, ...]:
        """Those whose sender waits for somebody to act."""
        return tuple(row for row in self.rows if row.sender and row.acts)

    @property
    def unsigned(self) -> tuple[Unfinished, ...]:
        """Decisions that files say are in progress without a sign-off."""
        begun = (row for row in self.rows if row.state == IN_PROGRESS)
        return tuple(r for r in begun if r.type == DECISION and not r.signed_by)


def turns(workspace: Workspace, row_id: int | None = None) -> Lane[Unfinished]:
    """Return of the lane what decides on one write, in one query.

    That is what is in progress, the first that is open, and the write itself; without
    one, what decides on any, once that one is in it, too.
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
    """Return what is not finished, kept until a handoff changes."""
    return kept_of_handoffs(workspace, "unfinished", lambda: unfinished(workspace))


def unfinished(workspace: Workspace) -> OpenWork:
    """Return what is not finished, in one query."""
    alive = Handoff.objects.filter(workspace=workspace, last_seq__isnull=True)
    rows = alive.filter(state__in=UNFINISHED).order_by(*IN_TURN)
    return OpenWork(tuple(map(Unfinished._make, rows.values_list(*_COLUMNS))))
