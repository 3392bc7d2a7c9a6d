"""Models of rows projected from the record, and of the last scan's file stats."""

from __future__ import annotations

from datetime import datetime

from django.db import models
from django.db.models import Index, Q
from django.db.models import UniqueConstraint as Unique

from memoryhub.journal.models.record import Blob, Workspace, partial
from memoryhub.journal.moments import MomentField
from memoryhub.values.identity import code_of


class DerivedModel(models.Model):
    """A projected row; its id is derived from its natural key."""

    id = models.BigIntegerField(primary_key=True)
    workspace = models.ForeignKey(
        Workspace,
        models.CASCADE,
        related_name="%(class)ss",
        db_constraint=False,
        db_index=False,
    )

    class Meta:
        abstract = True

    @property
    def code(self) -> str:
        """The id as encoded in URLs."""
        return code_of(self.id)


class FileStat(DerivedModel):
    """A file's state at the last scan: an unchanged file need not be read."""

    path = models.TextField()
    size = models.BigIntegerField()
    mtime_ns = models.BigIntegerField()
    sha256 = models.CharField(max_length=64)
    recheck = models.BooleanField(default=False)
    #: Since when the file is held: missing with most others, not recorded as deleted.
    held_at = MomentField(null=True)

    class Meta:
        constraints = [Unique(fields=["workspace", "path"], name="stat_path")]
        indexes = [partial("stat_held", Q(held_at__isnull=False), "workspace")]

    def __str__(self) -> str:
        return self.path


class SourceFile(DerivedModel):
    """A file of the workspace in its present or last state, with its dialect."""

    path = models.TextField()
    origin = models.TextField()
    format = models.CharField(max_length=40)
    #: One of `memoryhub.dialects.roles.Role`: what is read from it.
    role = models.CharField(max_length=12, default="")
    title = models.CharField(max_length=300, default="")
    seq = models.BigIntegerField()
    first_seq = models.BigIntegerField()
    present = models.BooleanField(default=True)
    size = models.BigIntegerField()
    lines = models.IntegerField()
    tokens = models.IntegerField()
    encoding = models.CharField(max_length=40, default="utf-8")
    replaced = models.IntegerField(default=0)
    blob = models.ForeignKey(Blob, models.PROTECT, null=True, related_name="+")
    recorded_at = MomentField()

    class Meta:
        constraints = [
            Unique(
                fields=["workspace", "path"],
                condition=Q(present=True),
                name="file_present_path",
            )
        ]
        indexes = [Index(fields=["workspace", "path"], name="file_path")]

    def __str__(self) -> str:
        return self.path


class Span(DerivedModel):
    """A fact's lines in a file, and the seqs between which the file has it.

    `last_seq` is null while the file has it. `text_key` and `heading_key` align it with
    the file's next revision.
    """

    file = models.ForeignKey(
        SourceFile, models.DO_NOTHING, db_constraint=False, db_index=False
    )
    position = models.IntegerField()
    first_line = models.IntegerField()
    last_line = models.IntegerField()
    first_seq = models.BigIntegerField()
    last_seq = models.BigIntegerField(null=True)
    text_key = models.BigIntegerField(default=0)
    heading_key = models.BigIntegerField(default=0)

    class Meta:
        abstract = True
        indexes = [
            partial("%(class)s_in_file", Q(last_seq__isnull=True), "file", "position")
        ]

    @property
    def newest_seq(self) -> int | None:
        """Last seq at which the file has the fact; None while it still does."""
        return None if self.last_seq is None else self.last_seq - 1


class Source(Span):
    """A span of a fact that several files may state."""

    class Target(models.TextChoices):
        DECISION = "decision"
        BINDING = "binding"
        AGENT = "agent"
        #: The agent of the file's folder, named in one of its files.
        IDENTITY = "identity"
        TOPIC = "topic"

    target_kind = models.CharField(max_length=10, choices=Target.choices)
    target_id = models.BigIntegerField()
    #: The source's own statement: a binding's topic, an agent's role, the kind, folder
    #: and name of a topic.
    value = models.TextField(default="")

    class Meta(Span.Meta):
        indexes = [
            *Span.Meta.indexes,
            Index(fields=["target_id", "first_seq"], name="source_target"),
        ]

    def __str__(self) -> str:
        return f"{self.target_kind} at lines {self.first_line}-{self.last_line}"


class Agent(DerivedModel):
    """An agent named by files (role, session key, folder, marker) or by its actions."""

    name = models.CharField(max_length=200)
    role = models.TextField(default="")
    #: True if declared by a role, identity file or binding, not only mentioned.
    declared = models.BooleanField(default=False)
    first_seq = models.BigIntegerField()

    class Meta:
        constraints = [Unique(fields=["workspace", "name"], name="agent_name")]

    def __str__(self) -> str:
        return self.name


class Problem(DerivedModel):
    """A problem of a file: its code, line and parameters.

    `code_name` and `parameters` are data, worded in the view. Problems with a seq are
    projected from that revision; the others come from scans.
    """

    code_name = models.CharField(max_length=60)
    path = models.TextField()
    line = models.IntegerField(default=0)
    parameters = models.JSONField(default=dict)
    seq = models.BigIntegerField(null=True)
    run_number = models.IntegerField(null=True)
    #: Seq from which it is resolved; null while open.
    until_seq = models.BigIntegerField(null=True)
    #: Seq at which a person cleared it; null if not cleared.
    cleared_seq = models.BigIntegerField(null=True)
    recorded_at = MomentField()

    class Meta:
        indexes = [
            partial("problem_open", Q(until_seq__isnull=True), "workspace", "path")
        ]

    def __str__(self) -> str:
        return f"{self.path}:{self.line} {self.code_name}"


class StoredCount(models.Model):
    """A number of a workspace for lists of many, with the state of rows it is of.

    `until`: from when on it may differ without a change of rows; null for never. Not a
    projection: whoever finds it outdated counts again.
    """

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    name = models.CharField(max_length=20)
    state = models.TextField()
    until = models.DateTimeField(null=True)
    value = models.JSONField()

    class Meta:
        constraints = [Unique(fields=["workspace", "name"], name="stored_count")]

    def __str__(self) -> str:
        return f"{self.name} of {self.workspace_id}"

    def is_of(self, state: str, now: datetime) -> bool:
        """Return whether it holds for rows in a state, at a time."""
        return self.state == state and (self.until is None or now <= self.until)
