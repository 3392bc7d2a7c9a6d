"""Take deleted bytes out of the databases' files: free pages, and the logs.

SQLite overwrites what is deleted (``secure_delete``), but what rows held before they
were moved between pages can be left in a page, and all of it in the write-ahead log.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from django.db import connection

from memoryhub.search import store

_ATTEMPTS, _PAUSE_SECONDS = 50, 0.1


class NotSwept(Exception):
    """Somebody reads the database all the time; deleted bytes are left in its log."""

    def __str__(self) -> str:
        return "deleted bytes are left in the database's log: it is read all the time"


def sweep() -> None:
    """Rewrite both databases without what was deleted, and empty their logs.

    Writers wait meanwhile, about a second for 100 MB. Within a transaction nothing is
    done: what it deleted is not deleted yet.

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
