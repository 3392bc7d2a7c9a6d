"""Removal of deleted bytes from the database files: free pages, and logs.

SQLite overwrites deleted content (``secure_delete``), but rows moved between pages can
leave a copy in a page, and the write-ahead log has all of it.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from django.db import connection

from memoryhub.search import store

_ATTEMPTS, _PAUSE_SECONDS = 50, 0.1


class NotSwept(Exception):
    """The database is being read continuously; deleted bytes remain in its log."""

    def __str__(self) -> str:
        return "deleted bytes are left in the database's log: it is read all the time"


def sweep() -> None:
    """Rewrite both databases without deleted bytes, and empty their logs.

    Writers wait meanwhile, about a second for 100 MB. Does nothing within a
    transaction, whose deletions are not committed yet.

    Raises:
        NotSwept: a reader keeps a log from being emptied; try again later.
    """
    if connection.in_atomic_block:
        return
    with connection.cursor() as cursor:
        cursor.execute("VACUUM")
    if not (_until_done(_emptied_log) and _until_done(store.sweep)):
        raise NotSwept


def _emptied_log() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return not cursor.fetchone()[0]


def _until_done(step: Callable[[], bool]) -> bool:
    for attempt in range(_ATTEMPTS):
        if attempt:
            time.sleep(_PAUSE_SECONDS)
        if step():
            return True
    return False
