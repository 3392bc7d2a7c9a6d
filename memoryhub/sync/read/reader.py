"""Reading of planned files in batches: bytes, hash, packed blob.

All work without the write lock happens here, outside transactions. Files are parsed as
well, and so recorded with their rows, but for those of a first import behind its first
batch.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from memoryhub.disk.files import FileBytes, UnreadableFile
from memoryhub.disk.places import Place, read_file
from memoryhub.journal.blobs import predecessor
from memoryhub.journal.models import Operation, Revision
from memoryhub.journal.packing import PackedBlob, Predecessor, pack
from memoryhub.journal.reading import Reading, read_document
from memoryhub.sync.scan.links import place_past
from memoryhub.sync.scan.plan import FIRST_FILES as FIRST_FILES
from memoryhub.sync.scan.plan import KnownFile
from memoryhub.sync.scan.walk import FoundFile, ScanProblem

#: Limits of a batch, for short transactions and bounded memory.
_BATCH_FILES = 300
_BATCH_BYTES = 4_000_000
#: Seconds: an empty or shrunk file counts as being saved until unchanged for the first
#: limit; it is read again at the second interval, and for at most the third.
_QUIET, _STEP, _PATIENCE = 0.25, 0.02, 1.0


@dataclass(slots=True)
class NewVersion:
    """A version of a file on its way into the journal; `file` is None for a deletion.

    A scan's is packed, and mostly parsed; `before` is what was known when it was read.
    It is neither where the bytes are as known.
    """

    path: str
    kind: Revision.Kind
    file: FileBytes | None
    packed: PackedBlob | None = None
    reading: Reading | None = None
    before: KnownFile | None = None
    moved_from: str = ""
    actor: str = ""
    #: The operations that wrote it.
    operations: Sequence[Operation] = ()

    @property
    def is_new(self) -> bool:
        """Return whether its bytes are others than those before."""
        before = self.before.sha256 if self.before else None
        return before != (self.file.sha256 if self.file else None)


@dataclass(frozen=True, slots=True)
class Reader:
    """Reader of one sync's files; `moves` has the earlier paths of moved files."""

    root: Path
    known: Mapping[str, KnownFile]
    moves: Mapping[str, str]
    size_limit: int

    def batches(
        self, planned: Sequence[FoundFile]
    ) -> Iterator[list[NewVersion | ScanProblem]]:
        """Yield versions of the planned files, or why not, batch by batch.

        Those of a first import are parsed in the first batch only.
        """
        batch: list[NewVersion | ScanProblem] = []
        size, is_first = 0, True
        for file in planned:
            batch.append(one := self._read(file, parse=is_first or bool(self.known)))
            size += one.file.size if isinstance(one, NewVersion) and one.file else 0
            most = FIRST_FILES if is_first else _BATCH_FILES
            if len(batch) >= most or size >= _BATCH_BYTES:
                yield batch
                batch, size, is_first = [], 0, False
        if batch:
            yield batch

    def _read(self, file: FoundFile, *, parse: bool) -> NewVersion | ScanProblem:
        path, before = file.path, self.known.get(file.path)
        place = place_at(self.root, path)
        try:
            data = read_saved(place, before.size if before else 0, self.size_limit)
        except UnreadableFile as error:
            return ScanProblem(path, "unreadable", error.reason)
        version = NewVersion(
            path, Revision.Kind.SEEN, data._replace(data=b""), before=before
        )
        if version.is_new:
            prepare(version, str(place.root), data.data, parse=parse)
            version.moved_from = "" if before else self.moves.get(path, "")
            if version.moved_from:
                version.kind = Revision.Kind.MOVED
        return version


def prepare(version: NewVersion, root: str, data: bytes, *, parse: bool = True) -> None:
    """Pack the bytes of a version, and parse them."""
    before, file = version.before, version.file
    assert file is not None
    base: Predecessor | None = None
    if before is not None and before.sha256 and before.size < file.size:
        base = predecessor(before.sha256)
    version.packed = pack(data, file.sha256, base)
    if parse:
        known = base.identified if base else None
        version.reading = read_document(root, version.path, data, known)


def place_at(root: Path, path: str) -> Place:
    """Return the place of a file beneath a workspace's root, past links to follow."""
    return place_past(root, path, settings.MEMORYHUB_LINKED_FOLDERS)


def read_saved(place: Place, known_size: int, limit: int) -> FileBytes:
    """Read a file; wait up to a second for the end of a save in place.

    Only an empty file, or one smaller than its known size, that was changed just now
    is waited for.

    Raises:
        UnreadableFile: it cannot be read, or is larger than `limit` bytes.
    """
    end = time.monotonic() + _PATIENCE
    while True:
        data = read_file(place, limit=limit)
        is_whole = data.size >= max(known_size, 1)
        age = time.time() - data.mtime_ns / 1e9
        if is_whole or not 0 <= age < _QUIET or time.monotonic() >= end:
            return data
        time.sleep(_STEP)
