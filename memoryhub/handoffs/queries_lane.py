"""The write lane of a workspace, as the rules and pages see it."""

from __future__ import annotations

from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.rules import UNFINISHED, WRITE, Lane, Write, lane_of
from memoryhub.workspaces.models import Workspace

_COLUMNS = (
    "id", "task_id", "sender", "recipient", "state", "taken_by", "context",
    "occurred_at", "last_at",
)  # fmt: skip


def lane(workspace: Workspace) -> Lane:
    """Return the unfinished writes that are done in this workspace, in one query."""
    rows = Handoff.objects.filter(
        workspace=workspace,
        last_seq__isnull=True,
        state__in=UNFINISHED,
        type=WRITE,
        away=False,
    )
    return lane_of(map(Write._make, rows.values_list(*_COLUMNS)))
