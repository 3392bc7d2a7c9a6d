"""A file reached beneath a root folder, one folder after another, through no link.

Each folder on the way is opened in the one before it (``O_NOFOLLOW``), and whatever is
done to the file is done in the last one, by its descriptor. No link that another
program puts on the way, at whatever moment, leads out of the root.

    FileError
    +-- UnreadableFile       the path leaves the root or passes a link, the file or root
    |                        is not there, or the system refuses
    +-- ExternallyChanged    the file does not hold what the writer has read
    +-- PartlyWritten        an addition was cut short, and others wrote behind it
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from memoryhub.disk import swapping
from memoryhub.disk.files import (
    ExternallyChanged,
    FileBytes,
    PartlyWritten,
    Stamp,
    UnreadableFile,
    as_file_error,
    disk_path,
    read_stable,
)

#: Tells whether there is a file or folder at a path beneath a root.
Presence = Callable[[str], bool]

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NONBLOCK
#: Seconds until a file that is being replaced can be opened.
_OPEN_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Folder:
    """An open folder; names are those of entries in it, as on disk."""

    descriptor: int

    def open(self, name: str, flags: int, mode: int = 0o666) -> int:
        """Open a file, not what a link leads to; return its descriptor."""
        flags |= os.O_NOFOLLOW | os.O_CLOEXEC
        return os.open(name, flags, mode, dir_fd=self.descriptor)

    def open_to_read(self, name: str) -> int:
        """Open a file to read it; one that is being replaced opens in a moment."""
        end = time.monotonic() + _OPEN_SECONDS
        while True:
            try:
                return self.open(name, _READ)
            except BlockingIOError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.002)

    def status(self, name: str) -> os.stat_result | None:
        """Return the status of an entry, a link's own; None where there is none."""
        try:
            return os.lstat(name, dir_fd=self.descriptor)
        except FileNotFoundError:
            return None

    def names(self) -> list[str]:
        with os.scandir(self.descriptor) as entries:
            return [entry.name for entry in entries]

    def link(self, name: str, other: str) -> None:
        """Give a file a second name."""
        here = self.descriptor
        os.link(name, other, src_dir_fd=here, dst_dir_fd=here, follow_symlinks=False)

    def rename(self, name: str, other: str) -> None:
        """Give a file another name, also where another file has it."""
        here = self.descriptor
        os.rename(name, other, src_dir_fd=here, dst_dir_fd=here)

    def exchange(self, name: str, other: str) -> None:
        """Give each of two files the other's name."""
        swapping.exchange(self.descriptor, name, other)

    def remove(self, name: str) -> None:
        """Take a name away, if it is there."""
        with suppress(FileNotFoundError):
            os.unlink(name, dir_fd=self.descriptor)

    def sync(self) -> None:
        """Wait until the names in this folder are on disk, where the system can."""
        with suppress(OSError):
            os.fsync(self.descriptor)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a file of a workspace is: a root folder and a path below it, in text form.

    Nothing need be there.
    """

    root: Path
    path: str

    @property
    def name(self) -> str:
        """The last part of the path, as on disk."""
        return self._parts()[-1]

    @contextmanager
    def folder(self, *, make: bool = False) -> Iterator[Folder]:
        """Open the folder that the file is in; with `make` it is made where missing.

        Raises:
            UnreadableFile: the root is not there, the path leaves it or passes a link.
            OSError: the system refuses; `FileNotFoundError` for a missing folder.
        """
        *folders, _ = self._parts()
        here = self._opened_root()
        try:
            for name in folders:
                below = self._below(here, name, make=make)
                os.close(here)
                here = below
            yield Folder(here)
        finally:
            os.close(here)

    def status(self) -> os.stat_result | None:
        """Return the status of what is there; None for nothing.

        Raises:
            UnreadableFile: it cannot be reached.
        """
        with as_file_error(self.path):
            try:
                with self.folder() as folder:
                    return folder.status(self.name)
            except FileNotFoundError:
                return None

    def _parts(self) -> tuple[str, ...]:
        parts = PurePosixPath(disk_path(self.path)).parts
        if not parts or parts[0].startswith("/") or ".." in parts:
            raise UnreadableFile(self.path, "the path leaves the workspace")
        return parts

    def _opened_root(self) -> int:
        try:
            return os.open(self.root, _FOLDER)
        except (FileNotFoundError, NotADirectoryError) as error:
            reason = "the workspace's folder is not there"
            raise UnreadableFile(self.path, reason) from error

    def _below(self, here: int, name: str, *, make: bool) -> int:
        """Open a folder in another one."""
        for is_last in (not make, True):
            try:
                return os.open(name, _FOLDER | os.O_NOFOLLOW, dir_fd=here)
            except FileNotFoundError:
                if is_last:
                    raise
                with suppress(FileExistsError):
                    os.mkdir(name, dir_fd=here)
                Folder(here).sync()
            except OSError as error:
                if _is_link(here, name):
                    reason = "a link is on the way to it"
                    raise UnreadableFile(self.path, reason) from error
                raise
        raise AssertionError  # the last round returns or raises


def _is_link(here: int, name: str) -> bool:
    status = Folder(here).status(name)
    return status is not None and stat.S_ISLNK(status.st_mode)


def read_file(place: Place, *, limit: int | None = None) -> FileBytes:
    """Return what a regular file holds; it is read again if it changes meanwhile.

    Raises:
        UnreadableFile: it is missing, a link, no regular file, not permitted, larger
            than `limit` bytes, or cannot be reached.
    """
    with as_file_error(place.path):
        with place.folder() as folder:
            descriptor = folder.open_to_read(place.name)
        try:
            return read_stable(descriptor, place.path, limit)
        finally:
            os.close(descriptor)


@contextmanager
def created(place: Place) -> Iterator[BinaryIO]:
    """Open a new file to write it; missing folders are made.

    Raises:
        UnreadableFile: the path leaves the root or passes a link.
        OSError: something is there already, or the system refuses.
    """
    flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY
    with place.folder(make=True) as folder:
        descriptor = folder.open(place.name, flags)
    with os.fdopen(descriptor, "wb") as out:
        yield out


def looks_like(place: Place, stamp: Stamp | None) -> bool:
    """Tell whether a file has the size and time of a version; None is for no file."""
    try:
        now = place.status()
    except UnreadableFile:
        now = None
    if now is None or stamp is None:
        return now is None and stamp is None
    return (now.st_size, now.st_mtime_ns) == stamp[1:3]


def append_bytes(place: Place, addition: bytes, *, expected: str) -> bytes:
    """Add bytes to the end of the same file, which agents may hold open; sync it.

    Return what stands before them: what was expected, and what another program
    appended in the moment between. What the disk takes only in part is taken back.

    Raises:
        ExternallyChanged: the file does not hold what has the hash `expected`.
        UnreadableFile: it cannot be opened or written.
        PartlyWritten: it was cut short, and cannot be taken back without a new version
            of the file.
    """
    with as_file_error(place.path):
        with place.folder() as folder:
            descriptor = folder.open(place.name, os.O_RDWR | os.O_APPEND)
        try:
            found = read_stable(descriptor, place.path)
            if found.sha256 != expected:
                raise ExternallyChanged(place.path)
            begin = add_to_end(descriptor, addition, place.path)
            same = begin == found.size
            return found.data if same else os.pread(descriptor, begin, 0)
        finally:
            os.close(descriptor)


def add_to_end(descriptor: int, addition: bytes, path: str) -> int:
    """Add bytes to an open file (``O_APPEND``) and sync it; return where they begin.

    Raises:
        OSError: the disk refuses; nothing of them stays.
        PartlyWritten: the disk refuses, and something was written behind the part.
    """
    view, end = memoryview(addition), None
    try:
        while view:
            view = view[os.write(descriptor, view) :]
            end = os.lseek(descriptor, 0, os.SEEK_CUR)
        os.fsync(descriptor)
    except OSError as error:
        if end is not None:
            written = len(addition) - len(view)
            if not _cut_back(descriptor, end, end - written):
                raise PartlyWritten(path, end - written, written) from error
        raise
    return (os.fstat(descriptor).st_size if end is None else end) - len(addition)


def _cut_back(descriptor: int, end: int, begin: int) -> bool:
    """Take bytes away from the end of a file; False where others wrote behind them."""
    swapping.hold(descriptor)
    if os.fstat(descriptor).st_size != end:
        return False
    os.ftruncate(descriptor, begin)
    return True
