"""Bytes between memory and disk: read with their hash, append, replace, lock.

Standard library only. Every write is made against the hash that was read, so that
nothing another program wrote in between is lost.

    FileError
    +-- UnreadableFile       it cannot be opened, read or written, or is no regular file
    +-- ExternallyChanged    it no longer holds what the writer has read
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
        # Until Python 3.13 a loop of links is a RuntimeError.
        raise UnreadableFile(path, str(error)) from error
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
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except (OSError, ValueError) as error:
        raise UnreadableFile(str(path), _reason(error)) from error
    try:
        return _read_stable(descriptor, path, limit)
    except OSError as error:
        raise UnreadableFile(str(path), _reason(error)) from error
    finally:
        os.close(descriptor)


def _read_stable(descriptor: int, path: Path | str, limit: int | None) -> FileBytes:
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


def append_bytes(path: Path, addition: bytes, *, expected: str) -> None:
    """Add bytes to the end of the same file, which agents may hold open.

    Raises:
        ExternallyChanged: the file does not hold what has the hash `expected`.
        UnreadableFile: it cannot be opened.
    """
    if read_file(path).sha256 != expected:
        raise ExternallyChanged(str(path))
    with _as_file_error(path):
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW)
        try:
            _write_all(descriptor, addition)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def replace_file(path: Path, data: bytes, *, expected: str | None) -> None:
    """Put a new version in the place of a file, at once or not at all.

    The mode of the file is kept. `expected` is the hash that was read, or None
    where no file should be.

    Raises:
        ExternallyChanged: the file holds something else, or appeared meanwhile.
        UnreadableFile: it is gone, or the folder takes no files.
    """
    draft = path.with_name(f".{path.name[:40]}.memoryhub-{os.getpid()}")
    with _as_file_error(path):
        try:
            _write_draft(draft, data, path if expected is not None else None)
            _put(draft, path, expected)
        finally:
            draft.unlink(missing_ok=True)


def remove_file(path: Path, *, expected: str) -> None:
    """Take a file away.

    Raises:
        ExternallyChanged: the file does not hold what has the hash `expected`.
        UnreadableFile: it is gone, or the folder does not let go of files.
    """
    if read_file(path).sha256 != expected:
        raise ExternallyChanged(str(path))
    with _as_file_error(path):
        path.unlink()


def _write_draft(draft: Path, data: bytes, like: Path | None) -> None:
    descriptor = os.open(draft, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o666)
    try:
        _write_all(descriptor, data)
        if like is not None:
            os.fchmod(descriptor, stat.S_IMODE(like.lstat().st_mode))
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def _as_file_error(path: Path) -> Iterator[None]:
    """Name the file in what the system says of it."""
    try:
        yield
    except OSError as error:
        raise UnreadableFile(str(path), _reason(error)) from error


def _put(draft: Path, path: Path, expected: str | None) -> None:
    if expected is None:
        try:
            path.hardlink_to(draft)
        except FileExistsError as error:
            raise ExternallyChanged(str(path)) from error
        return
    if read_file(path).sha256 != expected:
        raise ExternallyChanged(str(path))
    draft.replace(path)


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold a lock that other processes and threads wait for; it ends with us."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
