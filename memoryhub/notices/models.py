"""What was told to the webhook. Neither journal nor projection."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.models import Q

from memoryhub.journal.models import Workspace


class Notice(models.Model):
    """A thing that waits for a person, and whether the webhook has heard of it.

    While the thing waits, its key keeps it from being told twice.
    """

    class State(models.TextChoices):
        WAITING = "waiting"
        DELIVERED = "delivered"
        GIVEN_UP = "given_up"

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="notices")
    key = models.CharField(max_length=64)
    #: What a receiver tells repetitions by: the same in every attempt.
    delivery = models.UUIDField(unique=True)
    body: models.JSONField[Any, Any] = models.JSONField()
    state = models.CharField(max_length=9, choices=State.choices, default=State.WAITING)
    attempts = models.IntegerField(default=0)
    #: Why the last attempt failed; empty where it did not.
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
