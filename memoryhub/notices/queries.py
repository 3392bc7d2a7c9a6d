"""State of the webhook: last attempt, last delivery, and pending notices."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Max, Q

from memoryhub.notices.models import Notice

_STATE = Notice.State


@dataclass(frozen=True, slots=True)
class WebhookState:
    """The last attempt, the last delivery, and the number of undelivered notices."""

    tried_at: datetime | None = None
    error: str = ""
    delivered_at: datetime | None = None
    waiting: int = 0
    given_up: int = 0

    @property
    def is_failing(self) -> bool:
        """Whether the last attempt failed."""
        return bool(self.error)


def webhook_state() -> WebhookState:
    """Return the state of the hub's webhook, in two queries."""
    last = Notice.objects.filter(tried_at__isnull=False).order_by("-tried_at").first()
    alive = Q(gone_at__isnull=True)
    told = Notice.objects.aggregate(
        delivered_at=Max("tried_at", filter=Q(state=_STATE.DELIVERED)),
        waiting=Count("id", filter=alive & Q(state=_STATE.WAITING)),
        given_up=Count("id", filter=alive & Q(state=_STATE.GIVEN_UP)),
    )
    return WebhookState(
        last.tried_at if last else None, last.error if last else "", **told
    )
