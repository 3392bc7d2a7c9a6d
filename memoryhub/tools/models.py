"""Calls with an idempotency key, and sessions' notification cursors.

Not projections: a rebuild leaves them alone.
"""

from __future__ import annotations

from django.db import models

from memoryhub.journal.models import Workspace


class ToolCall(models.Model):
    """A call that may change something, with its stored answer or refusal."""

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    key = models.CharField(max_length=200)
    caller = models.CharField(max_length=200)
    tool = models.CharField(max_length=80)
    #: Hash of tool and request: the same key with another request is an error.
    request_sha = models.CharField(max_length=64)
    #: Null of a refused call; a call that was only hindered leaves no row.
    answer = models.JSONField(null=True)
    #: Code and parameters of the rule's refusal.
    refusal = models.JSONField(null=True)
    made_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["workspace", "caller", "key"], name="tool_call_key"
            )
        ]

    def __str__(self) -> str:
        return f"{self.tool} {self.key}"


class HeardSession(models.Model):
    """A session that reports through hooks: its last sign, last news, and end."""

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    session = models.CharField(max_length=500)
    agent = models.CharField(max_length=200)
    heard_at = models.DateTimeField()
    told_at = models.DateTimeField(null=True)
    #: When its host reported its end; null while it is alive, and once it is resumed.
    ended_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["workspace", "session"], name="heard_session"
            )
        ]

    def __str__(self) -> str:
        return self.session
