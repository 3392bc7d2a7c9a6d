"""Notices to the webhook and to channels. Neither journal nor projection."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q

from memoryhub.journal.models import Workspace


class Notice(models.Model):
    """An item that waits for a person, and the delivery state of its notice.

    While the thing waits, its key prevents a second notice.
    """

    class State(models.TextChoices):
        WAITING = "waiting"
        DELIVERED = "delivered"
        GIVEN_UP = "given_up"

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="notices")
    key = models.CharField(max_length=64)
    #: Idempotency key for the receiver: the same in every attempt.
    delivery = models.UUIDField(unique=True)
    body: models.JSONField[Any, Any] = models.JSONField()
    state = models.CharField(max_length=9, choices=State.choices, default=State.WAITING)
    attempts = models.IntegerField(default=0)
    #: Error of the last attempt; empty if it succeeded.
    error = models.CharField(max_length=300, default="", blank=True)
    made_at = models.DateTimeField()
    tried_at = models.DateTimeField(null=True)
    #: When the thing no longer waited for a person.
    gone_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["workspace", "key"],
                condition=Q(gone_at__isnull=True),
                name="notice_once",
            )
        ]
        indexes = [models.Index(fields=["-tried_at"], name="notice_tried")]

    def __str__(self) -> str:
        return f"{self.delivery} {self.state}"


class Channel(models.Model):
    """A person's channel through Apprise, with its kinds of notices and timing."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="channels"
    )
    name = models.CharField(max_length=80)
    #: For display: the service, and the server of a self-hosted one.
    service = models.CharField(max_length=200)
    #: Apprise URL, sealed with the hub's key.
    address = models.TextField()
    #: The hub's URL in links.
    base = models.CharField(max_length=200)
    #: Empty: all, also later ones.
    kinds: models.JSONField[Any, Any] = models.JSONField(default=list)
    #: Ids of workspaces; empty: all.
    workspaces: models.JSONField[Any, Any] = models.JSONField(default=list)
    #: Hour of the daily message; null: at once.
    digest = models.SmallIntegerField(null=True)
    quiet_from = models.SmallIntegerField(null=True)
    quiet_to = models.SmallIntegerField(null=True)
    #: Sign-offs and deadlocks are sent at once at any time.
    urgent = models.BooleanField(default=False)
    paused = models.BooleanField(default=False)
    made_at = models.DateTimeField()
    #: Changes with the rules: the notifier looks again.
    changed_at = models.DateTimeField()
    #: Failed attempts since the last success, and the last error.
    failures = models.IntegerField(default=0)
    error = models.CharField(max_length=300, default="", blank=True)
    tried_at = models.DateTimeField(null=True)
    delivered_at = models.DateTimeField(null=True)
    #: Earliest time of the next attempt.
    next_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["name", "id"]
        constraints = [
            models.UniqueConstraint(fields=["user", "name"], name="channel_name")
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.service})"


class Delivery(models.Model):
    """A notice for a channel: at most one of each pair.

    It is `SENDING` while its message is on its way; if the hub is killed then, the
    message is sent again once the lease has ended.
    """

    class State(models.TextChoices):
        WAITING = "waiting"
        SENDING = "sending"
        DELIVERED = "delivered"
        GIVEN_UP = "given_up"

    channel = models.ForeignKey(Channel, models.CASCADE, related_name="deliveries")
    notice = models.ForeignKey(Notice, models.CASCADE, related_name="deliveries")
    #: That of the notice.
    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    #: What the message says, in the person's language.
    body: models.JSONField[Any, Any] = models.JSONField()
    state = models.CharField(max_length=9, choices=State.choices, default=State.WAITING)
    due_at = models.DateTimeField()
    attempts = models.IntegerField(default=0)
    lease_until = models.DateTimeField(null=True)
    sent_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["channel", "notice"], name="delivery_once")
        ]
        indexes = [
            models.Index(
                fields=["due_at"],
                condition=Q(state__in=["waiting", "sending"]),
                name="delivery_open",
            )
        ]

    def __str__(self) -> str:
        return f"{self.channel_id} {self.notice_id} {self.state}"
