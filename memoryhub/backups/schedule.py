"""Scheduled backups, in a thread of the server."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from memoryhub.audit.recording import hub_action
from memoryhub.backups.contents import is_empty
from memoryhub.backups.ledger import known_backups
from memoryhub.backups.taking import Source, Wish, take_backup

#: Interval of checks in seconds; a failed backup is retried after an hour.
_LOOK_SECONDS = 60.0
_RETRY = timedelta(hours=1)
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Schedule:
    """Scheduler: takes a backup when the last one exceeds an age, until `stop`.

    Backups taken by hand count.
    """

    stop: threading.Event
    source: Source
    wish: Wish
    every: timedelta
    clock: Callable[[], datetime]

    def run(self) -> None:
        """Check periodically until `stop` is set."""
        while not self.stop.is_set():
            self.look()
            self.stop.wait(_LOOK_SECONDS)

    def look(self) -> bool:
        """Take a backup if one is due; return whether one was taken.

        A failure is logged, shown on Health, and retried.
        """
        if not self.is_due():
            return False
        try:
            with hub_action("backup.taken"):
                taken = take_backup(self.source, self.wish, self.clock)
        except Exception:  # the server survives any error
            _log.exception("no backup was taken")
            return False
        _log.info("a backup was taken: %s", taken.path)
        return True

    def is_due(self) -> bool:
        """Return whether a backup is due; false for an hour after a failure."""
        now, known = self.clock(), known_backups(self.source.data)
        if known.failed and now - known.failed.at < _RETRY:
            return False
        last = known.last
        if last is None:
            # A hub that has just been made: the day's backup is of what comes into it.
            return not is_empty(self.source.database)
        return not last.is_there or now - last.at >= self.every
