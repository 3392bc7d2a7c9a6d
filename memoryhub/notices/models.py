"""Notices to the webhook. Neither journal nor projection."""

from __future__ import annotations

from typing import Any

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
