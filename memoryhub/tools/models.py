"""Calls of tools that were made with a key: a call made again is answered from here.

Neither journal nor projection: a rebuild leaves them alone.
"""

from __future__ import annotations

from django.db import models

from memoryhub.workspaces.models import Workspace


class ToolCall(models.Model):
    """One call that may change something, and its answer once there is one."""

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    key = models.CharField(max_length=200)
    caller = models.CharField(max_length=200)
    tool = models.CharField(max_length=80)
    #: Of the tool and the request: the same key with another request is a mistake.
    request_sha = models.CharField(max_length=64)
    #: Null until the call is answered; a call that failed leaves no row.
    answer = models.JSONField(null=True)
    made_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["workspace", "caller", "key"], name="tool_call_key"
            )
        ]

    def __str__(self) -> str:
        return f"{self.tool} {self.key}"
