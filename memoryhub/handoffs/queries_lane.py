"""The write lane of a workspace, as the rules and pages see it."""

from __future__ import annotations

from django.db.models import QuerySet

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


def reads(workspace: Workspace, *, limit: int) -> tuple[Write, ...]:
    """Return reads that run beside the lane, those that began last first."""
    rows = _here(workspace).filter(state=IN_PROGRESS, type=READ_ONLY)
    newest = rows.order_by("-last_at", "-id").values_list(*_COLUMNS)
    return tuple(map(Write._make, newest[:limit]))


def _here(workspace: Workspace) -> QuerySet[Handoff]:
    return Handoff.objects.filter(
        workspace=workspace, last_seq__isnull=True, away=False
    )
