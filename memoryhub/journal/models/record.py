"""Models of the record: workspaces, versions of files, operations, imports."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

from django.db import models
from django.db.models import Index, Q
from django.db.models import UniqueConstraint as Unique
from django.db.models.fields.json import KT

from memoryhub.audit.origins import Origin
from memoryhub.journal import packing
from memoryhub.journal.prepared import Prepared

_OPEN = Q(state__in=["staged", "pending"])


def partial(name: str, only: Q, *fields: str) -> Index:
    """Build a partial index."""
    return Index(fields=fields, condition=only, name=name)


class _NotRemoved(models.Manager["Workspace"]):
    """Manager of the workspaces not marked for removal."""

    def get_queryset(self) -> models.QuerySet[Workspace]:
        return super().get_queryset().filter(removed_at__isnull=True)


class Workspace(models.Model):
    """A folder of agents' memory files, its settings and the state of its journal."""

    uuid = models.UUIDField(unique=True, editable=False)
    slug = models.SlugField(max_length=80, unique=True, allow_unicode=True)
    name = models.CharField(max_length=200)
    root = models.TextField()
    created_at = models.DateTimeField()
    checked_at = models.DateTimeField(null=True)
    last_seq = models.BigIntegerField(default=0)
    projected_seq = models.BigIntegerField(default=0)
    projection_version = models.IntegerField(default=0)
    #: Up to which seq rows are linked to topics by name, and a hash of all names then.
    linked_seq = models.BigIntegerField(default=0)
    linked_names = models.CharField(max_length=32, default="")
    last_run = models.IntegerField(default=0)
    #: Counter: increases with every change of its handoffs' rows.
    handoff_changes = models.BigIntegerField(default=0)
    time_zone = models.CharField(max_length=64, default="UTC")
    #: True once a person has set the zone: until then files state it.
    zone_chosen = models.BooleanField(default=False)
    max_decisions = models.PositiveIntegerField(default=20)
    max_history = models.PositiveIntegerField(default=30)
    memory_folder = models.CharField(max_length=200, default="memory")
    ignore_patterns = models.JSONField(default=list, blank=True)
    #: Pairs of a pattern of paths and a role; the first that matches decides.
    roles = models.JSONField(default=list, blank=True)
    review_before_writing = models.BooleanField(default=False)
    #: Coordinators: agents named by a person.
    coordinators = models.JSONField(default=list, blank=True)
    #: User names of the people who may sign decisions off; empty: every person.
    signers = models.JSONField(default=list, blank=True)
    #: Minutes without a sign of life after which the holder of a handoff is silent.
    handoff_lease = models.PositiveIntegerField(default=120)
    #: True if a silent holder's handoff is put back by itself.
    put_back_silent = models.BooleanField(default=False)
    #: True if OpenClaw gets a topic unquoted, as from snap-memory.
    raw_context = models.BooleanField(default=False)
    #: True if secrets are masked for agents too.
    mask_for_agents = models.BooleanField(default=True)
    #: Time of deletion by a person; its rows are deleted afterwards.
    removed_at = models.DateTimeField(null=True, editable=False)
    objects = _NotRemoved()
    everything: models.Manager[Workspace] = models.Manager()

    class Meta:
        ordering = ["slug"]

    def __str__(self) -> str:
        return self.slug

    def refresh_from_db(
        self,
        using: str | None = None,
        fields: Iterable[str] | None = None,
        from_queryset: models.QuerySet[Any] | None = None,
    ) -> None:
        """Reload fields, all without `fields`, by a query that is compiled once."""
        if using or from_queryset is not None or self.get_deferred_fields():
            super().refresh_from_db(using, fields, from_queryset)
            return
        rows = _row(None if fields is None else tuple(fields))(self.pk)
        if not rows:
            raise Workspace.DoesNotExist
        for name, value in rows[0].items():
            setattr(self, name, value)


@cache
def _row(fields: tuple[str, ...] | None) -> Prepared[Any]:
    """Return the query of a workspace's fields by name, all without `fields`."""
    return Prepared(
        lambda pk: Workspace.everything.filter(pk=pk).values(*(fields or ())), int
    )


class Blob(models.Model):
    """The exact bytes of a version of a file, stored once by hash.

    A `GONE` blob keeps hash and size; the bytes may be stored again in another blob.
    """

    class Encoding(models.TextChoices):
        RAW = packing.RAW
        DEFLATE = packing.DEFLATE
        TAIL = packing.TAIL  # deflated, appended to the bytes of `base`
        GONE = packing.GONE  # forgotten or thinned out; see `Tombstone`

    sha256 = models.CharField(max_length=64, db_index=True)
    size = models.BigIntegerField()
    encoding = models.CharField(max_length=8, choices=Encoding.choices)
    base = models.ForeignKey("self", models.PROTECT, null=True, related_name="+")
    depth = models.PositiveSmallIntegerField(default=0)
    data = models.BinaryField()

    class Meta:
        constraints = [
            Unique(
                fields=["sha256"], condition=~Q(encoding="gone"), name="blob_stored"
            ),
        ]

    def __str__(self) -> str:
        return self.sha256[:12]


class KeptId(models.Model):
    """Id of a statement from a version that derived ids from places, not from texts.

    The statement that `id` would name now, of the revision `seq`, is called `kept`:
    what people set and links name it so.
    """

    id = models.BigIntegerField(primary_key=True)
    workspace = models.ForeignKey(Workspace, models.CASCADE, db_index=False)
    seq = models.BigIntegerField()
    kept = models.BigIntegerField()

    class Meta:
        indexes = [Index(fields=["workspace", "seq"], name="kept_id")]

    def __str__(self) -> str:
        return f"{self.id} is {self.kept}"


class Tombstone(models.Model):
    """Record of a version whose bytes are gone; `blob` replaces it."""

    class Kind(models.TextChoices):
        FORGOTTEN = "forgotten"
        THINNED = "thinned"

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="tombstones")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    sha256 = models.CharField(max_length=64)
    size = models.BigIntegerField()
    blob = models.ForeignKey(Blob, models.PROTECT, related_name="+")
    at = models.DateTimeField()
    actor = models.CharField(max_length=200)
    reason = models.TextField(default="", blank=True)
    forgetting = models.BigIntegerField(null=True)

    class Meta:
        indexes = [Index(fields=["workspace", "sha256"], name="tombstone_sha")]

    def __str__(self) -> str:
        return f"{self.kind} {self.sha256[:12]}"


class SyncRun(models.Model):
    """An import that changed something: "Import #12"."""

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="runs")
    number = models.IntegerField()
    started_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)
    files = models.IntegerField(default=0)
    added = models.IntegerField(default=0)
    changed = models.IntegerField(default=0)
    moved = models.IntegerField(default=0)
    deleted = models.IntegerField(default=0)
    problem_count = models.IntegerField(default=0)
    seconds = models.FloatField(default=0.0)
    #: The last journal entry of the run; null until finished.
    last_seq = models.BigIntegerField(null=True)

    class Meta:
        ordering = ["-number"]
        constraints = [Unique(fields=["workspace", "number"], name="run_number")]

    def __str__(self) -> str:
        return f"Import #{self.number}"


class Revision(models.Model):
    """One version of one file, seen on disk or written by the hub."""

    class Kind(models.TextChoices):
        SEEN = "seen"
        WRITTEN = "written"
        DELETED = "deleted"
        MOVED = "moved"

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="revisions")
    seq = models.BigIntegerField()
    kind = models.CharField(max_length=8, choices=Kind.choices)
    path = models.TextField()
    moved_from = models.TextField(default="", blank=True)
    blob = models.ForeignKey(Blob, models.PROTECT, null=True, related_name="revisions")
    mtime_ns = models.BigIntegerField(default=0)
    recorded_at = models.DateTimeField()
    actor = models.CharField(max_length=200, default="", blank=True)
    run = models.ForeignKey(
        SyncRun, models.PROTECT, null=True, related_name="revisions"
    )

    class Meta:
        ordering = ["seq"]
        constraints = [Unique(fields=["workspace", "seq"], name="revision_seq")]
        indexes = [
            Index(fields=["workspace", "path", "seq"], name="revision_path"),
            partial("revision_written", Q(kind="written"), "workspace", "path", "seq"),
        ]

    def __str__(self) -> str:
        return f"{self.seq} {self.kind} {self.path}"


class Operation(models.Model):
    """A change made through the hub by a person or an agent.

    `origin` is for the audit log, and not stored: None for one read from the database.
    """

    origin: Origin | None = None

    class State(models.TextChoices):
        STAGED = "staged"  # waits for a review before it is written
        PENDING = "pending"  # committed, the write may or may not have happened
        APPLIED = "applied"
        WITHDRAWN = "withdrawn"

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="operations")
    seq = models.BigIntegerField()
    key = models.CharField(max_length=100)
    actor = models.CharField(max_length=200)
    verb = models.CharField(max_length=40)
    target = models.TextField()
    payload = models.JSONField(default=dict)
    session = models.GeneratedField(
        expression=KT("payload__session"),
        output_field=models.TextField(null=True),
        db_persist=False,
    )
    base = models.JSONField(null=True)
    #: The resulting value, and verb and payload of the undo.
    after = models.JSONField(null=True)
    inverse = models.JSONField(null=True)
    reason = models.TextField(default="", blank=True)
    state = models.CharField(max_length=10, choices=State.choices)
    before_sha = models.CharField(max_length=64, default="", blank=True)
    after_sha = models.CharField(max_length=64, default="", blank=True)
    #: Seq of the version it wrote, possibly recorded by a reader first; None if not
    #: written, without a file, or without a change.
    version_seq = models.BigIntegerField(null=True)
    recorded_at = models.DateTimeField()

    class Meta:
        ordering = ["seq"]
        constraints = [
            Unique(fields=["workspace", "seq"], name="operation_seq"),
            Unique(fields=["workspace", "key"], name="operation_key"),
        ]
        indexes = [
            partial("operation_open", _OPEN, "workspace", "target"),
            partial("operation_signs", Q(verb="sign_handoff"), "workspace", "target"),
            Index(fields=["workspace", "version_seq"], name="operation_version"),
            Index(fields=["workspace", "session"], name="operation_session"),
        ]

    def __str__(self) -> str:
        return f"{self.seq} {self.verb} {self.target}"
