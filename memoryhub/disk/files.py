"""Names and bytes of files: what is read, with its hash; what can go wrong; locks.

Standard library only. `memoryhub.disk.places` reaches files,
`memoryhub.disk.replacing` puts new versions in their place.

    FileError
    +-- UnreadableFile       it cannot be opened, read or written, or is no regular file
    +-- ExternallyChanged    it no longer holds what the writer has read
    +-- PartlyWritten        an addition was cut short, and others wrote behind it
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import stat
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
    """The file no longer holds what the writer has read."""

    def __init__(self, path: str) -> None:
        super().__init__(path, "another program has changed this file")


class PartlyWritten(FileError):
    """An addition was cut short, and another program wrote behind the part.

    `begin` and `size` are where in the file the part is, in bytes.
    """

    def __init__(self, path: str, begin: int, size: int) -> None:
        super().__init__(path, "only a part could be written")
        self.begin = begin
        self.size = size


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


def read_stable(descriptor: int, path: str, limit: int | None = None) -> FileBytes:
    """Return what an open file holds; it is read again if it changes meanwhile.

    Raises:
        UnreadableFile: it is no regular file, or larger than `limit` bytes.
    """
    for _ in range(_READ_ATTEMPTS):
        before = os.fstat(descriptor)
        if not stat.S_ISREG(before.st_mode):
            raise UnreadableFile(path, "not a regular file")
        if limit is not None and before.st_size > limit:
            raise UnreadableFile(path, f"larger than {limit} bytes")
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


@contextlib.contextmanager
def as_file_error(path: str) -> Iterator[None]:
    """Name the file, by its path in the workspace, in what the system says of it.

    Raises:
        UnreadableFile: the system refused, or no file can have the name.
    """
    try:
        yield
    except (OSError, ValueError) as error:
        raise UnreadableFile(path, _reason(error)) from error


def write_all(descriptor: int, data: bytes) -> None:
    """Write bytes to an open file, however many the system takes at once."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


@contextlib.contextmanager
def locked(path: Path, *, wait: bool = True, shared: bool = False) -> Iterator[None]:
    """Hold a lock that other processes and threads wait for; it ends with us.

    Those who hold it `shared` do so together.

    Raises:
        BlockingIOError: somebody else holds it, and `wait` says not to wait.
    """
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
    try:
        kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
        fcntl.flock(descriptor, kind | (0 if wait else fcntl.LOCK_NB))
        yield
    finally:
        os.close(descriptor)
