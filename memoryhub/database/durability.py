"""Durability: commits are synced to disk before they are acknowledged.

The database commits without waiting for the disk (`PRAGMA synchronous=NORMAL`), so that
imports are quick. An acknowledged change waits once, for a sync of the write-ahead log,
which covers all earlier commits; concurrent callers share it.
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
#: On macOS a plain fsync leaves bytes in the disk's cache.
_FULL_SYNC: int | None = getattr(fcntl, "F_FULLFSYNC", None)


class SharedSync:
    """Work shared by concurrent callers: the first one does it for all."""

    def __init__(self, sync: Callable[..., None]) -> None:
        self._sync = sync
        self._changed = Condition()
        self._begun = self._ended = 0
        self._is_running = False

    def __call__(self, *given: Any) -> None:
        """Wait for a run that began after the call; `given` is for one's own.

        Raises:
            OSError: the disk refused.
        """
        with self._changed:
            wanted = self._begun + 1
            while self._ended < wanted:
                if self._is_running:
                    self._changed.wait()
                else:
                    self._lead(*given)

    def _lead(self, *given: Any) -> None:
        """Do the work for all waiting callers; a failed run covers nobody."""
        self._begun += 1
        self._is_running = True
        self._changed.release()
        done = False
        try:
            self._sync(*given)
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
        # The log's descriptor may be closed at any time; closing one of the database
        # would drop SQLite's locks on it.
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


#: Makes all commits so far survive a power cut.
sync_commits = SharedSync(_sync_log)


def commits_synced(
    get_response: Callable[[HttpRequest], Any],
) -> Callable[[HttpRequest], HttpResponse]:
    """Return a middleware that delays the response to a change until it is synced."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response: HttpResponse = get_response(request)
        if request.method not in _READING:
            sync_commits()
        return response

    return middleware
