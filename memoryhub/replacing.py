"""A file's new version put in the place of the old one, at once or not at all.

What was replaced is looked at once more: what was appended to it goes on in the new
version; anything else has its place again.
"""

from __future__ import annotations

import os
import stat
from typing import NoReturn

from memoryhub.files import (
    ExternallyChanged,
    UnreadableFile,
    as_file_error,
    read_stable,
    write_all,
)
from memoryhub.places import Folder, Place, read_file
from memoryhub.swapping import hold, wait_for_writers

#: Seconds that a program may keep a file open that was replaced, until nobody waits
#: for what it may still write to it.
WRITER_SECONDS = 0.5


def replace_file(place: Place, data: bytes, *, expected: str | None) -> None:
    """Put a new version in the place of a file, at once or not at all.

    The mode of the file is kept. `expected` is the hash that was read, or None
    where no file should be: then missing folders are made, too.

    Raises:
        ExternallyChanged: the file holds something else, or appeared meanwhile.
        UnreadableFile: it is gone, or the folder takes no files.
    """
    draft = _draft_of(place.name)
    make = expected is None
    with as_file_error(place.path), place.folder(make=make) as folder:
        try:
            if expected is None:
                os.close(_drafted(folder, draft, data))
                _link(folder, draft, place)
            elif not _swapped(folder, draft, place, data, expected):
                _carry_over(folder, draft, place, data)
        finally:
            folder.remove(draft)
            folder.sync()


def remove_file(place: Place, *, expected: str) -> None:
    """Take a file away.

    Raises:
        ExternallyChanged: the file does not hold what has the hash `expected`.
        UnreadableFile: it is gone, or the folder does not let go of files.
    """
    found = read_file(place)
    if found.sha256 != expected:
        raise ExternallyChanged(place.path)
    aside = _draft_of(place.name)
    with as_file_error(place.path), place.folder() as folder:
        folder.rename(place.name, aside)
        try:
            if _last_read(folder, aside) != found.data:
                _put_back(folder, aside, place)
        finally:
            folder.remove(aside)
            folder.sync()


def _draft_of(name: str) -> str:
    """Return a name that nobody else uses, and no scan looks at."""
    return f".{name[:40]}.memoryhub-{os.urandom(6).hex()}"


def _drafted(folder: Folder, draft: str, data: bytes, like: str = "") -> int:
    """Write a new file, with the mode of another one; return its descriptor."""
    descriptor = folder.open(draft, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_APPEND)
    try:
        write_all(descriptor, data)
        if status := folder.status(like) if like else None:
            os.fchmod(descriptor, stat.S_IMODE(status.st_mode))
        os.fsync(descriptor)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _link(folder: Folder, draft: str, place: Place) -> None:
    try:
        folder.link(draft, place.name)
    except FileExistsError as error:
        raise ExternallyChanged(place.path) from error


def _swapped(
    folder: Folder, draft: str, place: Place, data: bytes, expected: str
) -> bool:
    """Put a draft in the place of a file; tell whether it was the one expected.

    Nobody opens the draft before it holds what was appended to the file meanwhile.
    A file that says something else has its place again.
    """
    found = read_file(place)
    if found.sha256 != expected:
        raise ExternallyChanged(place.path)
    descriptor = _drafted(folder, draft, data, place.name)
    try:
        hold(descriptor)
        folder.exchange(draft, place.name)
        late = _last_read(folder, draft)
        if late is not None and late.startswith(found.data):
            write_all(descriptor, late[found.size :])
            return True
        folder.exchange(draft, place.name)
        return False
    finally:
        os.close(descriptor)


def _put_back(folder: Folder, aside: str, place: Place) -> NoReturn:
    """Give a file its place again, also where a new one has it; then raise."""
    try:
        folder.link(aside, place.name)
    except FileExistsError:
        folder.exchange(aside, place.name)
        _carry_over(folder, aside, place)
    raise ExternallyChanged(place.path)


def _carry_over(
    folder: Folder, aside: str, place: Place, ours: bytes = b""
) -> NoReturn:
    """Give a file what others made of ours, which has left its place; then raise.

    What they appended goes to the end. What they saved instead takes the place.

    Raises:
        ExternallyChanged: in any case.
    """
    late = _last_read(folder, aside)
    if late is not None and late.startswith(ours):
        if late != ours:
            file = folder.open(place.name, os.O_WRONLY | os.O_APPEND)
            try:
                write_all(file, late[len(ours) :])
            finally:
                os.close(file)
        raise ExternallyChanged(place.path)
    folder.exchange(aside, place.name)
    raise ExternallyChanged(place.path, _last_read(folder, aside))


def _last_read(folder: Folder, name: str) -> bytes | None:
    """Return what a file holds that has lost its name, when others are done with it.

    None for what is no file, or not for us to read.
    """
    try:
        descriptor = folder.open(name, os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        wait_for_writers(descriptor, WRITER_SECONDS)
        return read_stable(descriptor, name).data
    except (OSError, UnreadableFile):
        return None
    finally:
        os.close(descriptor)
