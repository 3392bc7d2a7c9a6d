"""The hub's own folder: for its owner alone, whoever made it first.

Standard library only, since settings are read from here.
"""

from __future__ import annotations

import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

_LOCKS = "locks"
#: What the hub has there; what else somebody keeps there is none of its business.
_FOLDERS = frozenset({_LOCKS, "spool", "uploads", "backups", "samples", "integrations"})
_FILES = (
    "memoryhub.sqlite3",
    "search.sqlite3",
    "secret.key",
    "local.token",
    "hub.sock",
)
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


class DataFolderUnusable(Exception):
    """The hub's folder cannot be made."""

    def __init__(self, folder: Path, error: OSError) -> None:
        super().__init__(folder, error)
        self.folder = folder
        self.error = error

    def __str__(self) -> str:
        what = self.error.filename or self.folder
        return (
            f"the hub's folder cannot be used: {what}: {self.error.strerror};"
            " mend that, or name another folder in MEMORYHUB_DATA"
        )


def prepare(folder: Path, *, make: bool) -> None:
    """Make the hub's folder, if asked, and see that it is private.

    Raises:
        DataFolderUnusable: it cannot be made.
    """
    if make:
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise DataFolderUnusable(folder, error) from error
    with suppress(OSError):
        (folder / _LOCKS).mkdir(mode=0o700, exist_ok=True)
    make_private(folder)


def make_private(folder: Path) -> None:
    """Take what the hub has in its folder from everybody but the owner.

    What does not belong to us, or lies on a read-only disk, stays as it is.
    """
    for path in open_to_others(folder):
        with suppress(OSError):
            path.chmod(stat.S_IMODE(path.lstat().st_mode) & ~_OTHERS)


def open_to_others(folder: Path) -> list[Path]:
    """Return what of the hub's folder others than its owner may use in some way."""
    with suppress(OSError):
        return [path for path in _own(folder) if path.lstat().st_mode & _OTHERS]
    return []


def _own(folder: Path) -> Iterator[Path]:
    """Give the hub's folder, unless others share it, and what the hub has there."""
    is_shared = folder in (Path.home(), Path(folder.anchor))
    if not is_shared and not folder.stat().st_mode & stat.S_ISVTX:
        yield folder
    for path in folder.iterdir():
        is_folder = path.name in _FOLDERS and path.is_dir()
        if (is_folder or path.name.startswith(_FILES)) and not path.is_symlink():
            yield path
