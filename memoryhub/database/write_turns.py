"""Write transactions of one process, one after another in the order of their arrival.

SQLite lets who waits for its write lock sleep and try again, up to a tenth of a second
at a time: under load some wait for seconds while others pass. Within a process those
who write wait here instead, and are woken when it is their turn.

Standard library only, since the settings import this module.
"""

from __future__ import annotations

import os
import re
import sqlite3
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, lru_cache
from pathlib import Path
from threading import Lock
from typing import Any

#: Seconds after which a statement that waits to write fails, in the process or for
#: another one, unless its connection has less `patience`.
PATIENCE = 20.0
#: Django's mark of a parameter; statements up to a length are converted once.
_PARAMETER, _LONG = re.compile(r"(?<!%)%s"), 8_000
_WRITES = ("BEGIN IMMEDIATE", "INSERT", "UPDATE", "DELETE", "REPLACE")


class Turns:
    """A lock that is handed over in the order of arrival."""

    def __init__(self) -> None:
        self._mutex = Lock()
        self._is_held = False
        self._waiting: deque[Lock] = deque()

    def acquire(self, seconds: float) -> bool:
        """Wait for the turn; return whether it came in time."""
        with self._mutex:
            if not self._is_held:
                self._is_held = True
                return True
            mine = Lock()
            mine.acquire()
            self._waiting.append(mine)
        if mine.acquire(timeout=seconds):
            return True
        with self._mutex:
            if mine in self._waiting:
                self._waiting.remove(mine)
                return False
        return True

    def release(self) -> None:
        """End the turn; the first who waits has it next."""
        with self._mutex:
            if self._waiting:
                self._waiting.popleft().release()
            else:
                self._is_held = False


@cache
def turns_of(database: Path) -> Turns:
    """Return the turns of a database, the same for all connections of a process."""
    return Turns()


# A child of a fork has none of the threads that hold or await a turn.
os.register_at_fork(after_in_child=turns_of.cache_clear)


class TurnConnection(sqlite3.Connection):
    """A connection whose write transactions wait for their turn in the process."""

    def __init__(self, database: Any, *args: Any, **kwargs: Any) -> None:
        self._place = Path(database)
        self._turns: Turns | None = None
        #: Seconds that a statement waits for the turn.
        self.patience = PATIENCE
        super().__init__(database, *args, **kwargs)

    def cursor(self, factory: Any = sqlite3.Cursor) -> Any:
        """Return a cursor whose statements wait for the turn, if they write."""
        return super().cursor(_in_turn(factory))

    def begin_turn(self, statement: str) -> None:
        """Wait for the turn before a statement that begins to write.

        Raises:
            OperationalError: it did not come in time.
        """
        if self._turns or self.in_transaction or not _writes(statement):
            return
        turns = turns_of(self._place)
        if not turns.acquire(self.patience):
            raise sqlite3.OperationalError("database is locked")
        self._turns = turns

    def end_turn(self) -> None:
        """End the turn, unless a transaction goes on."""
        if self._turns and not self.in_transaction:
            turns, self._turns = self._turns, None
            turns.release()

    def commit(self) -> None:
        try:
            super().commit()
        finally:
            self.end_turn()

    def rollback(self) -> None:
        try:
            super().rollback()
        finally:
            self.end_turn()

    def close(self) -> None:
        try:
            super().close()
        finally:
            if self._turns:
                turns, self._turns = self._turns, None
                turns.release()

    def __del__(self) -> None:
        if getattr(self, "_turns", None):
            self.close()


@contextmanager
def patience(connection: Any, seconds: float) -> Iterator[None]:
    """Have the enclosed statements of a connection wait no longer for their turn."""
    connection.patience = seconds
    try:
        yield
    finally:
        connection.patience = PATIENCE


def _writes(statement: str) -> bool:
    return statement.lstrip()[:20].upper().startswith(_WRITES)


@lru_cache(maxsize=512)
def _with_marks(query: str) -> str:
    """Return a statement with SQLite's marks of parameters, as Django converts it."""
    return _PARAMETER.sub("?", query).replace("%%", "%")


@cache
def _in_turn(factory: type[sqlite3.Cursor]) -> type[sqlite3.Cursor]:
    """Return a class of cursors that wait for the turn of their connection."""

    class TurnCursor(factory):  # type: ignore[misc, valid-type]
        def convert_query(self, query: str, *, param_names: Any = None) -> str:
            if param_names is not None or len(query) > _LONG:
                converted: str = super().convert_query(query, param_names=param_names)
                return converted
            return _with_marks(query)

        def execute(self, statement: str, *args: Any) -> Any:
            self.connection.begin_turn(statement)
            try:
                return super().execute(statement, *args)
            finally:
                self.connection.end_turn()

        def executemany(self, statement: str, *args: Any) -> Any:
            self.connection.begin_turn(statement)
            try:
                return super().executemany(statement, *args)
            finally:
                self.connection.end_turn()

    return TurnCursor
