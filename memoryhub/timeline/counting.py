"""Counting of workspaces ahead of the pages that list them."""

from __future__ import annotations

import logging
import threading
import time

from django.db import connection
from django.db.models import F
from django.utils import timezone

from memoryhub.database.schema import OtherVersion, ensure_current
from memoryhub.database.stored_counts import wanted_counts
from memoryhub.journal.models import Workspace
from memoryhub.timeline.queries.turns import turn_counts
from snapshots.queries.open_items import open_counts

#: Seconds for which nothing is imported before a workspace is counted.
QUIET_SECONDS = 3.0
_LOOK_SECONDS, _REST_SECONDS = 0.5, 60
_log = logging.getLogger(__name__)


class Counter:
    """Counts workspaces that were imported, or that a list lacked."""

    def __init__(self) -> None:
        #: By workspace id the last seq that was seen, and since when; counted: None.
        self._seen: dict[int, tuple[int, float | None]] = {}

    def look(self, stop: threading.Event, now: float) -> None:
        """Store the numbers of due workspaces at a monotonic time, unless stopped."""
        for workspace in (*wanted_counts(), *self._settled(now)):
            if not stop.is_set():
                open_counts([workspace])
                turn_counts([workspace], timezone.now())

    def _settled(self, now: float) -> list[Workspace]:
        rows = Workspace.objects.filter(last_seq=F("projected_seq"), last_seq__gt=0)
        due = list[int]()
        for row_id, seq in rows.values_list("pk", "last_seq"):
            known, since = self._seen.get(row_id, (0, None))
            if known != seq:
                self._seen[row_id] = seq, now
            elif since is not None and now - since >= QUIET_SECONDS:
                self._seen[row_id] = seq, None
                due.append(row_id)
        return list(Workspace.objects.filter(pk__in=due)) if due else []


def keep_counting(stop: threading.Event) -> None:
    """Count whenever a workspace is due, until stopped.

    Raises:
        OtherVersion: another program has migrated the database.
    """
    counter = Counter()
    try:
        while not stop.wait(_LOOK_SECONDS):
            try:
                ensure_current()
                counter.look(stop, time.monotonic())
            except OtherVersion:
                raise
            except Exception:  # the database may be busy or being replaced
                _log.exception("cannot count")
                stop.wait(_REST_SECONDS)
    finally:
        connection.close()
