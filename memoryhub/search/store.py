"""The search index's own SQLite file: tables of each workspace, one contentless FTS5.

It is derived data, apart from the journal, so that indexing never waits for the
journal's write lock. Any damage is repaired by a rebuild.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

from django.conf import settings

from memoryhub.database import write_turns
from memoryhub.database.founding import SMALL_CACHE

#: Raise it when texts are cut or made ready in another way: every workspace is then
#: indexed anew, because FTS5 deletes a row by the very text that was indexed.
RULES_VERSION = 7
FILE_NAME = "search.sqlite3"
#: From so many blocks on, those of terms in so many are counted ahead, again whenever
#: the blocks are more or less by this share.
COUNTED_BLOCKS, _COMMON_BLOCKS, _GROWN = 20_000, 1_000, 0.2

_SCHEMA = """
CREATE TABLE IF NOT EXISTS state (
    number INTEGER PRIMARY KEY,
    workspace TEXT NOT NULL UNIQUE,
    rules INTEGER NOT NULL,
    journal TEXT NOT NULL,
    seq INTEGER NOT NULL,
    blocks INTEGER NOT NULL
)
"""
#: `counts` holds the number of blocks of terms that are in many, with the number of all
#: blocks at that time below the empty term: to count them takes long.
#: `blocks` holds the file and line range of each row of `texts`, and whether a section
#: begins there. Its ids are never reused: a stale row could otherwise pass for another.
_TABLES = """
CREATE TABLE files_{n} (
    number INTEGER PRIMARY KEY, id INTEGER NOT NULL UNIQUE, path TEXT NOT NULL,
    sha BLOB NOT NULL, day INTEGER NOT NULL
);
CREATE TABLE blocks_{n} (
    id INTEGER PRIMARY KEY AUTOINCREMENT, file INTEGER NOT NULL,
    first INTEGER NOT NULL, last INTEGER NOT NULL, day INTEGER,
    begins INTEGER NOT NULL
);
CREATE INDEX blocks_{n}_place ON blocks_{n}(file, first);
CREATE VIRTUAL TABLE texts_{n} USING fts5(
    body, names, content='', tokenize='porter unicode61 remove_diacritics 2'
);
CREATE VIRTUAL TABLE words_{n} USING fts5vocab('texts_{n}', 'row');
CREATE TABLE counts_{n} (term TEXT PRIMARY KEY, blocks INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO texts_{n}(texts_{n}, rank) VALUES ('hashsize', 33554432);
INSERT INTO texts_{n}(texts_{n}, rank) VALUES ('automerge', 8)
"""
_DROP = """
DROP TABLE IF EXISTS counts_{n};
DROP TABLE IF EXISTS words_{n};
DROP TABLE IF EXISTS texts_{n};
DROP TABLE IF EXISTS blocks_{n};
DROP TABLE IF EXISTS files_{n};
"""

Row = tuple[Any, ...]


class _Cached(threading.local):
    """A thread's connection to the file: opening one costs more than most queries."""

    connection: sqlite3.Connection | None = None
    place: tuple[int, int] | None = None

    def of_file(self, connect: Callable[[], sqlite3.Connection]) -> sqlite3.Connection:
        """Return the open connection, or a new one if the file is another by now."""
        if self.connection is None or self.place is None or self.place != _place():
            self.close()
            self.connection = connect()
            self.place = _place()
        return self.connection

    def close(self) -> None:
        if self.connection is not None:
            self.connection.close()
        self.connection = self.place = None


_writer, _reader = _Cached(), _Cached()


class Journal(NamedTuple):
    """The journal of an index, and its last seq."""

    workspace: str
    identity: str
    seq: int


class State(NamedTuple):
    """State of a workspace's index: the last indexed seq, the number of blocks.

    `number` is that of its tables.
    """

    number: int
    rules: int
    journal: str
    seq: int
    blocks: int


@contextmanager
def opened() -> Iterator[sqlite3.Connection]:
    """Open the index's file; a missing one is created.

    Raises:
        sqlite3.DatabaseError: the file is damaged, or locked for too long.
    """
    connection = _writer.of_file(_created)
    try:
        yield connection
    except sqlite3.DatabaseError:
        _writer.close()
        raise


def _created() -> sqlite3.Connection:
    path = settings.MEMORYHUB_DATA / FILE_NAME
    with suppress(OSError):
        path.touch(mode=0o600, exist_ok=True)
    connection = _connected()
    try:
        connection.execute("PRAGMA auto_vacuum=INCREMENTAL")
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute("PRAGMA secure_delete=ON")
        connection.execute(_SCHEMA)
    except BaseException:
        connection.close()
        raise
    return connection


def _place() -> tuple[int, int] | None:
    """Return device and inode of the file: they change when it is recreated."""
    try:
        status = (settings.MEMORYHUB_DATA / FILE_NAME).stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _connected() -> sqlite3.Connection:
    path = settings.MEMORYHUB_DATA / FILE_NAME
    connection = sqlite3.connect(
        path, timeout=write_turns.PATIENCE, isolation_level=None
    )
    connection.execute(SMALL_CACHE)
    return connection


@contextmanager
def reading() -> Iterator[sqlite3.Connection | None]:
    """Open a read snapshot of the index's file; None without a file.

    Raises:
        sqlite3.DatabaseError: the file is damaged, or locked for too long.
    """
    if _place() is None:
        yield None
        return
    connection = _reader.of_file(_connected)
    if connection.in_transaction:  # a snapshot within another of this thread
        connection = _connected()
    try:
        connection.execute("BEGIN")
        yield connection
    except sqlite3.DatabaseError:
        _reader.close()
        raise
    finally:
        if connection is _reader.connection:
            connection.rollback()
        else:
            connection.close()


def remove_file() -> None:
    """Delete the index of all workspaces."""
    path = settings.MEMORYHUB_DATA / FILE_NAME
    for name in (FILE_NAME, f"{FILE_NAME}-wal", f"{FILE_NAME}-shm"):
        path.with_name(name).unlink(missing_ok=True)


@contextmanager
def writing(connection: sqlite3.Connection) -> Iterator[None]:
    """Hold the index's write lock; commit at the end, roll back on any exception."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def state_of(connection: sqlite3.Connection, workspace: str) -> State | None:
    """Return the state of a workspace's index; None if there is none."""
    row = connection.execute(
        "SELECT number, rules, journal, seq, blocks FROM state WHERE workspace = ?",
        (workspace,),
    ).fetchone()
    return State(*row) if row else None


def begin(connection: sqlite3.Connection, journal: Journal) -> State:
    """Return the state of a workspace's index; an outdated one is emptied.

    Outdated is one of other rules, or of another journal, such as a restored one.
    """
    state = state_of(connection, journal.workspace)
    if state is not None:
        fits = state.rules == RULES_VERSION and state.journal == journal.identity
        if fits and state.seq <= journal.seq:
            return state
        forget(connection, journal.workspace)
    cursor = connection.execute(
        "INSERT INTO state(workspace, rules, journal, seq, blocks)"
        " VALUES (?, ?, ?, 0, 0)",
        (journal.workspace, RULES_VERSION, journal.identity),
    )
    number = cursor.lastrowid or 0
    _run(connection, _DROP + _TABLES, number)
    return State(number, RULES_VERSION, journal.identity, 0, 0)


def forget(connection: sqlite3.Connection, workspace: str) -> None:
    """Delete the index of one workspace."""
    state = state_of(connection, workspace)
    if state is not None:
        _run(connection, _DROP, state.number)
        connection.execute("DELETE FROM state WHERE number = ?", (state.number,))


def note_seq(connection: sqlite3.Connection, number: int, seq: int, more: int) -> None:
    """Store the last indexed seq, and add to the number of blocks."""
    connection.execute(
        "UPDATE state SET seq = ?, blocks = blocks + ? WHERE number = ?",
        (seq, more, number),
    )


def count_terms(connection: sqlite3.Connection, number: int) -> None:
    """Count the blocks of common terms again, once there are many more blocks."""
    (blocks,) = connection.execute(
        "SELECT blocks FROM state WHERE number = ?", (number,)
    ).fetchone()
    counts = f"counts_{number}"
    known = connection.execute(
        f"SELECT blocks FROM {counts} WHERE term = ''"
    ).fetchone()
    before = known[0] if known else COUNTED_BLOCKS
    if blocks < COUNTED_BLOCKS or abs(blocks - before) < _GROWN * before:
        return
    with writing(connection):
        connection.execute(f"DELETE FROM {counts}")
        connection.execute(
            f"INSERT INTO {counts} SELECT term, doc FROM words_{number} WHERE doc >= ?",
            (_COMMON_BLOCKS,),
        )
        connection.execute(f"INSERT INTO {counts} VALUES ('', ?)", (blocks,))


def shrink(connection: sqlite3.Connection) -> None:
    """Return free pages to the disk; FTS5 leaves many when it merges."""
    connection.executescript("PRAGMA incremental_vacuum; PRAGMA wal_checkpoint")


def sweep() -> bool:
    """Rewrite the file without free pages and empty its log; return if that succeeded.

    A log in use by a reader cannot be emptied.

    Raises:
        sqlite3.DatabaseError: the file is locked, or the disk is full.
    """
    if not (settings.MEMORYHUB_DATA / FILE_NAME).exists():
        return True
    with opened() as connection:
        connection.execute("VACUUM")
        row = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return not row[0]


def _run(connection: sqlite3.Connection, script: str, number: int) -> None:
    """Run a script within the transaction; `executescript` would end it."""
    for statement in script.format(n=number).split(";"):
        if statement.strip():
            connection.execute(statement)
