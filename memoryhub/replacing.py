"""A file's new version put in the place of the old one, at once or not at all.

What was replaced is looked at once more: what was appended to it goes on in the new
version; anything else has its place again.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import NoReturn

from memoryhub.files import (
    ExternallyChanged,
    UnreadableFile,
    as_file_error,
    read_file,
    read_stable,
    write_all,
)
from memoryhub.swapping import exchange, hold, wait_for_writers

#: How long a program may keep a file open that was replaced, until nobody waits for
#: what it may still write to it.
WRITER_SECONDS = 0.5


def replace_file(path: Path, data: bytes, *, expected: str | None) -> None:
    """Put a new version in the place of a file, at once or not at all.

    The mode of the file is kept. `expected` is the hash that was read, or None
    where no file should be.

    Raises:
        ExternallyChanged: the file holds something else, or appeared meanwhile.
        UnreadableFile: it is gone, or the folder takes no files.
    """
    draft = _aside(path)
    with as_file_error(path):
        try:
            if expected is None:
                os.close(_drafted(draft, data))
                _place(draft, path)
            elif not _swapped(draft, path, data, expected):
                _carry_over(draft, path, data)
        finally:
            draft.unlink(missing_ok=True)


def remove_file(path: Path, *, expected: str) -> None:
    """Take a file away.

    Raises:
        ExternallyChanged: the file does not hold what has the hash `expected`.
        UnreadableFile: it is gone, or the folder does not let go of files.
    """
    found = read_file(path)
    if found.sha256 != expected:
        raise ExternallyChanged(str(path))
    aside = _aside(path)
    with as_file_error(path):
        path.rename(aside)
        try:
            if _last_read(aside) != found.data:
                _put_back(aside, path)
        finally:
            aside.unlink(missing_ok=True)


def _aside(path: Path) -> Path:
    """Return a name beside a file that nobody else uses, and no scan looks at."""
    return path.with_name(f".{path.name[:40]}.memoryhub-{os.urandom(6).hex()}")


def _drafted(draft: Path, data: bytes, like: Path | None = None) -> int:
    """Write a new file, with the mode of another one; return its descriptor."""
    flags = os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_APPEND
    descriptor = os.open(draft, flags, 0o666)
    try:
        write_all(descriptor, data)
        if like is not None:
            os.fchmod(descriptor, stat.S_IMODE(like.lstat().st_mode))
        os.fsync(descriptor)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _place(draft: Path, path: Path) -> None:
    try:
        path.hardlink_to(draft)
    except FileExistsError as error:
        raise ExternallyChanged(str(path)) from error


def _swapped(draft: Path, path: Path, data: bytes, expected: str) -> bool:
    """Put a draft in the place of a file; tell whether it was the one expected.

    Nobody opens the draft before it holds what was appended to the file meanwhile.
    A file that says something else has its place again.
    """
    found = read_file(path)
    if found.sha256 != expected:
        raise ExternallyChanged(str(path))
    descriptor = _drafted(draft, data, path)
    try:
        hold(descriptor)
        exchange(draft, path)
        late = _last_read(draft)
        if late is not None and late.startswith(found.data):
            write_all(descriptor, late[found.size :])
            return True
        exchange(draft, path)
        return False
    finally:
        os.close(descriptor)


def _put_back(aside: Path, path: Path) -> NoReturn:
    """Give a file its place again, also where a new one has it; then raise."""
    try:
        path.hardlink_to(aside)
    except FileExistsError:
        exchange(aside, path)
        _carry_over(aside, path)
    raise ExternallyChanged(str(path))


def _carry_over(aside: Path, path: Path, ours: bytes = b"") -> NoReturn:
    """Give a file what others made of ours, which has left its place; then raise.

    What they appended goes to the end. What they saved instead takes the place.

    Raises:
        ExternallyChanged: in any case.
    """
    late = _last_read(aside)
    if late is not None and late.startswith(ours):
        if late != ours:
            with path.open("ab", buffering=0) as file:
                write_all(file.fileno(), late[len(ours) :])
        raise ExternallyChanged(str(path))
    exchange(aside, path)
    raise ExternallyChanged(str(path), _last_read(aside))


def _last_read(path: Path) -> bytes | None:
    """Return what a file holds that has lost its name, when others are done with it.

    None for what is no file, or not for us to read.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        wait_for_writers(descriptor, WRITER_SECONDS)
        return read_stable(descriptor, path).data
    except (OSError, UnreadableFile):
        return None
    finally:
        os.close(descriptor)
