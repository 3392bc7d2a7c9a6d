"""Calls made with a key, and how far sessions were told; neither is projected.

A rebuild leaves them alone.
"""

from __future__ import annotations

from django.db import models

from memoryhub.journal.models import Workspace


class ToolCall(models.Model):
    """One call that may change something, and its answer once there is one."""

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    key = models.CharField(max_length=200)
    caller = models.CharField(max_length=200)
    tool = models.CharField(max_length=80)
    #: Of the tool and the request: the same key with another request is a mistake.
    request_sha = models.CharField(max_length=64)
    #: Null until the call is answered; one that something hindered leaves no row.
    answer = models.JSONField(null=True)
    #: The code and the parameters of why a rule refused it.
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
    """A session whose host tells of it: when last, and up to where it was told news."""

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    session = models.CharField(max_length=500)
    agent = models.CharField(max_length=200)
    heard_at = models.DateTimeField()
    told_seq = models.BigIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["workspace", "session"], name="heard_session"
            )
        ]

    def __str__(self) -> str:
        return self.session
