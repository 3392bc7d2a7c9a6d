"""Bytes between memory and disk: read with their hash, append, lock.

Standard library only. Every write is made against the hash that was read, so that
nothing another program wrote in between is lost; see also `memoryhub.replacing`.

    FileError
    +-- UnreadableFile       it cannot be opened, read or written, or is no regular file
    +-- ExternallyChanged    it no longer holds what the writer has read
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

#: Bytes of a name that are not UTF-8, moved from Python's lone surrogates, which
#: no database stores, to a private-use range, and back. A name that holds letters of
#: that range already has them written as the bytes they are.
_TO_TEXT: dict[int, int | str] = {
    0xDC00 + byte: 0xF700 + byte for byte in range(0x80, 0x100)
}
_FROM_TEXT = {0xF700 + byte: 0xDC00 + byte for byte in range(0x80, 0x100)}
_TO_TEXT |= {
    letter: "".join(chr(0xF700 + byte) for byte in chr(letter).encode())
    for letter in _FROM_TEXT
}
_READ_ATTEMPTS = 3
#: How long it may take until a file that is being replaced can be opened.
_OPEN_SECONDS = 1.0


class FileError(Exception):
    """A file that cannot be read or written as asked."""

    def __init__(self, path: str, reason: str = "") -> None:
        super().__init__(path, reason)
        self.path = path
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}" if self.reason else self.path


class UnreadableFile(FileError):
    """The file cannot be opened, read or written, or is no regular file."""


class ExternallyChanged(FileError):
    """The file no longer holds what the writer has read.

    `displaced` is a version of another program that no longer lies anywhere.
    """

    def __init__(self, path: str, displaced: bytes | None = None) -> None:
        super().__init__(path, "another program has changed this file")
        self.displaced = displaced


class Stamp(NamedTuple):
    """How a file looked at one moment, without its bytes.

    `unstable`: it was still being written while it was read, each time it was tried.
    """

    sha256: str
    size: int
    mtime_ns: int
    unstable: bool = False


@dataclass(frozen=True, slots=True)
class FileBytes:
    """What a file held at one moment."""

    data: bytes
    stamp: Stamp

    @property
    def sha256(self) -> str:
        return self.stamp.sha256

    @property
    def size(self) -> int:
        return self.stamp.size

    @property
    def mtime_ns(self) -> int:
        return self.stamp.mtime_ns


def text_path(raw: str) -> str:
    """Return a path as text that any database stores; `disk_path` takes it back."""
    return raw if raw.isascii() else raw.translate(_TO_TEXT)


def disk_path(text: str) -> str:
    """Return a path that names the same file as the one `text_path` was given."""
    return text if text.isascii() else text.translate(_FROM_TEXT)


def folder_of(text: str) -> Path:
    """Return the place of a folder, such as a workspace's root, from its text form."""
    return Path(disk_path(text))


def inside(root: Path, path: str) -> Path:
    """Return the place of a workspace's file on disk.

    Raises:
        UnreadableFile: the path leaves the workspace, also by a link on its way.
    """
    place = root / disk_path(path)
    try:
        folder = place.parent.resolve()
    except (OSError, ValueError, RuntimeError) as error:
        # Until Python 3.13 a loop of links is a RuntimeError, which names its place.
        reason = "links lead in a circle"
        if not isinstance(error, RuntimeError):
            reason = _reason(error)
        raise UnreadableFile(path, reason) from error
    if not folder.is_relative_to(root.resolve()) or place.name in {"", "..", "."}:
        raise UnreadableFile(path, "the path leaves the workspace")
    return place


def read_file(path: Path | str, *, limit: int | None = None) -> FileBytes:
    """Return what a regular file holds; it is read again if it changes meanwhile.

    Raises:
        UnreadableFile: it is gone, a link, no regular file, not permitted, or
            larger than `limit` bytes.
    """
    try:
        descriptor = _opened(path)
    except (OSError, ValueError) as error:
        raise UnreadableFile(str(path), _reason(error)) from error
    try:
        return read_stable(descriptor, path, limit)
    except OSError as error:
        raise UnreadableFile(str(path), _reason(error)) from error
    finally:
        os.close(descriptor)


def looks_like(path: Path, stamp: Stamp | None) -> bool:
    """Tell whether a file has the size and time of a version; None is for no file."""
    try:
        now = path.lstat()
    except (OSError, ValueError):
        return stamp is None
    return stamp is not None and (now.st_size, now.st_mtime_ns) == stamp[1:3]


def _opened(path: Path | str) -> int:
    """Open a file to read it; one that is being replaced is so in a moment."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
    end = time.monotonic() + _OPEN_SECONDS
    while True:
        try:
            return os.open(path, flags)
        except BlockingIOError:
            if time.monotonic() > end:
                raise
            time.sleep(0.002)


def read_stable(
    descriptor: int, path: Path | str, limit: int | None = None
) -> FileBytes:
    """Return what an open file holds; see `read_file`.

    Raises:
        UnreadableFile: it is no regular file, or larger than `limit` bytes.
    """
    for _ in range(_READ_ATTEMPTS):
        before = os.fstat(descriptor)
        if not stat.S_ISREG(before.st_mode):
            raise UnreadableFile(str(path), "not a regular file")
        if limit is not None and before.st_size > limit:
            raise UnreadableFile(str(path), f"larger than {limit} bytes")
        data = os.pread(descriptor, before.st_size + 1, 0)
        after = os.fstat(descriptor)
        unstable = (
            len(data) != before.st_size
            or after.st_mtime_ns != before.st_mtime_ns
            or after.st_size != before.st_size
        )
        if not unstable:
            break
    digest = sha256(data).hexdigest()
    return FileBytes(data, Stamp(digest, len(data), before.st_mtime_ns, unstable))


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)


def append_bytes(path: Path, addition: bytes, *, expected: str) -> bytes:
    """Add bytes to the end of the same file, which agents may hold open.

    Return what stands before them: what was expected, and what another program
    appended in the moment between.

    Raises:
        ExternallyChanged: the file does not hold what has the hash `expected`.
        UnreadableFile: it cannot be opened.
    """
    with as_file_error(path):
        descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_NOFOLLOW)
        try:
            found = read_stable(descriptor, path)
            if found.sha256 != expected:
                raise ExternallyChanged(str(path))
            write_all(descriptor, addition)
            begin = os.lseek(descriptor, 0, os.SEEK_CUR) - len(addition)
            os.fsync(descriptor)
            same = begin == found.size
            return found.data if same else os.pread(descriptor, begin, 0)
        finally:
            os.close(descriptor)


@contextlib.contextmanager
def as_file_error(path: Path) -> Iterator[None]:
    """Name the file in what the system says of it.

    Raises:
        UnreadableFile: the system refused.
    """
    try:
        yield
    except OSError as error:
        raise UnreadableFile(str(path), _reason(error)) from error


def write_all(descriptor: int, data: bytes) -> None:
    """Write bytes to an open file, however many the system takes at once."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


@contextlib.contextmanager
def locked(path: Path, *, wait: bool = True) -> Iterator[None]:
    """Hold a lock that other processes and threads wait for; it ends with us.

    Raises:
        BlockingIOError: somebody else holds it, and `wait` says not to wait.
    """
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        yield
    finally:
        os.close(descriptor)
