"""Writes that may be left out: that a page was looked at, that a token was used."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.db import OperationalError, connection, transaction

#: Nobody waits for an import to end only to note that something was looked at.
_WAIT_MS = 50


def write_in_passing(write: Callable[[], object]) -> None:
    """Do a write, unless somebody else writes now: the next time will do."""
    try:
        with _impatient():
            write()
    except OperationalError:
        return


@contextmanager
def _impatient() -> Iterator[None]:
    if connection.vendor != "sqlite" or connection.in_atomic_block:
        with transaction.atomic():
            yield
        return
    with connection.cursor() as cursor:
        (usual,) = cursor.execute("PRAGMA busy_timeout").fetchone()
        cursor.execute(f"PRAGMA busy_timeout = {_WAIT_MS}")
        try:
            with transaction.atomic():
                yield
        finally:
            cursor.execute(f"PRAGMA busy_timeout = {int(usual)}")
