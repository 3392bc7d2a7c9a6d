"""Export of a workspace's files to a folder or a zip, as of now or of a past time.

Unedited files come back byte for byte: the journal holds the bytes.
"""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from memoryhub.disk.places import Place, created
from memoryhub.formats.base import FormatError
from memoryhub.formats.text.decoding import decode, encode
from memoryhub.journal.blobs import Gone, blob_bytes
from memoryhub.journal.models import Blob, Revision, Workspace
from memoryhub.sync.edit.editing import (
    Unwritten,
    removes_staged,
    staged_paths,
    staged_text,
)
from memoryhub.sync.edit.edits import Conflict

_CHUNK = 200
_NS = 1_000_000_000
_ZIP_FIRST = int(datetime(1980, 1, 1, tzinfo=UTC).timestamp())
_ZIP_LAST = int(datetime(2107, 12, 31, tzinfo=UTC).timestamp())


class TargetNotEmpty(Exception):
    """The export's target folder is not empty or not a folder; it is left alone."""


@dataclass(frozen=True, slots=True)
class ExportFile:
    """A file to be exported: its path in the workspace, its bytes and time."""

    path: str
    data: bytes
    mtime_ns: int = 0


def workspace_files(
    workspace: Workspace, *, as_of: datetime | None = None
) -> Iterator[ExportFile]:
    """Yield the files of a workspace, as of now or of a past time.

    Files whose bytes are gone are left out.
    """
    state = _state_at(workspace, as_of)
    paths = sorted(state)
    for start in range(0, len(paths), _CHUNK):
        chunk = paths[start : start + _CHUNK]
        blobs = Blob.objects.select_related("base").in_bulk(
            {state[path][0] for path in chunk}
        )
        for path in chunk:
            blob_id, mtime_ns = state[path]
            with suppress(Gone):
                yield ExportFile(path, blob_bytes(blobs[blob_id]), mtime_ns)


def with_staged(
    workspace: Workspace, files: Iterable[ExportFile], left: list[Unwritten]
) -> Iterator[ExportFile]:
    """Yield files as they will be once the staged operations are written.

    A file in conflict is unchanged and added to `left`.
    """
    staged = dict.fromkeys(staged_paths(workspace))
    for file in files:
        if file.path in staged:
            del staged[file.path]
            edited = _edited(workspace, file, left)
            if edited.data or not removes_staged(workspace, file.path):
                yield edited
        else:
            yield file
    for path in staged:
        file = _edited(workspace, ExportFile(path, b""), left)
        if file.data:
            yield file


def _edited(
    workspace: Workspace, file: ExportFile, left: list[Unwritten]
) -> ExportFile:
    decoded = decode(file.data)
    try:
        text = staged_text(workspace, file.path, decoded.text)
    except (Conflict, FormatError) as error:
        left.append(Unwritten(file.path, error))
        return file
    return ExportFile(file.path, encode(text, decoded.carrier))


def export_to(
    workspace: Workspace, target: Path, *, as_of: datetime | None = None
) -> int:
    """Write all files of a workspace into an empty or new folder; return their number.

    Raises:
        TargetNotEmpty: the folder is not empty.
    """
    return write_files(workspace_files(workspace, as_of=as_of), target)


def write_files(files: Iterable[ExportFile], target: Path) -> int:
    """Write files with their times into an empty or new folder; return their number.

    Raises:
        TargetNotEmpty: the folder is not empty.
    """
    if target.exists() and not target.is_dir():
        raise TargetNotEmpty(f"{target} is not a folder")
    if target.exists() and any(target.iterdir()):
        raise TargetNotEmpty(f"{target} is not empty")
    target.mkdir(parents=True, exist_ok=True)
    count = 0
    for file in files:
        with created(Place(target, _safe(file.path))) as out:
            out.write(file.data)
            if file.mtime_ns:
                out.flush()
                os.utime(out.fileno(), ns=(file.mtime_ns, file.mtime_ns))
        count += 1
    return count


def write_zip(files: Iterable[ExportFile], out: BinaryIO) -> int:
    """Write files into a zip; return their number.

    Names that are not valid UTF-8 get the hub's text form.
    """
    count = 0
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in files:
            info = zipfile.ZipInfo(_safe(file.path), _zip_time(file.mtime_ns))
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o100644 << 16
            archive.writestr(info, file.data)
            count += 1
    return count


def _state_at(
    workspace: Workspace, as_of: datetime | None
) -> dict[str, tuple[int, int]]:
    """Replay the revisions: blob id and mtime (ns) of each file by path."""
    revisions = Revision.objects.filter(workspace=workspace).order_by("seq")
    if as_of is not None:
        revisions = revisions.filter(recorded_at__lte=as_of)
    state: dict[str, tuple[int, int]] = {}
    for path, moved_from, blob_id, mtime_ns in revisions.values_list(
        "path", "moved_from", "blob_id", "mtime_ns"
    ).iterator(5000):
        if moved_from:
            state.pop(moved_from, None)
        if blob_id is None:
            state.pop(path, None)
        else:
            state[path] = (blob_id, mtime_ns)
    return state


def _safe(path: str) -> str:
    """Check that a path stays below the target; return it.

    Raises:
        ValueError: the path is empty, absolute or climbs out; scans give none such.
    """
    parts = PurePosixPath(path).parts
    if not parts or ".." in parts or path.startswith("/"):
        raise ValueError(f"{path} leaves the folder")
    return path


def _zip_time(mtime_ns: int) -> tuple[int, int, int, int, int, int]:
    """Convert a time in ns to a zip's date, clamped to 1980-2107."""
    seconds = min(max(mtime_ns // _NS, _ZIP_FIRST), _ZIP_LAST)
    moment = datetime.fromtimestamp(seconds, UTC)
    return (*moment.timetuple()[:5], moment.second)
