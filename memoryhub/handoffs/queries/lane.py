"""The write lane of a workspace, and what else is not finished in it."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Q

from memoryhub.events.rules.waiting import Wait
from memoryhub.handoffs.models import IN_TURN, Handoff
from memoryhub.handoffs.queries.waiting import waited_on
from memoryhub.handoffs.rules.acting import (
    DECISION,
    IN_PROGRESS,
    OPEN,
    READ_ONLY,
    UNFINISHED,
    WRITE,
    Lane,
    Write,
    lane_of,
    moved_of,
)
from memoryhub.journal.models import Workspace

_COLUMNS = (
    "id", "task_id", "sender", "recipient", "state", "taken_by", "context",
    "occurred_at", "last_at", "first_seq", "position",
)  # fmt: skip
#: Of those in progress, where files say that there are many: one that is another.
_BEGUN = 2


@dataclass(frozen=True, slots=True)
class Unfinished:
    """The lane, the reads beside it, the last begun first, and who waits for whom.

    `unsigned` are decisions that files say are in progress without a sign-off.
    """

    lane: Lane
    reads: tuple[Write, ...]
    waits: tuple[Wait, ...]
    unsigned: tuple[Write, ...]


def turns(workspace: Workspace, row_id: int | None = None) -> Lane:
    """Return of the lane what decides on one write, in one query.

    That is what is in progress, the first that is open, and the write itself; without
    one, what decides on any, once that one is in it, too.
    """
    writes = Handoff.objects.filter(
        workspace=workspace, last_seq__isnull=True, type=WRITE, away=False
    ).order_by(*IN_TURN)
    first = writes.filter(state=OPEN)[:1]
    begun = writes.filter(state=IN_PROGRESS)[:_BEGUN]
    rows = writes.filter(state__in=UNFINISHED).filter(
        Q(pk=row_id) | Q(pk__in=begun.values("pk")) | Q(pk__in=first.values("pk"))
    )
    return lane_of(map(Write._make, rows.values_list(*_COLUMNS)))


def unfinished(workspace: Workspace) -> Unfinished:
    """Return what is not finished as pages need it, in one query."""
    rows = Handoff.objects.filter(
        workspace=workspace, last_seq__isnull=True, state__in=UNFINISHED
    ).order_by(*IN_TURN)
    writes: list[Write] = []
    reads: list[Write] = []
    waits: list[Wait] = []
    unsigned: list[Write] = []
    for kind, signed_by, away, *said in rows.values_list(
        "type", "signed_by", "away", *_COLUMNS
    ):
        row = Write._make(said)
        if row.sender and row.recipient:
            waits.append(_wait(kind, signed_by, row))
        if kind == WRITE and not away:
            writes.append(row)
        if kind == READ_ONLY and row.state == IN_PROGRESS and not away:
            reads.append(row)
        if kind == DECISION and row.state == IN_PROGRESS and not signed_by:
            unsigned.append(row)
    reads.sort(key=moved_of, reverse=True)
    return Unfinished(lane_of(writes), tuple(reads), tuple(waits), tuple(unsigned))


def _wait(kind: str, signed_by: str, row: Write) -> Wait:
    on = waited_on(row.recipient, kind, signed_by)
    return Wait(row.sender, on, row.task_id, kind, row.state, row.sent_at, row.id)
