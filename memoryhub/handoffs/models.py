"""Handoffs between agents, as their ``<task>`` and ``<r>`` blocks tell of them."""

from __future__ import annotations

from django.db import models

from memoryhub.workspaces.models import Span
from snapshots.models import Told


class Handoff(Told):
    """A task that one agent gave to another."""

    class Type(models.TextChoices):
        READ_ONLY = "read_only"
        WRITE = "write"
        DECISION = "decision"
        UNKNOWN = "unknown"

    class State(models.TextChoices):
        OPEN = "open"
        IN_PROGRESS = "in_progress"
        BLOCKED = "blocked"
        DONE = "done"
        FAILED = "failed"

    task_id = models.CharField(max_length=100)
    sender = models.CharField(max_length=200, default="")
    recipient = models.CharField(max_length=200, default="")
    type = models.CharField(max_length=10, choices=Type.choices)
    state = models.CharField(max_length=12, choices=State.choices)
    context = models.TextField(default="")
    input = models.TextField(default="")
    expected_output = models.TextField(default="")
    constraints = models.TextField(default="")
    due_at = models.DateTimeField(null=True)
    last_verb = models.CharField(max_length=40, default="")
    last_at = models.DateTimeField(null=True)
    last_actor = models.CharField(max_length=200, default="")
    result_status = models.CharField(max_length=20, default="")
    result = models.TextField(default="")
    side_effects = models.TextField(default="")
    memory_update = models.TextField(default="")

    class Meta(Told.Meta):
        indexes = [
            *Told.Meta.indexes,
            models.Index(fields=["workspace", "task_id"], name="handoff_task"),
            models.Index(fields=["workspace", "state"], name="handoff_state"),
        ]

    def __str__(self) -> str:
        return self.task_id


class HandoffStep(Span):
    """Something that happened to a handoff: a line of its log, or a result block."""

    task_id = models.CharField(max_length=100)
    #: A verb of the log, or the status of a result.
    verb = models.CharField(max_length=40)
    is_result = models.BooleanField()
    actor = models.CharField(max_length=200, default="")
    reason = models.TextField(default="")
    detail = models.TextField(default="")
    output = models.TextField(default="")
    side_effects = models.TextField(default="")
    memory_update = models.TextField(default="")
    #: When it happened; null where the file does not say.
    happened_at = models.DateTimeField(null=True)
    recorded_at = models.DateTimeField()

    class Meta(Span.Meta):
        indexes = [
            *Span.Meta.indexes,
            models.Index(fields=["workspace", "task_id"], name="handoff_step_task"),
        ]

    def __str__(self) -> str:
        return f"{self.task_id} {self.verb}"
