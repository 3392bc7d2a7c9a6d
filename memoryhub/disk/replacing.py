"""Atomic replacement of a file by a new version.

The replaced version is finished by `memoryhub.disk.carrying`: lines that others
appended to it are carried to the new version; after any other change it gets its place
back. After a kill the next run does that (`memoryhub.sync.edit.leftovers`).
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress

from memoryhub.disk.carrying import Fate, finish, make, written
from memoryhub.disk.drafts import Draft, State, beginning, draft_for
from memoryhub.disk.files import (
    ExternallyChanged,
    FileBytes,
    as_file_error,
    read_stable,
)
from memoryhub.disk.places import Folder, Place
from memoryhub.disk.swapping import hold, wait_for_writers

#: Seconds to wait for a program that has the old version open; after that it is held as
#: a draft and checked again later.
WRITER_SECONDS = 0.5


def replace_file(place: Place, data: bytes, *, expected: str | None) -> None:
    """Replace a file atomically by a new version.

    The mode of the file is kept. `expected` is the hash that was read, or None for a
    new file, for which missing folders are created.

    Raises:
        ExternallyChanged: the file holds something else, or appeared meanwhile.
        UnreadableFile: it is missing, or the folder is not writable.
    """
    make_folders = expected is None
    with as_file_error(place.path), place.folder(make=make_folders) as folder:
        if expected is not None:
            _exchange(folder, place, data, expected)
            return
        try:
            make(folder, place.name, data)
        except FileExistsError as error:
            raise ExternallyChanged(place.path) from error
        folder.sync()


def remove_file(place: Place, *, expected: str) -> None:
    """Remove a file.

    Raises:
        ExternallyChanged: the file's hash is not `expected`.
        UnreadableFile: it is missing, or the folder is not writable.
    """
    with as_file_error(place.path), place.folder() as folder:
        found = _expected(folder, place, expected)
        gone = draft_for(place.name, State.GONE, beginning(found.data))
        folder.rename(place.name, gone.name)
        if _last_read(folder, gone.name) != found.data:
            finish(folder, place.name, gone)
            raise ExternallyChanged(place.path)
        held = gone.moved_on(State.HELD, *gone.beginnings)
        folder.rename(gone.name, held.name)
        finish(folder, place.name, held)


def _exchange(folder: Folder, place: Place, data: bytes, expected: str) -> None:
    """Exchange a draft and the file, then finish the draft.

    The new version cannot be opened before it has all lines appended meanwhile.
    """
    found = _expected(folder, place, expected)
    mode = os.stat(place.name, dir_fd=folder.descriptor, follow_symlinks=False).st_mode
    draft = draft_for(place.name, State.NEW, beginning(data), beginning(found.data))
    file = _drafted(folder, draft, data, stat.S_IMODE(mode))
    try:
        hold(file)
        is_there = False
        try:
            folder.exchange(draft.name, place.name)
            status = folder.status(draft.name)
            is_there = status is not None and stat.S_ISREG(status.st_mode)
            if not is_there:
                folder.exchange(draft.name, place.name)
        finally:
            if not is_there:
                folder.remove(draft.name)
        fate = Fate.DONE if is_there else Fate.UNUSED
        # On failure the draft remains and the next run finishes it.
        with suppress(OSError):
            if fate is Fate.DONE:
                fate = finish(folder, place.name, draft, file, WRITER_SECONDS).fate
    finally:
        os.close(file)
    if fate in {Fate.UNUSED, Fate.DISPLACED}:
        raise ExternallyChanged(place.path)


def _drafted(folder: Folder, draft: Draft, data: bytes, mode: int) -> int:
    """Write a new version under a draft's name; return its descriptor."""
    part = draft.moved_on(State.PART)
    try:
        file = written(folder, part, data, mode)
        try:
            folder.rename(part.name, draft.name)
        except BaseException:
            os.close(file)
            raise
    except BaseException:
        folder.remove(part.name)
        raise
    return file


def _expected(folder: Folder, place: Place, expected: str) -> FileBytes:
    """Read a file and check its hash.

    Raises:
        ExternallyChanged: the hash differs.
    """
    descriptor = folder.open_to_read(place.name)
    try:
        found = read_stable(descriptor, place.path)
    finally:
        os.close(descriptor)
    if found.sha256 != expected:
        raise ExternallyChanged(place.path)
    return found


def _last_read(folder: Folder, name: str) -> bytes:
    """Read a renamed file after its writers are done, or half a second."""
    descriptor = folder.open_to_read(name)
    try:
        wait_for_writers(descriptor, WRITER_SECONDS)
        return read_stable(descriptor, name).data
    finally:
        os.close(descriptor)
