"""Forgettings in progress and done. Neither journal nor projection.

A forgetting first replaces its matches everywhere in the database; the originals are
sealed for as long as it can be undone, then erased.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from django.db import models
from django.db.models import QuerySet

from memoryhub.database.secret_key import opened, seal
from memoryhub.journal.models import Blob, Workspace

if TYPE_CHECKING:
    _Field = models.Field[Any, Any]
else:
    _Field = models.Field


class SealedJSON(_Field):
    """A JSON value, stored encrypted with this hub's key."""

    def get_internal_type(self) -> str:
        return "TextField"

    def deconstruct(self) -> tuple[str, str, Any, Any]:
        """Migrate as a text column: only this version's code encrypts."""
        name, _, arguments, options = super().deconstruct()
        return name, "django.db.models.TextField", arguments, options

    def get_prep_value(self, value: Any) -> str:
        return seal(json.dumps(value, ensure_ascii=False))

    def from_db_value(self, value: str, expression: object, connection: object) -> Any:
        return json.loads(opened(value))

    def to_python(self, value: Any) -> Any:
        return value


class Forgetting(models.Model):
    """A person's request to forget something: target, state and reason.

    `needle` is the search target; it is emptied when nothing is left to find.
    """

    class Kind(models.TextChoices):
        TEXT = "text"
        REGEX = "regex"
        FILE = "file"
        VERSION = "version"
        ENTRY = "entry"
        SECRETS = "secrets"

    class State(models.TextChoices):
        PLANNING = "planning"
        PLANNED = "planned"  # a person has to confirm it
        HIDING = "hiding"
        HIDDEN = "hidden"  # visible nowhere, and sealed until `due_at`
        RETURNING = "returning"
        TAKEN_BACK = "taken_back"
        ERASING = "erasing"
        SWEEPING = "sweeping"  # deleted; free pages and logs remain to be rewritten
        DONE = "done"

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="forgettings")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    #: Description of the target that does not reveal it.
    label = models.CharField(max_length=300)
    #: Encrypted: a search without matches must not leave it in the database's log.
    needle = SealedJSON(default=dict)
    state = models.CharField(max_length=10, choices=State.choices)
    actor = models.CharField(max_length=200)
    reason = models.TextField(default="", blank=True)
    keep_files = models.BooleanField(default=False)
    minutes = models.PositiveIntegerField(default=0)
    plan: models.JSONField[Any, Any] = models.JSONField(default=dict)
    result: models.JSONField[Any, Any] = models.JSONField(default=dict)
    #: True while the projected rows are older than the last replacement.
    rows_stale = models.BooleanField(default=False)
    asked_at = models.DateTimeField()
    due_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"forgetting {self.pk}: {self.state}"


class SealedRow(models.Model):
    """Original values of a replaced row: some columns, or a revision's blob."""

    forgetting = models.ForeignKey(Forgetting, models.CASCADE, related_name="sealed")
    table = models.CharField(max_length=80)
    row = models.CharField(max_length=100)
    blob = models.ForeignKey(Blob, models.PROTECT, null=True, related_name="+")
    values = SealedJSON(default=dict)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["forgetting", "table", "row"], name="sealed_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.table} {self.row}"


def forgettings_of(workspace: Workspace) -> QuerySet[Forgetting]:
    """Return a workspace's forgettings, newest first, without dropped plans."""
    found = Forgetting.objects.filter(workspace=workspace).select_related("workspace")
    return found.exclude(
        state=Forgetting.State.TAKEN_BACK, due_at__isnull=True
    ).order_by("-id")


def forgetting_record(forgetting: Forgetting) -> dict[str, Any]:
    """Return a forgetting as a record, without its needle."""
    return {
        "number": forgetting.pk,
        "workspace": forgetting.workspace.slug,
        "kind": forgetting.kind,
        "what": forgetting.label,
        "state": forgetting.state,
        "actor": forgetting.actor,
        "reason": forgetting.reason,
        "keep_files": forgetting.keep_files,
        "plan": forgetting.plan,
        "result": forgetting.result,
        "asked_at": forgetting.asked_at,
        "due_at": forgetting.due_at,
        "ended_at": forgetting.ended_at,
    }
