"""Background jobs, which outlive a request. Neither journal nor projection."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.models import Q


class Job(models.Model):
    """A background job: kind, payload, progress and result.

    `workspace` is a number, not a foreign key: a job remains visible after its
    workspace is deleted. A draft waits for a person, the others for the worker.
    """

    class Kind(models.TextChoices):
        IMPORT = "import"
        REBUILD = "rebuild"
        REMOVAL = "removal"
        NOTICE = "notice"
        FORGETTING = "forgetting"

    class State(models.TextChoices):
        DRAFT = "draft"
        QUEUED = "queued"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"

    kind = models.CharField(max_length=20, choices=Kind.choices)
    workspace = models.BigIntegerField(null=True)
    payload = models.JSONField(default=dict)
    state = models.CharField(max_length=10, choices=State.choices)
    done = models.IntegerField(default=0)
    total = models.IntegerField(default=0)
    message = models.CharField(max_length=400, default="", blank=True)
    #: Earliest start.
    not_before = models.DateTimeField(null=True)
    #: End of the worker's lease.
    lease_until = models.DateTimeField(null=True)
    created_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    result: models.JSONField[Any, Any] = models.JSONField(default=dict)
    error = models.TextField(default="", blank=True)

    class Meta:
        ordering = ["id"]
        indexes = [
            models.Index(
                fields=["id"],
                condition=Q(state__in=["queued", "running"]),
                name="job_open",
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk} {self.state}"

    @property
    def is_open(self) -> bool:
        """True if queued or running."""
        return self.state in (self.State.QUEUED, self.State.RUNNING)
