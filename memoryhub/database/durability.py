"""Commits made to survive a power cut: synced before anybody is told that it is done.

The database commits without waiting for the disk (`PRAGMA synchronous=NORMAL`), so that
imports are quick. What is acknowledged waits once, for a sync of the write-ahead log,
which covers all that was committed before; those who wait at the same time share it.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable
from threading import Condition
from typing import Any

from django.db import connection
from django.http import HttpRequest, HttpResponse

_READING = frozenset({"GET", "HEAD", "OPTIONS"})
#: On macOS a plain sync leaves bytes in the memory of the disk.
_FULL_SYNC: int | None = getattr(fcntl, "F_FULLFSYNC", None)


class SharedSync:
    """Syncs on behalf of all who wait: whoever comes first does it for the others."""

    def __init__(self, sync: Callable[[], None]) -> None:
        self._sync = sync
        self._changed = Condition()
        self._begun = self._ended = 0
        self._is_running = False

    def __call__(self) -> None:
        """Return when a sync that began after the call has ended.

        Raises:
            OSError: the disk refused.
        """
        with self._changed:
            wanted = self._begun + 1
            while self._ended < wanted:
                if self._is_running:
                    self._changed.wait()
                else:
                    self._lead()

    def _lead(self) -> None:
        """Sync for all who wait; one that fails has covered nobody."""
        self._begun += 1
        self._is_running = True
        self._changed.release()
        done = False
        try:
            self._sync()
            done = True
        finally:
            self._changed.acquire()
            self._is_running = False
            if done:
                self._ended = self._begun
            self._changed.notify_all()


def _sync_log() -> None:
    """Sync the write-ahead log; without one all is in the database, and synced."""
    try:
        # A descriptor of the log may be closed at any time; one of the database may
        # not, as that would drop SQLite's locks on it.
        log = os.open(f"{connection.settings_dict['NAME']}-wal", os.O_RDWR)
    except FileNotFoundError:
        return
    try:
        if _FULL_SYNC is not None:
            fcntl.fcntl(log, _FULL_SYNC)
        else:
            os.fsync(log)
    finally:
        os.close(log)


#: Makes all that was committed until now survive a power cut.
sync_commits = SharedSync(_sync_log)


def commits_synced(
    get_response: Callable[[HttpRequest], Any],
) -> Callable[[HttpRequest], HttpResponse]:
    """Return a middleware that answers a change only when it is synced."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response: HttpResponse = get_response(request)
        if request.method not in _READING:
            sync_commits()
        return response

    return middleware
