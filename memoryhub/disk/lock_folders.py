"""Locks of other programs that are folders, as npm's proper-lockfile makes them.

The lock of ``inbox.json`` is the folder ``inbox.json.lock`` beside it: who makes it
holds it and touches it at intervals; one untouched for ten seconds is abandoned.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from memoryhub.disk.files import ExternallyChanged, as_file_error
from memoryhub.disk.places import Folder, Place

#: Seconds to wait for the lock, between tries, and until it counts as abandoned.
_WAIT, _PAUSE, _ABANDONED = 2.0, 0.02, 10.0


@contextmanager
def lock_folder(place: Place) -> Iterator[None]:
    """Hold the lock of a file against programs that lock by folder.

    Raises:
        ExternallyChanged: another program holds it for longer than two seconds.
        UnreadableFile: the folder of the file cannot be reached or written.
    """
    name = f"{place.name}.lock"
    with as_file_error(place.path), place.folder(make=True) as folder:
        _acquire(folder, name, place.path)
        try:
            yield
        finally:
            with suppress(FileNotFoundError):
                os.rmdir(name, dir_fd=folder.descriptor)


def _acquire(folder: Folder, name: str, path: str) -> None:
    end = time.monotonic() + _WAIT
    while True:
        try:
            os.mkdir(name, dir_fd=folder.descriptor)
        except FileExistsError as error:
            if time.monotonic() > end:
                raise ExternallyChanged(path) from error
        else:
            return
        found = folder.status(name)
        if found is not None and time.time() - found.st_mtime > _ABANDONED:
            with suppress(OSError):
                os.rmdir(name, dir_fd=folder.descriptor)
        else:
            time.sleep(_PAUSE)
