"""Optional writes, skipped when the database is busy: page views, token use."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.db import OperationalError, connection, transaction

#: Lock timeout of an optional write.
_WAIT_MS = 50


def write_in_passing(write: Callable[[], object]) -> None:
    """Do an optional write; skip it if the database is locked."""
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
