"""Access to a file beneath a root folder, folder by folder, never through a link.

Each folder on the way is opened in the one before it (``O_NOFOLLOW``), and the file is
accessed in the last one, by its descriptor. No link that another program creates on the
way, at any moment, leads out of the root.

    FileError
    +-- UnreadableFile       the path leaves the root or passes a link, the file or root
    |                        is not there, or the system refuses
    +-- ExternallyChanged    its content differs from the writer's reading
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
    UnreadableFile,
    as_file_error,
    disk_path,
    read_stable,
)

#: Function: whether a file or folder exists at a path beneath a root.
Presence = Callable[[str], bool]

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NONBLOCK
#: Seconds to wait for a file that is being replaced.
_OPEN_SECONDS = 1.0
#: Seconds to wait for a lock, between tries, and until it counts as abandoned.
_WAIT, _PAUSE, _ABANDONED = 2.0, 0.02, 10.0


@dataclass(frozen=True, slots=True)
class Folder:
    """An open folder; names are those of its entries, as on disk."""

    descriptor: int

    def open(self, name: str, flags: int, mode: int = 0o666) -> int:
        """Open a file without following a link; return its descriptor."""
        flags |= os.O_NOFOLLOW | os.O_CLOEXEC
        return os.open(name, flags, mode, dir_fd=self.descriptor)

    def open_to_read(self, name: str) -> int:
        """Open a file for reading; wait up to a second while it is being replaced."""
        end = time.monotonic() + _OPEN_SECONDS
        while True:
            try:
                return self.open(name, _READ)
            except BlockingIOError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.002)

    def status(self, name: str) -> os.stat_result | None:
        """Return the status of an entry, of a link itself; None if missing."""
        try:
            return os.lstat(name, dir_fd=self.descriptor)
        except FileNotFoundError:
            return None

    def names(self) -> list[str]:
        with os.scandir(self.descriptor) as entries:
            return [entry.name for entry in entries]

    def link(self, name: str, other: str) -> None:
        """Create a hard link."""
        here = self.descriptor
        os.link(name, other, src_dir_fd=here, dst_dir_fd=here, follow_symlinks=False)

    def rename(self, name: str, other: str) -> None:
        """Rename a file, replacing another one."""
        here = self.descriptor
        os.rename(name, other, src_dir_fd=here, dst_dir_fd=here)

    def exchange(self, name: str, other: str) -> None:
        """Exchange the names of two files."""
        swapping.exchange(self.descriptor, name, other)

    def remove(self, name: str) -> None:
        """Remove an entry, if it exists."""
        with suppress(FileNotFoundError):
            os.unlink(name, dir_fd=self.descriptor)

    def sync(self) -> None:
        """Sync the folder's entries to disk, where the system can."""
        with suppress(OSError):
            os.fsync(self.descriptor)


@dataclass(frozen=True, slots=True)
class Place:
    """Location of a workspace's file: a root folder and a path below it, in text form.

    It need not exist. `real` is the root and the path that are opened instead, where a
    link that may be followed leads there.
    """

    root: Path
    path: str
    real: tuple[Path, str] | None = None

    @property
    def name(self) -> str:
        """The last part of the path, as on disk."""
        return self._parts()[-1]

    @contextmanager
    def folder(self, *, make: bool = False) -> Iterator[Folder]:
        """Open the file's parent folder; with `make` create missing folders.

        Raises:
            UnreadableFile: the root is missing, the path leaves it or passes a link.
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
        """Return the status of the file; None if missing.

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
        path = self.real[1] if self.real else self.path
        parts = PurePosixPath(disk_path(path)).parts
        if not parts or parts[0].startswith("/") or ".." in parts:
            raise UnreadableFile(self.path, "the path leaves the workspace")
        return parts

    def _opened_root(self) -> int:
        try:
            if self.real:
                return os.open(self.real[0], _FOLDER | os.O_NOFOLLOW)
            return os.open(self.root, _FOLDER)
        except (FileNotFoundError, NotADirectoryError) as error:
            reason = "the workspace's folder is not there"
            raise UnreadableFile(self.path, reason) from error

    def _below(self, here: int, name: str, *, make: bool) -> int:
        """Open a subfolder; with `make` create it."""
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
    """Read a regular file; repeat if it changes meanwhile.

    Raises:
        UnreadableFile: it is missing, a link, not a regular file, not permitted, larger
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
    """Open a new file for writing; missing folders are created.

    Raises:
        UnreadableFile: the path leaves the root or passes a link.
        OSError: it exists already, or the system refuses.
    """
    flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY
    with place.folder(make=True) as folder:
        descriptor = folder.open(place.name, flags)
    with os.fdopen(descriptor, "wb") as out:
        yield out


def looks_like(place: Place, file: FileBytes | None) -> bool:
    """Return whether a file has a version's size and time; None is for no file."""
    try:
        now = place.status()
    except UnreadableFile:
        now = None
    if now is None or file is None:
        return now is None and file is None
    return (now.st_size, now.st_mtime_ns) == (file.size, file.mtime_ns)


def append_bytes(place: Place, addition: bytes, *, expected: str) -> bytes:
    """Append bytes to a file in place and sync it; agents may hold it open.

    Return the content before them: the expected bytes, and any that another program
    appended in between. A partial write is taken back.

    Raises:
        ExternallyChanged: the file's hash is not `expected`.
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
    """Append bytes to an open file (``O_APPEND``) and sync it; return their offset.

    Raises:
        OSError: the disk refuses; none of them remain.
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
    """Truncate bytes from the end of a file; False if others wrote behind them."""
    swapping.hold(descriptor)
    if os.fstat(descriptor).st_size != end:
        return False
    os.ftruncate(descriptor, begin)
    return True


@contextmanager
def lock_folder(place: Place) -> Iterator[None]:
    """Hold the lock of a file against programs that lock by folder.

    As npm's proper-lockfile makes them: the lock of ``inbox.json`` is the folder
    ``inbox.json.lock`` beside it. Who makes it holds it and touches it at intervals;
    one untouched for ten seconds is abandoned.

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
