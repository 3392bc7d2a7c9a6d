"""The hub's data folder: accessible to its owner only.

Standard library only, since the settings import this module.
"""

from __future__ import annotations

import atexit
import os
import shutil
import sqlite3
import stat
import tempfile
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

from memoryhub.backups.contents import DATABASE, LEDGER

_LOCKS = "locks"
#: Entries of the hub; other entries of the folder are left alone.
_FOLDERS = frozenset({_LOCKS, "spool", "uploads", "backups", "samples", "integrations"})
_FILES = (
    "memoryhub.sqlite3",
    "search.sqlite3",
    "secret.key",
    "local.token",
    "hub.sock",
)
_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_COPIED = ("search.sqlite3", "search.sqlite3-wal", "secret.key", LEDGER)


class DataFolderUnusable(Exception):
    """The data folder cannot be created."""


def prepare(folder: Path, *, make: bool) -> None:
    """Create the data folder if requested, and make it private.

    Raises:
        DataFolderUnusable: it cannot be created.
    """
    if make:
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise DataFolderUnusable(
                f"the hub's folder cannot be used: {error.filename or folder}:"
                f" {error.strerror}; mend that, or name another folder in"
                " MEMORYHUB_DATA"
            ) from error
    with suppress(OSError):
        (folder / _LOCKS).mkdir(mode=0o700, exist_ok=True)
    make_private(folder)


def make_private(folder: Path) -> None:
    """Remove all permissions of group and others from the hub's entries.

    Entries of other owners, or on a read-only disk, stay as they are.
    """
    for path in open_to_others(folder):
        with suppress(OSError):
            path.chmod(stat.S_IMODE(path.lstat().st_mode) & ~_OTHERS)


def open_to_others(folder: Path) -> list[Path]:
    """Return the hub's entries with any permission for group or others."""
    with suppress(OSError):
        return [path for path in _own(folder) if path.lstat().st_mode & _OTHERS]
    return []


def _own(folder: Path) -> Iterator[Path]:
    """Yield the data folder, unless shared with others, and the hub's entries in it."""
    is_shared = folder in (Path.home(), Path(folder.anchor))
    if not is_shared and not folder.stat().st_mode & stat.S_ISVTX:
        yield folder
    for path in folder.iterdir():
        is_folder = path.name in _FOLDERS and path.is_dir()
        if (is_folder or path.name.startswith(_FILES)) and not path.is_symlink():
            yield path


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
