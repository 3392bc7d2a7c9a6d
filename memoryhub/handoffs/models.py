"""Handoffs between agents, from ``<task>`` and ``<r>`` blocks in files."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import models
from django.db.models import Case, Q, When
from django.db.models.functions import Coalesce, Least, Length

from memoryhub.formats.text.source import first_sentence
from memoryhub.handoffs.rules.fields import PERSON, standing
from memoryhub.journal.day_sources import Precision
from memoryhub.journal.models import Span, Workspace
from memoryhub.journal.moments import MomentField
from snapshots.models import AuthoredSpan
from topics.models import Decision

#: Order in which handoffs were sent: SQL form of `acting.turn_of`.
IN_TURN = (
    "occurred_at", Length("task_id"), "task_id", "first_seq", "position", "id",
)  # fmt: skip
#: Newest move first; among equal times the last sent first.
MOVED = (
    "-last_at", "-occurred_at", Length("task_id").desc(), "-task_id", "-first_seq",
    "-position", "-id",
)  # fmt: skip
#: Handoffs without a time in any file: they come last.
UNDATED = Q(last_at__isnull=True, precision=Precision.NONE)
UNDATED_LAST = Case(When(UNDATED, then=1), default=0)
NEWEST_FIRST = (UNDATED_LAST, "-occurred_at", "-id")
#: Long texts, deferred in lists.
NOT_LISTED = (
    "input", "expected_output", "constraints", "side_effects", "memory_update",
)  # fmt: skip


class Handoff(AuthoredSpan):
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
        RETURNED = "returned"
        REVIEW = "review"
        DONE = "done"
        FAILED = "failed"
        WITHDRAWN = "withdrawn"

    task_id = models.CharField(max_length=100)
    sender = models.CharField(max_length=200, default="")
    recipient = models.CharField(max_length=200, default="")
    type = models.CharField(max_length=10, choices=Type.choices)
    state = models.CharField(max_length=12, choices=State.choices)
    context = models.TextField(default="")
    input = models.TextField(default="")
    expected_output = models.TextField(default="")
    constraints = models.TextField(default="")
    #: Ids of tasks that have to be done before it, and of the one it is part of.
    after = models.TextField(default="")
    parent = models.CharField(max_length=200, default="")
    #: What its write can touch: a repository, paths; all of the workspace if empty.
    repository = models.CharField(max_length=200, default="")
    paths = models.TextField(default="")
    #: ``high``, ``low``, or empty for normal.
    priority = models.CharField(max_length=10, default="")
    #: Who accepts its result, as its block says; empty for nobody.
    review = models.CharField(max_length=200, default="")
    #: Code of what is wrong with its block, so that nobody can take it.
    problem = models.CharField(max_length=40, default="")
    due_at = MomentField(null=True)
    #: Slug of the workspace that sent it, if another: its side reads this row.
    origin = models.CharField(max_length=200, default="")
    #: The file of `origin` to which the result is appended, if its sender wants that.
    result_to = models.CharField(max_length=400, default="")
    #: The topic that the file of a handoff with `origin` names.
    topic_name = models.CharField(max_length=300, default="")
    #: Of a sender's copy, which older versions wrote: ``slug/task_id`` of the original.
    twin = models.CharField(max_length=200, default="")
    #: The decision that it asks to sign off, also one that no file states yet.
    decision = models.ForeignKey(
        Decision,
        models.DO_NOTHING,
        null=True,
        db_constraint=False,
        db_index=False,
        related_name="handoffs",
    )
    #: Number of log lines and results; the columns below describe the newest move.
    moves = models.IntegerField(default=0)
    last_verb = models.CharField(max_length=40, default="")
    last_at = MomentField(null=True)
    last_actor = models.CharField(max_length=200, default="")
    last_reason = models.TextField(default="")
    signed_by = models.CharField(max_length=200, default="")
    signed_at = MomentField(null=True)
    #: Author of a sign-off line in the file that no person confirmed at the hub.
    claimed_by = models.CharField(max_length=200, default="")
    taken_by = models.CharField(max_length=200, default="")
    #: When it was first taken, and when it came to be done or failed.
    taken_at = MomentField(null=True)
    finished_at = MomentField(null=True)
    times_sent_back = models.IntegerField(default=0)
    #: A coordinator has allowed it to be taken out of turn.
    overridden = models.BooleanField(default=False)
    result_status = models.CharField(max_length=20, default="")
    result = models.TextField(default="")
    side_effects = models.TextField(default="")
    memory_update = models.TextField(default="")
    #: Who must act (`rules.acting.who_acts`), and whether it is in the write lane.
    acts = models.CharField(max_length=200, default="")
    in_lane = models.BooleanField(default=False)

    class Meta(AuthoredSpan.Meta):
        indexes = [
            *AuthoredSpan.Meta.indexes,
            models.Index(fields=["workspace", "task_id"], name="handoff_task"),
            models.Index(
                fields=["workspace", "state", "last_at"], name="handoff_state"
            ),
            models.Index(
                fields=["decision"],
                condition=Q(decision__isnull=False),
                name="handoff_decision",
            ),
            models.Index(fields=["origin", "workspace"], name="handoff_origin"),
            models.Index(
                fields=["workspace", "acts", "state"],
                condition=Q(last_seq__isnull=True),
                name="handoff_acts",
            ),
            models.Index(
                fields=["workspace", "state"],
                condition=Q(in_lane=True, last_seq__isnull=True),
                name="handoff_lane",
            ),
            models.Index(
                fields=["workspace", "state"],
                condition=Q(after__gt="", last_seq__isnull=True),
                name="handoff_after",
            ),
            models.Index(
                fields=["workspace", "parent"],
                condition=Q(parent__gt="", last_seq__isnull=True),
                name="handoff_parent",
            ),
            # Covers counts and the search for incomplete rows without reading the
            # texts.
            models.Index(
                fields=[
                    "workspace",
                    "type",
                    "state",
                    "sender",
                    "recipient",
                    "topic",
                    "task_id",
                    "problem",
                    "last_seq",
                ],
                condition=Q(last_seq__isnull=True),
                name="handoff_said",
            ),
            models.Index(
                fields=["workspace", "last_at"],
                condition=Q(type="write", last_seq__isnull=True),
                name="handoff_write_moved",
            ),
            models.Index(
                fields=["workspace", "finished_at"],
                condition=Q(type="write", last_seq__isnull=True),
                name="handoff_write_ended",
            ),
        ]

    #: The sender's workspace, where this row was read from that side (`queries.sides`).
    viewer: Workspace | None = None

    def __str__(self) -> str:
        return self.task_id

    @property
    def name(self) -> str:
        """Display name: its task id, else its row code."""
        return self.task_id or self.code

    @property
    def title(self) -> str:
        """The first sentence of its context, or its name."""
        return first_sentence(self.context) or self.name

    @property
    def sent_at(self) -> datetime:
        return self.occurred_at

    @property
    def since(self) -> datetime:
        """When it last moved."""
        return self.last_at or self.occurred_at

    @property
    def told_at(self) -> datetime:
        """When the hub learned that it failed, if read so; else when it last moved."""
        return vars(self).get("failed_at") or self.since

    @property
    def is_untimed(self) -> bool:
        """Whether no file gives a time of it: `since` is when it was imported."""
        return self.last_at is None and self.precision == Precision.NONE

    @property
    def overdue(self) -> bool:
        """Whether it is past its time; needs a row read `with_overdue`."""
        return bool(vars(self).get("late"))

    @property
    def lead(self) -> timedelta | None:
        """Lead time, from sending to its end."""
        return self.finished_at - self.occurred_at if self.finished_at else None

    @property
    def why(self) -> str:
        """Reason it is blocked or failed: of the last log line, else its result."""
        return (self.last_verb == self.state and self.last_reason) or self.result

    @property
    def for_person(self) -> bool:
        """Whether a person must act."""
        return self.acts == PERSON

    @property
    def to_sign(self) -> bool:
        """Whether it is a decision that waits for a person to sign or send it back."""
        unanswered = not self.signed_by and self.last_verb != "sent back"
        waits = self.state in ("open", "in_progress", "blocked") and unanswered
        return self.type == self.Type.DECISION and waits

    @property
    def standing(self) -> str:
        """Version token: base value that a change is checked against."""
        return standing(self.moves, self.last_verb, self.last_actor)

    @property
    def side(self) -> Workspace:
        """The viewing workspace; by default the one that has its file."""
        return self.viewer or self.workspace

    @property
    def away(self) -> bool:
        """Whether the work is done in another workspace than that it is seen from."""
        return self.viewer is not None or bool(self.twin)

    @property
    def partner(self) -> str:
        """Slug of the other workspace that takes part, as it is seen; "" if none."""
        return self.home_slug if self.away else self.origin

    @property
    def home_slug(self) -> str:
        """Slug of the workspace that does the work."""
        return self.twin.partition("/")[0] or self.workspace.slug


#: When the actor of a step was alive: when the step was read, but the first import
#: reads old files, so not later than the time that it states.
ALIVE_AT = Least(Coalesce("happened_at", "recorded_at"), "recorded_at")


class HandoffStep(Span):
    """A step of a handoff: a log line or a result block."""

    task_id = models.CharField(max_length=100)
    #: The handoff of this task id that it belongs to; null if there is none.
    handoff = models.ForeignKey(
        Handoff,
        models.DO_NOTHING,
        null=True,
        db_constraint=False,
        db_index=False,
        related_name="steps",
    )
    #: For a log in a file of its own: the task's file, and its occurrence in there.
    source_file_id = models.BigIntegerField(null=True)
    occurrence = models.IntegerField(default=1)
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
    happened_at = MomentField(null=True)
    #: When it was read; in the first import when its file was changed on disk.
    recorded_at = MomentField()
    #: A sign-off that a person gave at the hub.
    confirmed = models.BooleanField(default=False)
    #: Work by somebody whom the task is not for: it does not count.
    stranger = models.BooleanField(default=False)

    class Meta(Span.Meta):
        indexes = [
            *Span.Meta.indexes,
            models.Index(fields=["workspace", "task_id"], name="handoff_step_task"),
            models.Index(fields=["handoff"], name="handoff_step_of"),
            models.Index(
                fields=["detail", "workspace"],
                condition=Q(last_seq__isnull=True),
                name="handoff_step_detail",
            ),
            models.Index(
                fields=["workspace", "verb", "task_id", "handoff"],
                condition=Q(is_result=True, last_seq__isnull=True),
                name="handoff_step_result",
            ),
            models.Index(
                fields=["workspace", "first_seq"],
                condition=Q(verb="said", last_seq__isnull=True),
                name="handoff_step_said",
            ),
            models.Index("actor", "workspace", ALIVE_AT, name="handoff_step_sign"),
        ]

    def __str__(self) -> str:
        return f"{self.task_id} {self.verb}"

    @property
    def seq(self) -> int:
        """Journal seq from which a file contains it."""
        return self.first_seq

    def time_of(self, handoff: Handoff) -> datetime | None:
        """When it happened; if no file says it, when it was read.

        None if it was first read together with its task: then it can be of any time.
        """
        is_later = self.first_seq != handoff.first_seq
        return self.happened_at or (self.recorded_at if is_later else None)


class ReadThread(models.Model):
    """Up to which seq the people of a workspace have read a handoff's messages.

    Not a projection: it names a handoff by its derived id.
    """

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    handoff_id = models.BigIntegerField()
    seq = models.BigIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["workspace", "handoff_id"], name="handoff_read_thread"
            )
        ]

    def __str__(self) -> str:
        return f"{self.handoff_id} {self.seq}"


class SignOfLife(models.Model):
    """Time of an agent's last call, which renews the leases of its tasks.

    Not a projection: a rebuild leaves it alone.
    """

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    agent = models.CharField(max_length=200)
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["workspace", "agent"], name="handoff_sign_of_life"
            )
        ]

    def __str__(self) -> str:
        return self.agent
