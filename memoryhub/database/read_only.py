"""Reading a hub whose folder cannot be written, such as a mounted backup.

SQLite's write-ahead log needs files beside the database, and so do locks: a command
that only reads does so in a copy, which is thrown away when it ends.
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
    """Tell whether a folder holds a hub, and cannot be written."""
    return (data / DATABASE).exists() and not os.access(data, os.W_OK)


def scratch_folder() -> Path:
    """Return a folder of this process, which goes when the process ends."""
    folder = Path(tempfile.mkdtemp(prefix="memoryhub-reading-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def copy_to_read(data: Path, scratch: Path) -> None:
    """Copy what commands read of a hub into a scratch folder.

    Raises:
        OSError: something cannot be read, or there is no space for the copy.
    """
    try:
        _backed_up(data / DATABASE, scratch / DATABASE)
    except sqlite3.Error:  # nobody has it open: its files are what they are
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
