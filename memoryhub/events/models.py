"""The timeline: one row per event, in one order."""

from __future__ import annotations

from datetime import UTC, datetime

from django.db import models
from django.db.models import Q

from memoryhub.journal.day_sources import Precision
from memoryhub.journal.models import Agent, DerivedModel, SourceFile
from memoryhub.journal.moments import MomentField

#: Time of an event of which nobody knows when it was: before every time that a file
#: states, so that it comes last in every walk from the newest event down.
NO_TIME = datetime(1, 1, 1, 12, tzinfo=UTC)
UNTIMED = Q(occurred_at=NO_TIME)


class Event(DerivedModel):
    """Something that happened: time, actor, target and place in a file.

    `occurred_at` is the time that the text states, else that of the operation or of the
    change on disk that the hub noticed; `NO_TIME` for what a file had when first read.

    `position` is the place in the journal: it breaks ties of `occurred_at` in file
    order, and alone it is the order in which the hub learned of events.
    """

    class Kind(models.TextChoices):
        SNAPSHOT = "snapshot"
        COMPACTION = "compaction"
        DECISION = "decision"
        HANDOFF = "handoff"
        HISTORY = "history"
        NOTE = "note"
        MEMORY = "memory"
        SESSION = "session"
        TOPIC = "topic"
        FILE = "file"
        EDIT = "edit"
        IMPORT = "import"

    kind = models.CharField(max_length=10, choices=Kind.choices)
    verb = models.CharField(max_length=20)
    occurred_at = MomentField()
    precision = models.CharField(max_length=6, choices=Precision.choices)
    position = models.BigIntegerField()
    recorded_at = MomentField()
    run_number = models.IntegerField(null=True)
    actor = models.CharField(max_length=200, default="")
    agent = models.ForeignKey(
        Agent, models.DO_NOTHING, null=True, db_constraint=False, db_index=False
    )
    topic = models.ForeignKey(
        "topics.Topic",
        models.DO_NOTHING,
        null=True,
        db_constraint=False,
        db_index=False,
    )
    #: The topic is one that the row names, not one stated for the event.
    topic_named = models.BooleanField(default=False)
    file = models.ForeignKey(
        SourceFile, models.DO_NOTHING, null=True, db_constraint=False, db_index=False
    )
    line = models.IntegerField(default=0)
    target_id = models.BigIntegerField(null=True)
    title = models.CharField(max_length=300)
    detail = models.TextField(default="")
    data = models.JSONField(null=True)
    #: Of a handoff's event: slug of the workspace that sent it, if another.
    origin = models.CharField(max_length=200, default="")

    class Meta:
        indexes = [
            models.Index(
                fields=["origin", "occurred_at", "position"],
                condition=Q(origin__gt=""),
                name="event_origin",
            ),
            models.Index(
                fields=["workspace", "occurred_at", "position"], name="event_time"
            ),
            models.Index(
                fields=["workspace", "kind", "occurred_at", "position"],
                name="event_kind",
            ),
            models.Index(fields=["workspace", "position"], name="event_position"),
            models.Index(
                fields=["target_id"],
                condition=Q(target_id__isnull=False),
                name="event_target",
            ),
            models.Index(
                fields=["workspace", "target_id"],
                condition=Q(topic_named=True),
                name="event_topic_named",
            ),
            # With the kind last one index serves all kinds and each.
            models.Index(
                fields=["topic", "occurred_at", "position", "kind"],
                condition=Q(topic__isnull=False),
                name="event_topic",
            ),
            models.Index(
                fields=["agent", "occurred_at", "position", "kind"],
                condition=Q(agent__isnull=False),
                name="event_agent",
            ),
        ]

    def __str__(self) -> str:
        return self.title
