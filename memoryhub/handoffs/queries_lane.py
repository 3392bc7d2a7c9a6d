"""The write lane of a workspace, as the rules and pages see it."""

from __future__ import annotations

from django.db.models import Q, QuerySet

from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.rules import (
    IN_PROGRESS,
    READ_ONLY,
    UNFINISHED,
    WRITE,
    Lane,
    Write,
    lane_of,
)
from memoryhub.workspaces.models import Workspace

_COLUMNS = (
    "id", "task_id", "sender", "recipient", "state", "taken_by", "context",
    "occurred_at", "last_at",
)  # fmt: skip


def lane(workspace: Workspace) -> Lane:
    """Return the unfinished writes that are done in this workspace, in one query."""
    rows = _here(workspace).filter(state__in=UNFINISHED, type=WRITE)
    return lane_of(map(Write._make, rows.values_list(*_COLUMNS)))


def lane_and_reads(workspace: Workspace) -> tuple[Lane, tuple[Write, ...]]:
    """Return the lane and the reads that run beside it, in one query."""
    is_read = Q(state=IN_PROGRESS, type=READ_ONLY)
    wanted = _here(workspace).filter(Q(state__in=UNFINISHED, type=WRITE) | is_read)
    writes: list[Write] = []
    reads: list[Write] = []
    for kind, *said in wanted.values_list("type", *_COLUMNS):
        (writes if kind == WRITE else reads).append(Write._make(said))
    reads.sort(key=lambda read: (read.last_at or read.sent_at, read.id), reverse=True)
    return lane_of(writes), tuple(reads)


def _here(workspace: Workspace) -> QuerySet[Handoff]:
    return Handoff.objects.filter(
        workspace=workspace, last_seq__isnull=True, away=False
    )
