"""Agents' records of their work: snapshots, session memories, log entries."""

from __future__ import annotations

from datetime import datetime

from django.db import models

from memoryhub.journal.day_sources import Precision
from memoryhub.journal.grades import Graded
from memoryhub.journal.models import Agent, DerivedModel, Span
from memoryhub.journal.moments import MomentField
from memoryhub.journal.untimed import UNDATED_LAST
from topics.models import HistoryEntry, Topic


class Ownership(models.TextChoices):
    """The rule that decided a row's agent or topic; empty where it has none."""

    MARKER = "marker"
    SESSION = "session"
    WORKSPACE = "workspace"
    ONLY = "only"
    BINDING = "binding"
    FILE = "file"
    ASSIGNED = "assigned"
    NAMED = "named"


class AuthoredSpan(Span):
    """A span with a time, an agent and a topic."""

    occurred_at = MomentField()
    precision = models.CharField(max_length=6, choices=Precision.choices)
    agent = models.ForeignKey(
        Agent, models.DO_NOTHING, null=True, db_constraint=False, db_index=False
    )
    agent_rule = models.CharField(max_length=9, default="", choices=Ownership.choices)
    topic = models.ForeignKey(
        Topic, models.DO_NOTHING, null=True, db_constraint=False, db_index=False
    )
    topic_rule = models.CharField(max_length=9, default="", choices=Ownership.choices)

    class Meta(Span.Meta):
        abstract = True

    @property
    def stated_at(self) -> datetime | None:
        """The time that its text states."""
        return None if self.precision == Precision.NONE else self.occurred_at


#: Newest first, undated ones last; of one second, the one that a file had last, or has
#: further below.
NEWEST_FIRST = (UNDATED_LAST, "-occurred_at", "-first_seq", "-position", "-pk")


class Snapshot(AuthoredSpan):
    """A BIG-MEMORY-SNAPSHOT block: a task's state at one moment."""

    snapshot_id = models.CharField(max_length=60)
    goal = models.TextField(default="")
    phase = models.CharField(max_length=60, default="")
    branch = models.CharField(max_length=200, default="")
    blocked = models.BooleanField(null=True)
    blocked_by = models.TextField(default="")
    progress = models.TextField(default="")
    percent = models.PositiveSmallIntegerField(null=True)
    next_step = models.TextField(default="")
    terminated = models.BooleanField(default=True)
    copy_of = models.ForeignKey(
        "self", models.DO_NOTHING, null=True, db_constraint=False, related_name="copies"
    )

    class Meta(AuthoredSpan.Meta):
        indexes = [
            *AuthoredSpan.Meta.indexes,
            models.Index(fields=["workspace", "snapshot_id"], name="snapshot_id"),
            models.Index(fields=["topic", "-occurred_at"], name="snapshot_topic"),
        ]

    def __str__(self) -> str:
        return self.snapshot_id


class SnapshotSection(DerivedModel):
    """A section of a snapshot: one of the schema's eight or a custom one."""

    snapshot = models.ForeignKey(
        Snapshot, models.DO_NOTHING, db_constraint=False, related_name="sections"
    )
    position = models.PositiveSmallIntegerField()
    title = models.CharField(max_length=200)
    known = models.BooleanField()
    body = models.TextField()
    body_sha = models.CharField(max_length=16)
    first_line = models.IntegerField()
    last_line = models.IntegerField()

    class Meta:
        ordering = ["position"]

    def __str__(self) -> str:
        return self.title


class SessionMemory(AuthoredSpan):
    """A session compacted to text by ccw's /memory:compact."""

    memory_id = models.CharField(max_length=60, default="")
    session_ref = models.CharField(max_length=200, default="")
    project_root = models.TextField(default="")
    objective = models.TextField(default="")
    plan_source = models.CharField(max_length=100, default="")
    last_action = models.TextField(default="")
    pending = models.IntegerField(default=0)
    summary = models.TextField(default="")
    tags = models.JSONField(default=list)
    archived = models.BooleanField(default=False)

    class Meta(AuthoredSpan.Meta):
        verbose_name_plural = "session memories"

    def __str__(self) -> str:
        return self.memory_id or self.objective


class LogEntry(AuthoredSpan):
    """An entry of a daily log, or a whole transcript or report of one session."""

    class Kind(models.TextChoices):
        ENTRY = "entry"
        SESSION = "session"
        DREAM = "dream"

    kind = models.CharField(max_length=8, choices=Kind.choices)
    title = models.CharField(max_length=300)
    excerpt = models.CharField(max_length=300, default="")
    level = models.PositiveSmallIntegerField(default=0)
    session_key = models.TextField(default="")

    class Meta(AuthoredSpan.Meta):
        verbose_name_plural = "log entries"
        indexes = [
            *AuthoredSpan.Meta.indexes,
            models.Index(fields=["workspace", "occurred_at"], name="log_entry_time"),
        ]

    def __str__(self) -> str:
        return self.title


class OpenItem(Graded, AuthoredSpan):
    """An open item of a log, or one ticked there."""

    text = models.TextField()
    done = models.BooleanField(default=False)
    mark = models.CharField(max_length=20, default="")

    class Meta(AuthoredSpan.Meta):
        indexes = [
            *AuthoredSpan.Meta.indexes,
            models.Index(fields=["workspace", "occurred_at"], name="open_item_time"),
        ]

    def __str__(self) -> str:
        return self.text


class Compaction(DerivedModel):
    """A compaction stated in a history line."""

    entry = models.ForeignKey(
        HistoryEntry, models.DO_NOTHING, db_constraint=False, related_name="compactions"
    )
    topic = models.ForeignKey(
        Topic, models.DO_NOTHING, db_constraint=False, related_name="compactions"
    )
    before = models.IntegerField(null=True)
    after = models.IntegerField(null=True)
    saved_before = models.BooleanField(default=False)
    occurred_at = MomentField()
    precision = models.CharField(max_length=6, choices=Precision.choices)
    first_seq = models.BigIntegerField()

    class Meta:
        indexes = [
            models.Index(fields=["workspace", "occurred_at"], name="compaction_time")
        ]

    def __str__(self) -> str:
        return f"{self.before} -> {self.after}"
