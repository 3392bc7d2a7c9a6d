"""Backup file: a gzipped tar whose last member lists the others' hashes.

Without a passphrase it is an ordinary ``.tar.gz``, which any tar unpacks; with one the
tar is sealed (`memoryhub.backups.sealing`). It is written and read as a stream: memory
holds one chunk of it. Those of earlier versions end with an empty gzip member, which
declared the unpacked size; gzip skips it.
"""

from __future__ import annotations

import gzip
import json
import os
import tarfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import IO, Any, BinaryIO, NamedTuple, Self

from memoryhub.backups.contents import is_member
from memoryhub.backups.sealing import (
    CHUNK,
    Damaged,
    SealedReader,
    SealedWriter,
    is_sealed,
)
from memoryhub.disk.files import created_durably

MANIFEST = "manifest.json"
FORMAT = 1
#: Compression level: databases hold packed bytes and text, more effort gains little.
_EFFORT = 1
_MOST_MANIFEST = 256 * 1024**2
#: Unit of allocation of most file systems.
_BLOCK = 4096
_MOST_HEADER = 1024**2
#: Kinds of tar headers that Python reads into memory.
_HEADERS = (
    tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE,
    tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK,
)  # fmt: skip
_BROKEN = (tarfile.TarError, gzip.BadGzipFile, zlib.error, EOFError, ValueError)


class Member(NamedTuple):
    """Size and sha256 of a file in a backup."""

    size: int
    sha256: str


class NeedsPassphrase(Exception):
    """The backup is encrypted, and no passphrase was given."""

    def __str__(self) -> str:
        return "the backup is encrypted: it needs its passphrase"


class TooLarge(Exception):
    """The files of a backup take more room than allowed."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """Members of a backup, and facts about its hub."""

    members: Mapping[str, Member]
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def room(self) -> int:
        """Bytes of disk that the members take."""
        return sum(_room_of(member.size) for member in self.members.values())

    def as_json(self) -> bytes:
        """Serialise it for the archive."""
        raw = {"format": FORMAT, **self.facts, "members": self.members}
        return json.dumps(raw, indent=1, default=str).encode()


class _BoundedEntry(tarfile.TarInfo):
    """An entry of a tar whose headers are small.

    Raises:
        Damaged: one is too large, or has a negative size.
    """

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        entry = super().frombuf(buf, encoding, errors)
        if entry.size < 0 or (entry.type in _HEADERS and entry.size > _MOST_HEADER):
            raise Damaged(f"a header of it has {entry.size} bytes")
        return entry


def _room_of(size: int) -> int:
    """Return the bytes of disk that a file of a size takes, with its name, at most."""
    return (size // _BLOCK + 1) * _BLOCK


class _Hashing:
    """A readable stream that hashes and counts the bytes read."""

    def __init__(self, source: IO[bytes]) -> None:
        self._source = source
        self._digest = sha256()
        self.size = 0

    def read(self, size: int = -1) -> bytes:
        data = self._source.read(size)
        self._digest.update(data)
        self.size += len(data)
        return data

    @property
    def member(self) -> Member:
        return Member(self.size, self._digest.hexdigest())


def write_archive(
    out: BinaryIO,
    files: Iterable[tuple[str, Path]],
    facts: Callable[[], Mapping[str, Any]],
    passphrase: str = "",
) -> Manifest:
    """Write files under their archive names, and the manifest.

    A file missing by its turn is left out. `facts` is called after all are written.

    Raises:
        OSError: a file cannot be read or has shrunk, or the disk is full.
    """
    sealed = SealedWriter(out, passphrase) if passphrase else None
    packed = gzip.GzipFile("", "wb", _EFFORT, sealed or out, mtime=0)
    with (
        packed,
        tarfile.open(fileobj=packed, mode="w|", format=tarfile.PAX_FORMAT) as tar,
    ):
        members = dict(_added(tar, files))
        manifest = Manifest(members, facts())
        data = manifest.as_json()
        tar.addfile(_entry(MANIFEST, len(data)), BytesIO(data))
    if sealed:
        sealed.close()
    return manifest


def _added(
    tar: tarfile.TarFile, files: Iterable[tuple[str, Path]]
) -> Iterator[tuple[str, Member]]:
    for name, path in files:
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except FileNotFoundError:
            continue
        with os.fdopen(descriptor, "rb") as file:
            status = os.fstat(file.fileno())
            entry = _entry(name, status.st_size, int(status.st_mtime))
            hashing = _Hashing(file)
            tar.addfile(entry, hashing)
            yield name, hashing.member


def _entry(name: str, size: int, mtime: int = 0) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.size, entry.mtime, entry.mode = size, mtime, 0o600
    return entry


def read_archive(
    source: BinaryIO,
    passphrase: str = "",
    *,
    into: Path | None = None,
    most: int | None = None,
) -> Manifest:
    """Read and verify a whole archive; with `into` extract it to a folder.

    Every byte is checked: hashes against the manifest, the manifest and the end of the
    stream by gzip's checksum, or else by the seal. Before this returns, nothing in the
    folder is to be trusted. No file is begun that exceeds `most` bytes of disk.

    Raises:
        Damaged: it differs from what was written.
        TooLarge: it takes more than `most`.
        WrongPassphrase: the passphrase is that of another backup.
        NeedsPassphrase: it is encrypted, and no passphrase was given.
        OSError: the folder cannot be written.
    """
    with _as_damaged():
        packed = gzip.GzipFile(fileobj=_unsealed(source, passphrase), mode="rb")
        with tarfile.open(fileobj=packed, mode="r|", tarinfo=_BoundedEntry) as tar:
            found, raw = _taken(tar, into, most)
        while packed.read(CHUNK):
            pass
        return _compared(found, raw)


def _unsealed(source: BinaryIO, passphrase: str) -> BinaryIO | SealedReader:
    if not is_sealed(source.read(CHUNK)[:64]):
        source.seek(0)
        return source
    source.seek(0)
    if not passphrase:
        raise NeedsPassphrase
    return SealedReader(source, passphrase)


def _taken(
    tar: tarfile.TarFile, into: Path | None, most: int | None
) -> tuple[dict[str, Member], bytes]:
    """Read the files of an archive up to its manifest, which is returned with them."""
    found: dict[str, Member] = {}
    room = 0
    for entry in tar:
        name, is_manifest = entry.name, entry.name == MANIFEST
        file = tar.extractfile(entry) if entry.isreg() and _is_safe(name) else None
        if file is None or entry.size < 0 or not (is_manifest or is_member(name)):
            raise Damaged(f"{name!r} is no file of a backup")
        if is_manifest:
            raw = file.read(_MOST_MANIFEST)
            if tar.next() is not None:
                raise Damaged("something stands behind its manifest")
            return found, raw
        if name in found:
            raise Damaged(f"{name!r} is there twice")
        room += _room_of(entry.size)
        if most is not None and room > most:
            raise TooLarge
        found[name] = _copied(file, into and into / name)
    raise Damaged("it is cut off: its manifest is missing")


def _copied(file: IO[bytes], to: Path | None) -> Member:
    """Read a member, writing it to a file if given; return its size and hash."""
    hashing = _Hashing(file)
    if to is None:
        while hashing.read(CHUNK):
            pass
        return hashing.member
    to.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with created_durably(to) as out:
        while chunk := hashing.read(CHUNK):
            out.write(chunk)
    return hashing.member


def _is_safe(name: str) -> bool:
    path = PurePosixPath(name)
    is_plain = all(letter >= " " for letter in path.parts[0]) if path.parts else False
    return is_plain and not path.is_absolute() and ".." not in path.parts


def _compared(found: Mapping[str, Member], raw: bytes) -> Manifest:
    """Parse the manifest and check that its members are those found.

    Raises:
        Damaged: they differ, or the format is unknown.
    """
    facts = json.loads(raw)
    if not isinstance(facts, dict) or facts.pop("format", None) != FORMAT:
        raise Damaged("it is of another format")
    members = {name: Member(*each) for name, each in facts.pop("members").items()}
    if members != found:
        other = members.keys() ^ found.keys() or {
            name for name in found if found[name] != members[name]
        }
        raise Damaged(f"{min(other)} is not what was written")
    return Manifest(members, facts)


@contextmanager
def _as_damaged() -> Iterator[None]:
    """Convert libraries' errors about a damaged stream to `Damaged`."""
    try:
        yield
    except (*_BROKEN, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise Damaged(str(error) or type(error).__name__) from error
