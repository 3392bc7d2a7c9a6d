"""Contents of a backup, and a verified copy of the database.

All files are included except derived or transient ones: the search index, locks,
sockets, drafts, other backups, and what a restore or a repair has set aside.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Collection, Iterable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any
from uuid import uuid4

from memoryhub.disk.files import sync_folder

DATABASE = "memoryhub.sqlite3"
BACKUPS = "backups"
LEDGER = "backups.json"
#: Result of the daily check of the database.
CHECKED = "checked.json"
SPOOL = "spool"
#: Local access credentials and links: a restored hub creates its own.
_LETS_IN = ("local.token*", "links", "served", "open.html*")
#: Patterns of names in the data folder that no backup contains.
LEFT_OUT = (
    f"{DATABASE}*", "search.sqlite3*", "test.sqlite3*", "locks", "*.sock", BACKUPS,
    LEDGER, CHECKED, "secret.key.*", "*.draft", "set-aside-*", *_LETS_IN,
)  # fmt: skip
#: Patterns of the hub's own names: they are set aside with the hub.
OWN = (
    f"{DATABASE}*", "search.sqlite3*", "secret.key*", SPOOL, LEDGER, CHECKED, "*.sock",
    "uploads", "samples", "audit-waiting.jsonl*", *_LETS_IN,
)  # fmt: skip
_WORKSPACES = (
    "SELECT slug, root, last_seq FROM workspaces_workspace"
    " WHERE removed_at IS NULL ORDER BY slug"
)
_PROBLEMS = 3
_DAMAGED = "the database {} is damaged: {}"


class Unsound(Exception):
    """A damaged database, with SQLite's report."""


def copy_database(database: Path, to: Path) -> None:
    """Copy a database consistently while others write it; the copy is one file.

    Raises:
        Unsound: the copy, and so the database, is damaged.
        sqlite3.Error: the database cannot be read, or the copy not written.
    """
    os.close(os.open(to, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    with closing(sqlite3.connect(to, isolation_level=None)) as copy:
        copy.execute("PRAGMA synchronous=OFF")
        with closing(_opened(database)) as source:
            source.backup(copy)
        # The copy must not depend on a write-ahead log that could be left behind.
        copy.execute("PRAGMA journal_mode=DELETE")
    check_sound(to)


def check_sound(database: Path) -> None:
    """Check the integrity of a database, including its log.

    Raises:
        Unsound: it is damaged.
    """
    try:
        with closing(_opened(database)) as opened:
            said = [row[0] for row in opened.execute("PRAGMA integrity_check(3)")]
    except sqlite3.DatabaseError as error:
        raise Unsound(_DAMAGED.format(database, error)) from error
    if said != ["ok"]:
        report = " ".join("; ".join(said[:_PROBLEMS]).split())
        raise Unsound(_DAMAGED.format(database, report))


def facts_of(database: Path) -> dict[str, Any]:
    """Return a database's workspaces and its schema number, for the manifest."""
    with closing(_opened(database)) as opened:
        (schema,) = opened.execute("PRAGMA user_version").fetchone()
        try:
            rows = opened.execute(_WORKSPACES).fetchall()
        except sqlite3.OperationalError:  # a hub that was created, but not migrated yet
            rows = []
    workspaces = [
        {"workspace": slug, "root": root, "journal_entries": seq}
        for slug, root, seq in rows
    ]
    return {"schema": schema, "workspaces": workspaces}


def files_of(data: Path) -> Iterator[tuple[str, Path]]:
    """Yield the regular files of a backup except the database, with their names."""
    for folder, below, names in os.walk(data, onerror=_raise_unless_gone):
        place = Path(folder).relative_to(data)
        below[:] = sorted(
            name for name in below if is_member((place / name).as_posix())
        )
        for name in sorted(names):
            member, path = (place / name).as_posix(), data / place / name
            is_regular = path.is_file() and not path.is_symlink()
            if is_regular and is_member(member) and member != DATABASE:
                yield member, path


def _raise_unless_gone(error: OSError) -> None:
    if not isinstance(error, FileNotFoundError):
        raise error


def is_member(name: str) -> bool:
    """Return whether a backup has a file of this name, relative to the data folder."""
    top = name.partition("/")[0]
    return name == DATABASE or not is_one_of(top, LEFT_OUT)


def workspaces_of(database: Path) -> tuple[tuple[str, str], ...]:
    """Return the short names and roots of a database's workspaces."""
    found = facts_of(database)["workspaces"]
    return tuple((one["workspace"], one["root"]) for one in found)


def is_one_of(name: str, patterns: Iterable[str]) -> bool:
    """Return whether a name matches one of some patterns."""
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def set_aside(data: Path, more: Collection[str] = ()) -> Path | None:
    """Move the hub of a folder into a subfolder, the database first.

    `more` are further names to move. Return the subfolder; None if there is nothing.
    """
    there = [path.name for path in data.iterdir()]
    names = [name for name in there if name in more or is_one_of(name, OWN)]
    if not names:
        return None
    aside = data / f"set-aside-{datetime.now(UTC):%Y%m%dT%H%M%S}-{uuid4().hex[:4]}"
    aside.mkdir(mode=0o700)
    for name in sorted(names, key=lambda name: (name != DATABASE, name)):
        (data / name).rename(aside / name)
        if name == DATABASE:
            sync_folder(data)
    sync_folder(aside)
    return aside


def is_empty(database: Path) -> bool:
    """Return whether no workspace of a database has a version of a file yet.

    False if it cannot be read: the backup says why.
    """
    try:
        with closing(_opened(database)) as opened:
            asked = "SELECT 1 FROM workspaces_workspace WHERE last_seq > 0 LIMIT 1"
            return opened.execute(asked).fetchone() is None
    except sqlite3.Error:
        return False


def _opened(database: Path) -> sqlite3.Connection:
    """Open an existing database, writable: SQLite needs that to read a log."""
    address = f"{database.absolute().as_uri()}?mode=rw"
    return sqlite3.connect(address, uri=True)
