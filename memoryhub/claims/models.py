"""File claims: leases by which agents say which files they are changing.

Not projections: a rebuild leaves them alone.
"""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from memoryhub.journal.models import Workspace


class FileClaim(models.Model):
    """The lease of an agent on a path or pattern, until it ends or is ended."""

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    agent = models.CharField(max_length=200)
    #: Id of the holder's session; empty for any of the agent's.
    session = models.CharField(max_length=500, default="")
    #: The repository of the path; empty for any, and for the workspace's own folder.
    repository = models.CharField(max_length=100, default="")
    path = models.CharField(max_length=300)
    reason = models.CharField(max_length=300, default="")
    made_at = models.DateTimeField()
    ends_at = models.DateTimeField()
    #: Who ended it before its time, and when.
    ended_by = models.CharField(max_length=200, default="")
    ended_at = models.DateTimeField(null=True)
    #: Made although others held the path.
    forced = models.BooleanField(default=False)

    class Meta:
        indexes = [
            models.Index(
                fields=["workspace", "ends_at"],
                condition=Q(ended_at__isnull=True),
                name="file_claim_live",
            )
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def name(self) -> str:
        """The path, after the name of its repository if it has one."""
        return f"{self.repository}:{self.path}" if self.repository else self.path
