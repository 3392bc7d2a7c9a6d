"""Handoffs that their recipients can take now, and why others cannot be taken.

Decided by the same rules as taking.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from itertools import islice

from memoryhub.handoffs.models import IN_TURN, Handoff
from memoryhub.handoffs.queries.board import Filters, cards_of, found
from memoryhub.handoffs.queries.figures import median_leads
from memoryhub.handoffs.rules.acting import (
    TAKEN_FROM,
    Lane,
    NotAllowed,
    hindrance,
    lane_of,
)
from memoryhub.journal.models import Workspace

#: Rows fetched at a time.
_CHUNK = 500


def ready(
    workspace: Workspace,
    filters: Filters,
    lane: Lane,
    now: datetime,
    *,
    limit: int,
) -> tuple[Handoff, ...]:
    """Return handoffs that can be taken now, the oldest first.

    `lane`: the workspace's write lane. Work done in another workspace is ready there.
    """
    leads = median_leads([workspace])
    rows = found([workspace], filters, leads, now)
    rows = rows.filter(workspace=workspace, twin="", state__in=TAKEN_FROM)
    cards = cards_of(rows.order_by(*IN_TURN), leads, now).iterator(_CHUNK)
    return tuple(islice((card for card in cards if not held_up(card, lane)), limit))


def held_up(row: Handoff, lane: Lane) -> NotAllowed | None:
    """Return why the recipient cannot take a handoff now; None if it can."""
    if row.in_lane and all(write.id != row.id for write in lane.order):
        lane = replace(
            lane_of([*lane.order, row]), shared=lane.shared, states=lane.states
        )
    return hindrance(row, lane, row.id)
