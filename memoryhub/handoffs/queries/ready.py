"""Which handoffs can be taken now by those they are for, and why others cannot be.

The rules decide, as they do when one is taken.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from itertools import islice

from memoryhub.handoffs.queries.board import (
    OLDEST,
    ORDERS,
    Card,
    Filters,
    cards_of,
    found,
)
from memoryhub.handoffs.queries.figures import median_leads
from memoryhub.handoffs.rules.acting import (
    TAKEN_FROM,
    WRITE,
    Lane,
    NotAllowed,
    Write,
    hindrance,
    lane_of,
)
from memoryhub.journal.models import Workspace


def ready(
    workspace: Workspace, filters: Filters, lane: Lane, now: datetime, *, limit: int
) -> tuple[Card, ...]:
    """Return what can be taken now, the oldest first; `lane` has whose turn it is.

    What is done in another workspace is ready there.
    """
    leads = median_leads([workspace])
    rows = found([workspace], filters, leads, now)
    rows = rows.filter(state__in=TAKEN_FROM, away=False).order_by(*ORDERS[OLDEST])
    cards = cards_of(rows, leads, now)
    return tuple(islice((card for card in cards if not held_up(card, lane)), limit))


def held_up(card: Card, lane: Lane) -> NotAllowed | None:
    """Return why whom a card is for cannot take it now; nothing where it can."""
    return hindrance(card, _with(lane, card), card.id)


def _with(lane: Lane, card: Card) -> Lane:
    """Return a lane that has a card's write in its place."""
    if card.type != WRITE or any(write.id == card.id for write in lane.order):
        return lane
    own = Write(
        card.id,
        card.task_id,
        card.sender,
        card.recipient,
        card.state,
        card.taken_by,
        card.context,
        card.sent_at,
        card.last_at,
        card.first_seq,
        card.position,
    )
    return replace(lane_of([*lane.order, own]), shared=lane.shared)
