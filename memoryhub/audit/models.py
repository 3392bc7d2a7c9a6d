"""Entries of the audit log. Neither journal nor projection: never rebuilt."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Self

from django.db import models


class AuditEntry(models.Model):
    """An action in the hub: time, person or program, way in, subject, outcome.

    Append only; `sha256` covers the entry and the hash of the one before. Names instead
    of foreign keys: entries outlive people, tokens and workspaces. No entry has text of
    memory files.
    """

    class Outcome(models.TextChoices):
        DONE = "done"
        STAGED = "staged"  # waits for a review before it is written
        REFUSED = "refused"
        FAILED = "failed"

    at = models.DateTimeField()
    #: Name of the person, agent or program in the journal; empty for strangers.
    actor = models.CharField(max_length=200, blank=True)
    #: Prefix of the agent's token.
    token = models.CharField(max_length=20, blank=True)
    command = models.CharField(max_length=80, blank=True)
    #: Interface: see `origins.Door`.
    door = models.CharField(max_length=10)
    #: Network address of the client; empty for programs of this computer.
    address = models.CharField(max_length=64, blank=True)
    #: Short name; empty for the whole hub.
    workspace = models.CharField(max_length=200, blank=True)
    action = models.CharField(max_length=80)
    #: Path, id or address that the action is about.
    subject = models.TextField(blank=True)
    outcome = models.CharField(max_length=10, choices=Outcome.choices)
    #: Code of the refusal, or number of entries left out.
    detail = models.CharField(max_length=80, blank=True)
    #: Random; empty once the subject was redacted by a forgetting.
    salt = models.CharField(max_length=16, blank=True)
    subject_sha = models.CharField(max_length=64)
    sha256 = models.CharField(max_length=64)

    class Meta:
        ordering = ["-id"]
        indexes = [
            models.Index(fields=["workspace", "id"], name="audit_workspace"),
            models.Index(fields=["actor", "id"], name="audit_actor"),
        ]

    def __str__(self) -> str:
        return f"{self.pk} {self.action} by {self.actor or 'a stranger'}"

    @classmethod
    def from_db(
        cls,
        db: str | None,
        field_names: Collection[str],
        values: Collection[Any],
        **options: Any,
    ) -> Self:
        """Return an entry; texts that were changed to bytes are texts again."""
        texts = (
            v.decode(errors="replace") if isinstance(v, bytes) else v for v in values
        )
        return super().from_db(db, field_names, [*texts], **options)
