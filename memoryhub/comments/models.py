"""Comments on places of a workspace, in threads. Neither journal nor projection.

Places are named by path and text, never by foreign key: a rebuild cannot touch them.
"""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.models import Q

from memoryhub.journal.models import Workspace


class Thread(models.Model):
    """A conversation about a place: a line of a file, a decision, a section.

    The anchor is the text of the place in the version that was commented, with its
    neighbours: the place is found again in later versions by its text.
    """

    class Kind(models.TextChoices):
        FILE = "file"  # a line of a file
        DECISION = "decision"
        SNAPSHOT = "snapshot"  # a section of a snapshot, or all of it

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    path = models.TextField()
    #: Line in the version that was commented, from 1; 0: the whole file.
    line = models.IntegerField(default=0)
    #: Journal entry of that version.
    seq = models.BigIntegerField(default=0)
    #: Id of the decision or snapshot; empty for a file.
    code = models.CharField(max_length=40, blank=True, db_index=True)
    #: Title of the snapshot's section.
    section = models.CharField(max_length=200, blank=True)
    quote = models.TextField(blank=True)
    before = models.TextField(blank=True)
    after = models.TextField(blank=True)
    #: Names of the people and agents who are asked, and have not answered yet.
    waits_for: models.JSONField[Any, Any] = models.JSONField(default=list)
    made_at = models.DateTimeField()
    #: Time of the last comment.
    last_at = models.DateTimeField()
    resolved_at = models.DateTimeField(null=True)
    resolved_by = models.CharField(max_length=200, blank=True)

    class Meta:
        ordering = ["-last_at", "-id"]
        indexes = [
            models.Index(
                fields=["workspace", "path"],
                condition=Q(resolved_at__isnull=True),
                name="thread_open",
            )
        ]

    def __str__(self) -> str:
        return f"thread {self.pk} on {self.path}:{self.line}"

    @property
    def is_resolved(self) -> bool:
        return self.resolved_at is not None


class Comment(models.Model):
    """A comment of a person or an agent in a thread; the first one opens it."""

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    thread = models.ForeignKey(Thread, models.CASCADE, related_name="comments")
    author = models.CharField(max_length=200)
    is_agent = models.BooleanField(default=False)
    text = models.TextField()
    made_at = models.DateTimeField()
    #: Key of the request, which is done once.
    key = models.CharField(max_length=100, blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["workspace", "key"], condition=~Q(key=""), name="comment_key"
            )
        ]

    def __str__(self) -> str:
        return f"comment {self.pk} of {self.author}"
