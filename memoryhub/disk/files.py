"""Names and bytes of files: stable reads with hash, errors, locks.

Standard library only. `memoryhub.disk.places` reaches files, `memoryhub.disk.replacing`
puts new versions in their place.

    FileError
    +-- UnreadableFile       it cannot be opened, read or written, or is no regular file
    +-- ExternallyChanged    its content differs from the writer's reading
    +-- PartlyWritten        an addition was cut short, and others wrote behind it
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import stat
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO, NamedTuple

#: Non-UTF-8 bytes of a name, mapped between Python's lone surrogates, which no database
#: stores, and a private-use range. Letters of that range in a name are written as their
#: bytes.
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
    """A file that cannot be read or written as requested."""

    def __init__(self, path: str, reason: str = "") -> None:
        super().__init__(path, reason)
        self.path = path
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}" if self.reason else self.path


class UnreadableFile(FileError):
    """The file cannot be opened, read or written, or is no regular file."""


class ExternallyChanged(FileError):
    """The file's content differs from the writer's reading."""

    def __init__(self, path: str) -> None:
        super().__init__(path, "another program has changed this file")


class PartlyWritten(FileError):
    """An addition was cut short, and another program wrote behind the part.

    `begin` and `size` locate the part in the file, in bytes.
    """

    def __init__(self, path: str, begin: int, size: int) -> None:
        super().__init__(path, "only a part could be written")
        self.begin = begin
        self.size = size


class FileBytes(NamedTuple):
    """Content of a file at one moment, its hash, size and time.

    `unstable`: it changed during each attempt to read it.
    """

    data: bytes
    sha256: str
    size: int
    mtime_ns: int
    unstable: bool = False


def bytes_at(mtime_ns: int, data: bytes, *, unstable: bool = False) -> FileBytes:
    """Return bytes as content of a file that was changed at a time."""
    return FileBytes(data, sha256(data).hexdigest(), len(data), mtime_ns, unstable)


def text_path(raw: str) -> str:
    """Convert a path to text that any database stores; inverse of `disk_path`."""
    return raw if raw.isascii() else raw.translate(_TO_TEXT)


def disk_path(text: str) -> str:
    """Convert a path in text form back to its name on disk; inverse of `text_path`."""
    return text if text.isascii() else text.translate(_FROM_TEXT)


def folder_of(text: str) -> Path:
    """Convert the text form of a folder, such as a workspace's root, to a path."""
    return Path(disk_path(text))


def read_stable(descriptor: int, path: str, limit: int | None = None) -> FileBytes:
    """Read an open file; repeat if it changes meanwhile.

    Raises:
        UnreadableFile: it is not a regular file, or larger than `limit` bytes.
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
    return bytes_at(before.st_mtime_ns, data, unstable=unstable)


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)


@contextlib.contextmanager
def as_file_error(path: str) -> Iterator[None]:
    """Convert the system's errors to `UnreadableFile` with the path in the workspace.

    Raises:
        UnreadableFile: the system refused, or the name is not valid.
    """
    try:
        yield
    except (OSError, ValueError) as error:
        raise UnreadableFile(path, _reason(error)) from error


def write_all(descriptor: int, data: bytes) -> None:
    """Write all bytes to an open file."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


@contextlib.contextmanager
def locked(path: Path, *, wait: bool = True, shared: bool = False) -> Iterator[None]:
    """Hold a file lock against other processes and threads; a kill releases it.

    `shared` holders do not exclude each other.

    Raises:
        BlockingIOError: it is held, and `wait` is false.
    """
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
    try:
        kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
        fcntl.flock(descriptor, kind | (0 if wait else fcntl.LOCK_NB))
        yield
    finally:
        os.close(descriptor)


def sync_folder(folder: Path) -> None:
    """Sync a folder's entries to disk."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_durably(path: Path, data: bytes) -> None:
    """Replace a small file of the hub atomically and durably; mode 0600."""
    draft = path.with_name(f"{path.name}.{os.getpid()}.draft")
    descriptor = os.open(draft, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600)
    try:
        write_all(descriptor, data)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    draft.replace(path)
    sync_folder(path.parent)


@contextlib.contextmanager
def created_durably(path: Path) -> Iterator[BinaryIO]:
    """Open a new file of mode 0600, synced to disk at the end of the block."""
    flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW
    with os.fdopen(os.open(path, flags, 0o600), "wb") as out:
        yield out
        out.flush()
        os.fsync(out.fileno())
