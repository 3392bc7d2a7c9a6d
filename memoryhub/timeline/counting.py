"""Counting of workspaces ahead of the pages that list them."""

from __future__ import annotations

import logging
import threading
from datetime import datetime

from django.db import connection
from django.utils import timezone

from memoryhub.database.schema import OtherVersion, ensure_current
from memoryhub.database.stored_counts import wanted_counts
from memoryhub.journal.models import Workspace
from memoryhub.sync.scan.walk import ScanProblem
from memoryhub.timeline.queries.turns import turn_counts
from snapshots.queries.open_items import open_counts

_LOOK_SECONDS, _REST_SECONDS = 0.5, 60
_log = logging.getLogger(__name__)


def count_ahead(workspace: Workspace, now: datetime) -> list[ScanProblem]:
    """Store the numbers that the list of all workspaces shows."""
    workspace.refresh_from_db()
    open_counts([workspace])
    turn_counts([workspace], now)
    return []


def count_wanted(stop: threading.Event) -> None:
    """Count what lists of workspaces lacked, unless stopped."""
    for workspace in wanted_counts():
        if not stop.is_set():
            count_ahead(workspace, timezone.now())


def keep_counting(stop: threading.Event) -> None:
    """Count whenever a list of workspaces lacked a number, until stopped.

    Raises:
        OtherVersion: another program has migrated the database.
    """
    try:
        while not stop.wait(_LOOK_SECONDS):
            try:
                ensure_current()
                count_wanted(stop)
            except OtherVersion:
                raise
            except Exception:  # the database may be busy or being replaced
                _log.exception("cannot count")
                stop.wait(_REST_SECONDS)
    finally:
        connection.close()
