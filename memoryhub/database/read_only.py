"""Reading a hub in a read-only folder, such as a mounted backup.

SQLite's write-ahead log needs files next to the database, and so do locks: a reading
command works on a copy, which is deleted at its end.
"""

from __future__ import annotations

import atexit
import os
import shutil
import sqlite3
import tempfile
from contextlib import closing, suppress
from pathlib import Path

from memoryhub.backups.contents import DATABASE, LEDGER

_COPIED = ("search.sqlite3", "search.sqlite3-wal", "secret.key", LEDGER)


def is_read_only(data: Path) -> bool:
    """Return whether a folder has a hub and is not writable."""
    return (data / DATABASE).exists() and not os.access(data, os.W_OK)


def scratch_folder() -> Path:
    """Create a temporary folder, deleted at the end of the process."""
    folder = Path(tempfile.mkdtemp(prefix="memoryhub-reading-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def copy_to_read(data: Path, scratch: Path) -> None:
    """Copy a hub's files for reading into a scratch folder.

    Raises:
        OSError: a file cannot be read, or there is no space for the copy.
    """
    try:
        _backed_up(data / DATABASE, scratch / DATABASE)
    except sqlite3.Error:  # no process has it open: its files are consistent
        shutil.copyfile(data / DATABASE, scratch / DATABASE)
        with suppress(FileNotFoundError):
            log = f"{DATABASE}-wal"
            shutil.copyfile(data / log, scratch / log)
    for name in _COPIED:
        with suppress(FileNotFoundError):
            shutil.copyfile(data / name, scratch / name)


def _backed_up(database: Path, copy: Path) -> None:
    address = f"{database.absolute().as_uri()}?mode=ro"
    with (
        closing(sqlite3.connect(address, uri=True)) as source,
        closing(sqlite3.connect(copy)) as target,
    ):
        source.backup(target)
