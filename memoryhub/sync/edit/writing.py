"""Access to a workspace's file for operations: lock, newest bytes, write."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from django.conf import settings

from memoryhub.dialects.agent_team import is_inbox
from memoryhub.disk.files import (
    FileBytes,
    FileError,
    PartlyWritten,
    UnreadableFile,
    bytes_at,
    folder_of,
    locked,
)
from memoryhub.disk.places import (
    Place,
    Presence,
    append_bytes,
    lock_folder,
    looks_like,
    read_file,
)
from memoryhub.disk.replacing import remove_file, replace_file
from memoryhub.formats.base import FormatError
from memoryhub.formats.text.decoding import Decoded, decode, encode
from memoryhub.journal.models import Operation, Revision, Workspace
from memoryhub.sync.edit.gate import may_read
from memoryhub.sync.read.reader import NewVersion, place_at, read_saved
from memoryhub.sync.record.recording import known_file, record_versions


@dataclass(frozen=True, slots=True)
class Disk:
    """A file as an operation finds it; `file` is None if it does not exist."""

    place: Place
    file: FileBytes | None
    decoded: Decoded

    @property
    def data(self) -> bytes:
        return self.file.data if self.file else b""

    @property
    def text(self) -> str:
        return self.decoded.text

    @property
    def sha256(self) -> str:
        return self.file.sha256 if self.file else ""

    def encoded(self, text: str) -> bytes:
        """Encode a new text; unchanged lines keep their bytes.

        Raises:
            FormatError: the text has a NUL.
        """
        if "\0" in text:
            raise FormatError("text-not-encodable")
        return encode(text, self.decoded.carrier)


def file_lock(workspace: Workspace, path: str) -> AbstractContextManager[None]:
    """Return the lock that every writer of a workspace's file holds."""
    name = hashlib.sha256(path.encode("utf-8", "surrogatepass")).hexdigest()[:24]
    folder = Path(settings.MEMORYHUB_DATA) / "locks" / str(workspace.uuid)
    return locked(folder / name)


def read_newest(workspace: Workspace, path: str, at: datetime) -> Disk:
    """Return the file's present state; bytes new to the hub are recorded first.

    A file in the middle of another program's save is read when it is whole.

    Raises:
        UnreadableFile: it cannot be read, or the workspace's folder is missing.
    """
    place = place_of(workspace, path)
    if place.status() is None:
        return Disk(place, None, decode(b""))
    known = known_file(workspace, path)
    limit = settings.MEMORYHUB_MAX_FILE_BYTES
    file = read_saved(place, known.size if known else 0, limit)
    if known is None or known.sha256 != file.sha256:
        record_versions(workspace, [NewVersion(path, Revision.Kind.SEEN, file)], at)
    return Disk(place, file, decode(file.data))


def look(workspace: Workspace, path: str) -> Disk:
    """Return the file's present state for a reader; nothing is recorded.

    A file that may not be read counts as missing.

    Raises:
        UnreadableFile: it cannot be read, or a link is on the way to it.
    """
    if not may_read(workspace, path):
        return Disk(place_of(workspace, path), None, decode(b""))
    return found_now(workspace, path)


def found_now(workspace: Workspace, path: str) -> Disk:
    """Return the file's present state; nothing is recorded.

    Raises:
        UnreadableFile: it cannot be read, or a link is on the way to it.
    """
    place = place_of(workspace, path)
    if place.status() is None:
        return Disk(place, None, decode(b""))
    data = read_file(place, limit=settings.MEMORYHUB_MAX_FILE_BYTES)
    return Disk(place, data, decode(data.data))


def place_of(workspace: Workspace, path: str) -> Place:
    """Return the place of a workspace's file on disk."""
    return place_at(folder_of(workspace.root), path)


def write(disk: Disk, data: bytes | None) -> bytes:
    """Write new bytes to disk, by appending if they only extend the file.

    An inbox of Claude Code is written under its program's lock.

    None removes the file. Return the content replaced or extended: another program may
    have appended to it since it was read.

    Raises:
        FileError: another program wrote meanwhile, or the disk refuses.
    """
    if is_inbox(disk.place.path):
        with lock_folder(disk.place):
            return _write(disk, data)
    return _write(disk, data)


def _write(disk: Disk, data: bytes | None) -> bytes:
    try:
        if disk.file is None:
            if data is not None:
                replace_file(disk.place, data, expected=None)
            return b""
        if data is None:
            remove_file(disk.place, expected=disk.sha256)
        elif disk.file.data and data.startswith(disk.file.data):
            addition = data[disk.file.size :]
            return append_bytes(disk.place, addition, expected=disk.sha256)
        else:
            replace_file(disk.place, data, expected=disk.sha256)
        return disk.file.data
    except PartlyWritten as part:
        _take_out(disk.place, part)
        raise


def _take_out(place: Place, part: PartlyWritten) -> None:
    """Replace the file by a version without the partial addition."""
    found = read_file(place)
    end = part.begin + part.size
    data = found.data[: part.begin] + found.data[end:]
    replace_file(place, data, expected=found.sha256)


def record_seen(workspace: Workspace, path: str, data: bytes, at: datetime) -> None:
    """Record bytes of another program that were in the file, if only for a moment."""
    found = _as_read(place_of(workspace, path), data)
    record_versions(workspace, [NewVersion(path, Revision.Kind.SEEN, found)], at)


def record_written(
    workspace: Workspace,
    written: Sequence[tuple[list[Operation], bytes | None]],
    at: datetime,
) -> None:
    """Record the bytes that operations wrote, then the current bytes of the files.

    Another program may have written in between: our version is recorded all the same.
    Later appends are left to the next sync, as more may follow.
    """
    ours = []
    for operations, data in written:
        path, file, kind = operations[0].target, None, Revision.Kind.DELETED
        if data is not None:
            file = _as_read(place_of(workspace, path), data)
            kind = Revision.Kind.WRITTEN
        ours.append(NewVersion(path, kind, file, operations=operations))
    record_versions(workspace, ours, at)
    last = {version.path: version.file for version in ours}
    for path, file in last.items():
        place = place_of(workspace, path)
        if file and looks_like(place, file):
            continue
        with suppress(FileError):
            now = read_file(place, limit=settings.MEMORYHUB_MAX_FILE_BYTES)
            if file is None or not now.data.startswith(file.data):
                newer = NewVersion(path, Revision.Kind.SEEN, now)
                record_versions(workspace, [newer], at)


def _as_read(place: Place, data: bytes) -> FileBytes:
    """Wrap bytes as if just read from the file."""
    try:
        status = place.status()
    except UnreadableFile:
        status = None
    return bytes_at(status.st_mtime_ns if status else 0, data)


def presence_in(workspace: Workspace) -> Presence:
    """Return a function that checks whether a path of a workspace exists."""
    root = folder_of(workspace.root)

    def there(path: str) -> bool:
        try:
            return place_at(root, path).status() is not None
        except UnreadableFile:
            return False

    return there
