"""Topics, their history, the decisions taken, and the sessions bound to them."""

from __future__ import annotations

from django.db import models

from memoryhub.dialects.decision_log import normalise
from memoryhub.journal.day_sources import Precision
from memoryhub.journal.grades import Graded
from memoryhub.journal.models import Agent, DerivedModel, SourceFile, Span
from memoryhub.journal.moments import MomentField
from memoryhub.values.identity import derive

#: Rule of a topic that a row's text names.
NAMED = "named"
#: Characters of a decision that identify it; longer text is prose.
_LONGEST = 2000


class Topic(DerivedModel):
    """Something agents work on: a topic file, note, memory bank or remembered fact."""

    class Kind(models.TextChoices):
        CONTEXT = "context"
        NOTE = "note"
        BANK = "bank"
        FACT = "fact"
        #: Without a file of its own: files only name it.
        NAMED = "named"

    name = models.CharField(max_length=300)
    slug = models.CharField(max_length=300)
    kind = models.CharField(max_length=8, choices=Kind.choices)
    file = models.ForeignKey(
        SourceFile, models.DO_NOTHING, db_constraint=False, related_name="topics"
    )
    title = models.CharField(max_length=300, default="")
    status = models.TextField(default="")
    status_first_line = models.IntegerField(default=0)
    status_last_line = models.IntegerField(default=0)
    status_seq = models.BigIntegerField(default=0)
    created_on = models.DateField(null=True)
    updated_on = models.DateField(null=True)
    session_key = models.TextField(default="")
    first_seq = models.BigIntegerField()
    last_seq = models.BigIntegerField(null=True)

    class Meta:
        indexes = [models.Index(fields=["workspace", "slug"], name="topic_slug")]

    def __str__(self) -> str:
        return self.name


class Decision(Graded, DerivedModel):
    """A decision: one row, for any number of files that contain it."""

    class State(models.TextChoices):
        """Pages call the first one "Recorded", `UNSIGNED` "Needs sign-off"."""

        STATED = "stated"
        UNSIGNED = "unsigned"
        SIGNED_OFF = "signed_off"
        REJECTED = "rejected"
        SUPERSEDED = "superseded"

    #: States of valid decisions: neither rejected nor superseded.
    STANDING = (State.STATED, State.UNSIGNED, State.SIGNED_OFF)

    text = models.TextField()
    reason = models.TextField(default="")
    decided_on = models.DateField(null=True)
    state = models.CharField(max_length=10, choices=State.choices)
    #: False while lines only reject it: then `reason` is why it was rejected.
    is_stated = models.BooleanField(default=True)
    #: Day and reason in the line that rejects it.
    rejected_on = models.DateField(null=True)
    rejected_for = models.TextField(default="")
    #: Name and day of the sign-off: from its handoff, else from its line.
    signed_off_by = models.CharField(max_length=200, default="")
    signed_off_on = models.DateField(null=True)
    #: Time of a person's sign-off in a handoff; null if only a line claims it.
    signed_off_at = MomentField(null=True)
    #: The handoff of its sign-off, given or requested: row and name.
    handoff_row = models.BigIntegerField(null=True)
    handoff_name = models.CharField(max_length=100, default="")
    #: The sign-off that a file states in the decision's line.
    line_signed_by = models.CharField(max_length=200, default="")
    line_signed_on = models.DateField(null=True)
    supersedes_text = models.TextField(default="")
    supersedes = models.ForeignKey(
        "self",
        models.DO_NOTHING,
        null=True,
        db_constraint=False,
        related_name="superseded_by",
    )
    topic = models.ForeignKey(
        Topic,
        models.DO_NOTHING,
        null=True,
        db_constraint=False,
        related_name="decisions",
    )
    #: "named" if the topic is only named in the text; empty if its files state it.
    topic_rule = models.CharField(max_length=9, default="")
    agent = models.ForeignKey(
        Agent,
        models.DO_NOTHING,
        null=True,
        db_constraint=False,
        related_name="decisions",
    )
    occurred_at = MomentField()
    precision = models.CharField(max_length=6, choices=Precision.choices)
    #: Number of current sources.
    open_sources = models.IntegerField(default=0)
    first_seq = models.BigIntegerField()
    #: Null while some file contains it; else "no longer in the agent's file".
    last_seq = models.BigIntegerField(null=True)

    class Meta:
        indexes = [
            models.Index(fields=["workspace", "-occurred_at"], name="decision_time")
        ]

    #: Code of the one that it may replace, in lists (`queries.decisions.with_perhaps`).
    perhaps_supersedes: str | None = None

    def __str__(self) -> str:
        return self.text

    @staticmethod
    def id_of(workspace: bytes, text: str) -> int:
        """Return the id of the decision of this text, in any of its writings."""
        return derive(workspace, "Decision", normalise(text)[:_LONGEST])

    @staticmethod
    def is_worded(text: str) -> bool:
        """Return whether a text has words that tell its decision from others."""
        return bool(normalise(text))


class HistoryEntry(Span):
    """A line of a topic's history."""

    topic = models.ForeignKey(
        Topic, models.DO_NOTHING, db_constraint=False, related_name="history"
    )
    text = models.TextField()
    occurred_at = MomentField()
    precision = models.CharField(max_length=6, choices=Precision.choices)

    class Meta(Span.Meta):
        verbose_name_plural = "history entries"

    def __str__(self) -> str:
        return self.text


class Directive(Graded, Span):
    """A rule for agents: order, ban or permission; in the file's words."""

    class Origin(models.TextChoices):
        PERSON = "person"
        AGENT = "agent"
        UNKNOWN = "unknown"

    text = models.TextField()
    #: Whose words they are; of a person only what one typed in the hub, a user turn of
    #: a transcript, ``USER.md`` and memories of feedback.
    origin = models.CharField(max_length=7, choices=Origin.choices, default="unknown")
    #: Who wrote it by an operation; empty for text on disk.
    written_by = models.CharField(max_length=200, default="", blank=True)
    topic = models.ForeignKey(
        Topic,
        models.DO_NOTHING,
        null=True,
        db_constraint=False,
        related_name="directives",
    )
    agent = models.ForeignKey(
        Agent,
        models.DO_NOTHING,
        null=True,
        db_constraint=False,
        related_name="directives",
    )
    occurred_at = MomentField()
    precision = models.CharField(max_length=6, choices=Precision.choices)

    class Meta(Span.Meta):
        indexes = [
            *Span.Meta.indexes,
            models.Index(fields=["workspace", "-occurred_at"], name="directive_time"),
        ]

    def __str__(self) -> str:
        return self.text


class SessionBinding(DerivedModel):
    """Which topic a session works on, by the session map or a topic's Meta."""

    session_key = models.TextField()
    topic_name = models.CharField(max_length=300)
    agent = models.ForeignKey(
        Agent,
        models.DO_NOTHING,
        null=True,
        db_constraint=False,
        related_name="bindings",
    )
    topic = models.ForeignKey(
        Topic,
        models.DO_NOTHING,
        null=True,
        db_constraint=False,
        related_name="bindings",
    )
    channel = models.CharField(max_length=100, default="")
    kind = models.CharField(max_length=100, default="")
    peer = models.TextField(default="")
    in_map = models.BooleanField(default=False)
    open_sources = models.IntegerField(default=0)
    first_seq = models.BigIntegerField()
    last_seq = models.BigIntegerField(null=True)
    recorded_at = MomentField()

    def __str__(self) -> str:
        return f"{self.session_key} -> {self.topic_name}"
