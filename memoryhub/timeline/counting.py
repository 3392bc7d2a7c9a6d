"""Counting of workspaces ahead of the pages that list them."""

from __future__ import annotations

from datetime import datetime

from memoryhub.journal.models import Workspace
from memoryhub.sync.scan.walk import ScanProblem
from memoryhub.timeline.queries.turns import turn_counts
from snapshots.queries.open_items import open_counts


def count_ahead(workspace: Workspace, now: datetime) -> list[ScanProblem]:
    """Store the numbers that the list of all workspaces shows."""
    workspace.refresh_from_db()
    open_counts([workspace])
    turn_counts([workspace], now)
    return []
