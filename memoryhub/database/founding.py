"""Detect a hub in the data folder; create the first one.

A folder whose database is gone or empty is never treated as a new one: traces show that
there was a hub, and the error names how to restore it.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

from memoryhub.backups.contents import DATABASE, LEDGER, is_one_of, set_aside
from memoryhub.backups.ledger import known_backups
from memoryhub.database.write_turns import TurnConnection
from memoryhub.disk.files import sync_folder

#: Traces of a used hub besides the database, as patterns. Spooled events and a copied
#: sample are none: hooks and `make run` leave them before the first start.
TRACES = (
    "secret.key", "search.sqlite3", LEDGER, "set-aside-*", "restore-*.draft",
    f"{DATABASE}-wal",
)  # fmt: skip

#: Half a megabyte of pages for each connection: every thread has two, and the system
#: keeps the file's pages too.
SMALL_CACHE = "PRAGMA cache_size = -512"


class NoHub(Exception):
    """The data folder has no hub, and the command creates none."""

    def __init__(self, data: Path) -> None:
        super().__init__(data)
        self.data = data

    def __str__(self) -> str:
        return (
            f"there is no hub in {self.data}: memoryhub add PATH makes one,"
            " memoryhub restore FILE brings one back from a backup"
        )


class LostHub(NoHub):
    """The data folder had a hub; its database is gone or empty."""

    def __init__(self, database: Path, data: Path) -> None:
        super().__init__(data)
        self.database = database

    def __str__(self) -> str:
        what = "is empty" if self.database.exists() else "is gone"
        last = known_backups(self.data).last
        file = last.path if last and last.is_there else "FILE"
        return (
            f"the database of the hub in {self.data} {what}: memoryhub restore {file}"
            " brings it back; memoryhub add PATH --new begins a new hub"
        )


def ensure_hub(database: Path, data: Path, *, begins: bool) -> None:
    """Check that a hub exists; create it if requested and none ever existed.

    Raises:
        LostHub: there was a hub.
        NoHub: there is none, and `begins` is false.
    """
    with suppress(FileNotFoundError):
        if database.stat().st_size:
            return
        raise LostHub(database, data)
    if was_used(data):
        raise LostHub(database, data)
    if not begins:
        raise NoHub(data)
    found(database)


def was_used(data: Path) -> bool:
    """Return whether a hub was used in a folder."""
    with suppress(FileNotFoundError):
        return any(is_one_of(path.name, TRACES) for path in data.iterdir())
    return False


def found_new_hub(database: Path, data: Path) -> Path | None:
    """Create a hub in place of a lost one; return the folder with the old one's rest.

    None if there is a hub, which is left alone, or nothing to set aside.
    """
    with suppress(FileNotFoundError):
        if database.stat().st_size:
            return None
    aside = set_aside(data) if was_used(data) or database.exists() else None
    found(database)
    return aside


def found(database: Path) -> None:
    """Create an empty database atomically, never visible as a file of 0 bytes."""
    database.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    draft = database.with_name(f"{database.name}.{uuid4().hex}.draft")
    os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    try:
        with closing(sqlite3.connect(draft)) as new:
            new.execute("PRAGMA journal_mode=WAL")
            new.execute("VACUUM")
        with suppress(FileExistsError):
            database.hardlink_to(draft)
        sync_folder(database.parent)
    finally:
        draft.unlink(missing_ok=True)


class HubConnection(TurnConnection):
    """A connection to an existing database: SQLite would create a missing one."""

    def __init__(self, database: Any, *args: Any, **kwargs: Any) -> None:
        path = Path(database)
        if path.name == DATABASE and not (path.exists() and path.stat().st_size):
            raise sqlite3.OperationalError(f"the database {path} is gone")
        super().__init__(database, *args, **kwargs)
