"""Notices: one per item that newly waits for a person; delivery to the webhook."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.db import transaction
from django.db.models import Count, Max, Q, QuerySet
from django.utils import timezone

from memoryhub.jobs.models import Job
from memoryhub.jobs.services import enqueue
from memoryhub.journal.models import Workspace
from memoryhub.notices.models import Notice
from memoryhub.notices.webhook import NotDelivered, Webhook, post

#: Retry pause after the first attempt, doubling up to the longest.
FIRST_WAIT, LONGEST_WAIT = timedelta(seconds=10), timedelta(hours=1)
#: Attempts until a notice is given up, some eight hours after the first.
ATTEMPTS = 16
#: Retention of notices whose thing no longer waits.
_KEPT = timedelta(days=30)


class DeliveryFailed(Exception):
    """All attempts to deliver a notice failed."""


def webhook() -> Webhook | None:
    """Return the webhook of this hub, if it has one."""
    if not settings.MEMORYHUB_WEBHOOK_URL:
        return None
    return Webhook(settings.MEMORYHUB_WEBHOOK_URL, settings.MEMORYHUB_WEBHOOK_SECRET)


def key_of(key: str) -> str:
    """Return the stored key of a notice."""
    return sha256(key.encode("utf-8", "replace")).hexdigest()


def create_notices(
    workspace: Workspace, waiting: Mapping[str, dict[str, Any]], *, whole: bool
) -> int:
    """Create notices of waiting things that have none; return how many.

    `waiting`: bodies by key. If they are the `whole`, notices of all others end, so
    that a thing that waits again gets a new notice.
    """
    bodies = {key_of(key): body for key, body in waiting.items()}
    # Without the write lock, whether there is anything to write.
    known = set(_current(workspace).values_list("key", flat=True))
    if bodies.keys() <= known and (not whole or bodies.keys() == known):
        return 0
    now = timezone.now()
    with transaction.atomic():
        current = _current(workspace)
        known = set(current.values_list("key", flat=True))
        if whole:
            current.exclude(key__in=bodies).update(gone_at=now)
        new = [key for key in bodies if key not in known]
        for key in new:
            notice = Notice.objects.create(
                workspace=workspace,
                key=key,
                delivery=uuid4(),
                body=bodies[key],
                made_at=now,
            )
            if webhook():
                enqueue(Job.Kind.NOTICE, workspace.pk, {"notice": notice.pk})
        Notice.objects.filter(gone_at__lt=now - _KEPT).delete()
    return len(new)


def enqueue_waiting() -> None:
    """Enqueue notices that were made while no webhook was set."""
    state = Notice.State.WAITING
    for notice in Notice.objects.filter(state=state, attempts=0, gone_at__isnull=True):
        enqueue(Job.Kind.NOTICE, notice.workspace_id, {"notice": notice.pk})


def _current(workspace: Workspace) -> QuerySet[Notice]:
    return Notice.objects.filter(workspace=workspace, gone_at__isnull=True)


def deliver(notice_id: int) -> datetime | None:
    """Post a notice, unless it is delivered, ended, or there is no webhook.

    Returns when to retry if the post failed, else None.

    Raises:
        DeliveryFailed: the last attempt failed.
    """
    notice = Notice.objects.filter(
        pk=notice_id, gone_at__isnull=True, state=Notice.State.WAITING
    ).first()
    hook = webhook()
    if notice is None or hook is None:
        return None
    now = timezone.now()
    try:
        body = {"id": str(notice.delivery), **notice.body}
        data = json.dumps(body, separators=(",", ":")).encode()
        post(hook, str(notice.delivery), data, int(now.timestamp()))
    except NotDelivered as failure:
        return _failed(notice, str(failure), now)
    _attempted(notice, Notice.State.DELIVERED, now)
    return None


def _failed(notice: Notice, error: str, now: datetime) -> datetime:
    last = notice.attempts + 1 >= ATTEMPTS
    state = Notice.State.GIVEN_UP if last else Notice.State.WAITING
    _attempted(notice, state, now, error)
    if last:
        raise DeliveryFailed(error)
    wait: timedelta = FIRST_WAIT * 2**notice.attempts
    return now + min(wait, LONGEST_WAIT)


def _attempted(
    notice: Notice, state: Notice.State, now: datetime, error: str = ""
) -> None:
    Notice.objects.filter(pk=notice.pk).update(
        state=state, attempts=notice.attempts + 1, tried_at=now, error=error[:300]
    )


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
    numbers = Notice.objects.aggregate(
        delivered_at=Max("tried_at", filter=Q(state=_STATE.DELIVERED)),
        waiting=Count("id", filter=alive & Q(state=_STATE.WAITING)),
        given_up=Count("id", filter=alive & Q(state=_STATE.GIVEN_UP)),
    )
    return WebhookState(
        last.tried_at if last else None, last.error if last else "", **numbers
    )
