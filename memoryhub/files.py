"""Bytes between memory and disk: read with their hash, append, replace, lock.

Standard library only. Every write is made against the hash that was read, so that
nothing another program wrote in between is lost: what was replaced is looked at once
more. What was appended to it goes on in the new version; anything else has its place
again.

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
from typing import NamedTuple, NoReturn

from memoryhub.swapping import exchange, hold, wait_for_writers

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
#: How long a program may keep a file open that was replaced, until nobody waits for
#: what it may still write to it.
_WRITER_SECONDS = 0.5


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
        return _read_stable(descriptor, path, limit)
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
    end = time.monotonic() + 2 * _WRITER_SECONDS
    while True:
        try:
            return os.open(path, flags)
        except BlockingIOError:
            if time.monotonic() > end:
                raise
            time.sleep(0.002)


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


def append_bytes(path: Path, addition: bytes, *, expected: str) -> bytes:
    """Add bytes to the end of the same file, which agents may hold open.

    Return what stands before them: what was expected, and what another program
    appended in the moment between.

    Raises:
        ExternallyChanged: the file does not hold what has the hash `expected`.
        UnreadableFile: it cannot be opened.
    """
    with _as_file_error(path):
        descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_NOFOLLOW)
        try:
            found = _read_stable(descriptor, path, None)
            if found.sha256 != expected:
                raise ExternallyChanged(str(path))
            _write_all(descriptor, addition)
            begin = os.lseek(descriptor, 0, os.SEEK_CUR) - len(addition)
            os.fsync(descriptor)
            same = begin == found.size
            return found.data if same else os.pread(descriptor, begin, 0)
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
    draft = _aside(path)
    with _as_file_error(path):
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
    with _as_file_error(path):
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
        _write_all(descriptor, data)
        if like is not None:
            os.fchmod(descriptor, stat.S_IMODE(like.lstat().st_mode))
        os.fsync(descriptor)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


@contextlib.contextmanager
def _as_file_error(path: Path) -> Iterator[None]:
    """Name the file in what the system says of it."""
    try:
        yield
    except OSError as error:
        raise UnreadableFile(str(path), _reason(error)) from error


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
            _write_all(descriptor, late[found.size :])
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
                _write_all(file.fileno(), late[len(ours) :])
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
        wait_for_writers(descriptor, _WRITER_SECONDS)
        return _read_stable(descriptor, path, None).data
    except (OSError, UnreadableFile):
        return None
    finally:
        os.close(descriptor)


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
