"""Uploads on the hub's own disk: checked unpacking, and merging into a workspace.

An upload lies in a folder of its own until a person has confirmed it. Names come from
another machine: none may leave the folder, and no link is ever made.

The hub's data folder is excluded from workspaces, also from one around it. The
exception are workspaces inside it that the hub made from an upload or a sample.
"""

from __future__ import annotations

import errno
import lzma
import os
import shutil
import stat
import struct
import time
import uuid
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import IO

from django.conf import settings

from memoryhub.dialects.registry import is_scanned
from memoryhub.disk.files import ExternallyChanged, text_path
from memoryhub.disk.places import Place, created, read_file
from memoryhub.disk.replacing import replace_file
from memoryhub.formats.openclaw.memory_files import MEMORY_FOLDERS
from memoryhub.sync.scan.links import SKIPPED_FOLDERS
from memoryhub.sync.scan.walk import MEMORY_FILES
from memoryhub.values.budgets import Budget

MAX_BYTES = 2 * 1024**3
MAX_ENTRIES = 100_000
#: Bytes: a larger central directory names more files than any workspace has.
_MAX_DIRECTORY = 64 * 1024**2
#: Text shrinks to a tenth, zip bombs to a thousandth.
_MAX_RATIO = 200
_RATIO_COUNTS_FROM = 50 * 1024**2
_CHUNK = 1024**2
_EOCD = struct.Struct("<4s4H2LH")
_EOCD64 = struct.Struct("<4sQ2H2L4Q")
_STALE_SECONDS = 86_400
#: Seconds for unpacking, so that two uploads at once do not block pages.
_SECONDS = 120
#: Attempts to replace a file that other programs keep writing.
_ATTEMPTS = 12
#: Errors of libraries about a damaged zip.
_DAMAGED = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, NotImplementedError, EOFError,
    ValueError,
)  # fmt: skip
#: Folders and bytes of a path: longer ones could be neither read nor removed later.
_MOST_PARTS, _LONGEST_PATH = 64, 1_000


class UploadRefused(Exception):
    """A refused upload: code and parameters, put into words by the view."""

    def __init__(self, code: str, **parameters: object) -> None:
        super().__init__(code, parameters)
        self.code = code
        self.parameters = parameters

    def __str__(self) -> str:
        return f"{self.code} {self.parameters}"


@dataclass(frozen=True, slots=True)
class Upload:
    """An accepted upload: folder, name, number of memory files and of skipped ones."""

    folder: Path
    name: str
    files: int
    skipped: int


def uploads_folder() -> Path:
    """Return the folder of uploaded workspaces."""
    return Path(settings.MEMORYHUB_DATA) / "uploads"


def samples_folder() -> Path:
    """Return the folder of the samples' copies."""
    return Path(settings.MEMORYHUB_DATA) / "samples"


def is_sample(root: str) -> bool:
    """Return whether a workspace's folder is the copy of a sample."""
    return PurePosixPath(root).is_relative_to(samples_folder())


def is_own_folder(root: str) -> bool:
    """Return whether the hub made a workspace's folder, from a sample or an upload."""
    return is_sample(root) or PurePosixPath(root).is_relative_to(uploads_folder())


def take_zip(archive: IO[bytes], name: str) -> Upload:
    """Unpack the memory files of a zip into a folder of its own.

    Raises:
        UploadRefused: the zip is damaged, too large, or holds a name or a link that
            would leave the folder.
    """
    _check_directory(archive)
    try:
        with zipfile.ZipFile(archive) as opened:
            entries = [info for info in opened.infolist() if not info.is_dir()]
            paths = _checked(entries)
            files = (
                (path, _unpacked(opened, info))
                for path, info in zip(paths, entries, strict=True)
            )
            return _take(files, paths, name)
    except _DAMAGED as error:
        raise UploadRefused("zip-damaged", reason=str(error)) from error
    except RuntimeError as error:
        raise UploadRefused("zip-encrypted") from error


def take_files(files: Iterable[tuple[str, IO[bytes]]], name: str) -> Upload:
    """Save the memory files of an uploaded folder in a folder of its own.

    Raises:
        UploadRefused: a name would leave the folder, or the upload is too large.
    """
    given = list(files)
    paths = [_safe_path(path) for path, _ in given]
    chunks = (
        (path, _chunks_of(file)) for path, (_, file) in zip(paths, given, strict=True)
    )
    return _take(chunks, paths, name)


def merge_upload(incoming: Path, root: Path) -> None:
    """Merge an upload into its workspace; equal files stay untouched.

    Files missing from the upload stay. Idempotent.
    """
    for file in sorted(incoming.rglob("*")):
        if file.is_file():
            path = text_path(str(file.relative_to(incoming)))
            _put(Place(root, path), file.read_bytes())
    discard(incoming)


def _put(place: Place, data: bytes) -> None:
    """Replace a file's bytes, retrying while other programs write to it.

    Raises:
        FileError: the file cannot be read or written.
    """
    for attempt in range(1, _ATTEMPTS + 1):
        there = read_file(place) if place.status() else None
        if there is not None and there.data == data:
            return
        try:
            replace_file(place, data, expected=there.sha256 if there else None)
        except ExternallyChanged:
            if attempt == _ATTEMPTS:
                raise
        else:
            return


def discard(folder: Path) -> None:
    """Remove a folder made by the hub: an upload, or the copy of a sample."""
    for home in (uploads_folder(), samples_folder()):
        if folder != home and folder.resolve().is_relative_to(home.resolve()):
            shutil.rmtree(folder, ignore_errors=True)


def _take(
    files: Iterable[tuple[PurePosixPath, Iterator[bytes]]],
    paths: list[PurePosixPath],
    name: str,
) -> Upload:
    top = _common_top(paths)
    folder = _new_folder()
    try:
        count = total = 0
        budget = Budget.of(_SECONDS)
        for path, chunks in files:
            if budget.is_spent:
                raise UploadRefused("too-slow", seconds=_SECONDS, count=count)
            inside = path.relative_to(top) if top else path
            if not _is_memory(inside):
                continue
            place = Place(folder, text_path(str(inside)))
            try:
                with created(place) as out:
                    for chunk in chunks:
                        total += len(chunk)
                        if total > MAX_BYTES:
                            raise UploadRefused("too-large", limit=MAX_BYTES)
                        out.write(chunk)
            except OSError as error:
                reason = error.strerror or str(error)
                raise UploadRefused(
                    "cannot-keep", path=str(path), reason=reason
                ) from error
            count += 1
    except BaseException:
        discard(folder)
        raise
    if not count:
        discard(folder)
        raise UploadRefused("no-memory-files", count=len(paths))
    return Upload(folder, top or name, count, len(paths) - count)


def _new_folder() -> Path:
    home = uploads_folder()
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    for left in home.glob(".incoming-*"):
        if time.time() - left.stat().st_mtime > _STALE_SECONDS:
            discard(left)
    folder = home / f".incoming-{uuid.uuid4().hex}"
    folder.mkdir(mode=0o700)
    return folder


def _safe_path(name: str) -> PurePosixPath:
    """Convert an uploaded name to a path below a folder.

    Raises:
        UploadRefused: the name is absolute, has a drive, climbs out, or no disk can
            store it.
    """
    if "\x00" in name:
        reason = os.strerror(errno.EINVAL)
        raise UploadRefused("cannot-keep", path=name, reason=reason)
    path = PurePosixPath(name.replace("\\", "/"))
    first = path.parts[0] if path.parts else ""
    if path.is_absolute() or first.endswith(":") or first[1:2] == ":":
        raise UploadRefused("name-absolute", path=name)
    if not path.parts or ".." in path.parts:
        raise UploadRefused("name-climbs", path=name)
    if len(path.parts) > _MOST_PARTS or len(os.fsencode(name)) > _LONGEST_PATH:
        reason = os.strerror(errno.ENAMETOOLONG)
        raise UploadRefused("cannot-keep", path=name[:_LONGEST_PATH], reason=reason)
    return path


def _is_memory(path: PurePosixPath) -> bool:
    if SKIPPED_FOLDERS.intersection(path.parts):
        return False
    return path.name.lower().endswith(MEMORY_FILES) or is_scanned(str(path))


def _common_top(paths: list[PurePosixPath]) -> str:
    """Return the single top folder, unless it is a memory or hidden folder."""
    tops = {path.parts[0] if len(path.parts) > 1 else "" for path in paths}
    (top,) = tops if len(tops) == 1 else ("",)
    return "" if top in MEMORY_FOLDERS or top.startswith(".") else top


def _check_directory(archive: IO[bytes]) -> None:
    """Check the size of a zip's central directory before it is parsed.

    Raises:
        UploadRefused: the directory is missing or too large.
    """
    size = archive.seek(0, os.SEEK_END)
    archive.seek(max(0, size - 66_000))
    tail = archive.read()
    archive.seek(0)
    count, length = _directory_of(tail)
    if count > MAX_ENTRIES or length > _MAX_DIRECTORY:
        raise UploadRefused("too-many-files", count=count, limit=MAX_ENTRIES)


def _directory_of(tail: bytes) -> tuple[int, int]:
    at = tail.rfind(b"PK\x05\x06")
    if at < 0 or len(tail) < at + _EOCD.size:
        raise UploadRefused("zip-damaged", reason="it has no table of contents")
    found = _EOCD.unpack_from(tail, at)
    count, length = found[4], found[5]
    at64 = tail.rfind(b"PK\x06\x06", 0, at)
    if at64 >= 0 and len(tail) >= at64 + _EOCD64.size:
        found = _EOCD64.unpack_from(tail, at64)
        count, length = max(count, found[7]), found[8]
    return count, length


def _checked(entries: list[zipfile.ZipInfo]) -> list[PurePosixPath]:
    """Check a zip's entries; return their paths.

    Raises:
        UploadRefused: an entry is a link, encrypted or leaves the folder; or too many
            files, too large, or a zip bomb.
    """
    if len(entries) > MAX_ENTRIES:
        raise UploadRefused("too-many-files", count=len(entries), limit=MAX_ENTRIES)
    for info in entries:
        mode = info.external_attr >> 16
        if mode and stat.S_IFMT(mode) not in (0, stat.S_IFREG):
            raise UploadRefused("holds-link", path=info.filename)
        if info.flag_bits & 1:
            raise UploadRefused("zip-encrypted")
    unpacked = sum(info.file_size for info in entries)
    packed = sum(info.compress_size for info in entries)
    if unpacked > MAX_BYTES:
        raise UploadRefused("too-large", limit=MAX_BYTES)
    if unpacked > _RATIO_COUNTS_FROM and unpacked > packed * _MAX_RATIO:
        raise UploadRefused("bomb", ratio=unpacked // max(packed, 1))
    return [_safe_path(info.filename) for info in entries]


def _unpacked(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Iterator[bytes]:
    """Yield an entry's content, at most the size it declares."""
    with archive.open(info) as file:
        yield from _chunks_of(file)


def _chunks_of(file: IO[bytes]) -> Iterator[bytes]:
    while chunk := file.read(_CHUNK):
        yield chunk


def is_closed(root: Path) -> bool:
    """Return whether a folder cannot be a workspace: the whole disk, or hub data."""
    if root == root.parent:
        return True
    return root.is_relative_to(_data()) and not _is_made(root)


def data_within(root: Path) -> frozenset[str]:
    """Return the data folder's path relative to the root; empty if outside."""
    data = _data()
    if data == root or not data.is_relative_to(root):
        return frozenset()
    return frozenset({text_path(data.relative_to(root).as_posix())})


def _is_made(root: Path) -> bool:
    """Return whether the hub made a folder as a workspace (upload or sample)."""
    homes = (uploads_folder().resolve(), samples_folder().resolve())
    return root.parent in homes and not root.name.startswith(".")


def _data() -> Path:
    return _resolved(str(settings.MEMORYHUB_DATA))


@lru_cache(maxsize=8)
def _resolved(folder: str) -> Path:
    return Path(folder).resolve()
