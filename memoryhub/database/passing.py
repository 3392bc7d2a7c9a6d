"""Optional writes, skipped when the database is busy: page views, token use."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.db import IntegrityError, OperationalError, connection, transaction

from memoryhub.database.write_turns import patience

#: Lock timeout of an optional write.
_WAIT_MS = 50


def write_in_passing(write: Callable[[], object]) -> None:
    """Do an optional write.

    Skip it if the database is locked, or if another request has just made the same row.
    """
    try:
        with _impatient():
            write()
    except (OperationalError, IntegrityError):
        return


@contextmanager
def _impatient() -> Iterator[None]:
    if connection.in_atomic_block:
        with transaction.atomic():
            yield
        return
    with connection.cursor() as cursor:
        (usual,) = cursor.execute("PRAGMA busy_timeout").fetchone()
        cursor.execute(f"PRAGMA busy_timeout = {_WAIT_MS}")
        try:
            with (
                patience(connection.connection, _WAIT_MS / 1_000),
                transaction.atomic(),
            ):
                yield
        finally:
            cursor.execute(f"PRAGMA busy_timeout = {int(usual)}")
