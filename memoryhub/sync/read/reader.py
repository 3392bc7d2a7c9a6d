"""Reading of planned files in batches: bytes, hash, packed blob, parsed document.

All work without the write lock happens here, outside transactions.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from memoryhub.disk.files import FileBytes, UnreadableFile
from memoryhub.disk.places import Place, read_file
from memoryhub.journal.blobs import predecessor
from memoryhub.journal.models import Operation, Revision
from memoryhub.journal.packing import PackedBlob, Predecessor
from memoryhub.journal.reading import Reading
from memoryhub.sync.linked import place_at
from memoryhub.sync.read.preparing import Outcome, prepare_apart, prepare_bytes
from memoryhub.sync.scan.plan import KnownFile
from memoryhub.sync.scan.walk import FoundFile, ScanProblem

#: Limits of a batch, for short transactions and bounded memory.
_BATCH_FILES = 300
_BATCH_BYTES = 4_000_000
#: Bytes of new files behind the first batch from which another process pays for its
#: start, which takes as long as half of them; opening a file takes as long as so many.
_WORTH_A_PROCESS, _OF_A_FILE = 1_500_000, 250
#: Files that a process prepares at a time: as many as a batch.
_CHUNK = _BATCH_FILES
#: Seconds: an empty or shrunk file counts as being saved until unchanged for the first
#: limit; it is read again at the second interval, and for at most the third.
_QUIET, _STEP, _PATIENCE = 0.25, 0.02, 1.0


@dataclass(slots=True)
class NewVersion:
    """A version of a file on its way into the journal; `file` is None for a deletion.

    A scan's is packed and parsed, and `before` is what was known when it was read. It
    has neither where the bytes are as known.
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
        """Yield versions of the planned files, or why not, batch by batch."""
        batch: list[NewVersion | ScanProblem] = []
        size = 0
        for one in self._versions(planned):
            batch.append(one)
            size += one.file.size if isinstance(one, NewVersion) and one.file else 0
            if len(batch) >= _BATCH_FILES or size >= _BATCH_BYTES:
                yield batch
                batch, size = [], 0
        if batch:
            yield batch

    def _versions(
        self, planned: Sequence[FoundFile]
    ) -> Iterator[NewVersion | ScanProblem]:
        behind = [file.size for file in planned[_CHUNK:] if self._is_apart(file)]
        if sum(behind) + len(behind) * _OF_A_FILE < _WORTH_A_PROCESS:
            yield from map(self._read, planned)
            return
        chunks = [planned[at : at + _CHUNK] for at in range(0, len(planned), _CHUNK)]
        places = [[self._place(f) for f in c if self._is_apart(f)] for c in chunks]
        apart = prepare_apart(places, self.size_limit)
        for chunk, prepared in zip(chunks, apart, strict=True):
            outcomes = iter(prepared)
            for file in chunk:
                if self._is_apart(file):
                    yield self._version(file, next(outcomes))
                else:
                    yield self._read(file)

    def _is_apart(self, file: FoundFile) -> bool:
        return file.path not in self.known

    def _read(self, file: FoundFile) -> NewVersion | ScanProblem:
        before, place = self.known.get(file.path), self._place(file)
        try:
            data = read_saved(place, before.size if before else 0, self.size_limit)
        except UnreadableFile as error:
            return ScanProblem(file.path, "unreadable", error.reason)
        if before is not None and before.sha256 == data.sha256:
            same = data._replace(data=b"")
            return NewVersion(file.path, Revision.Kind.SEEN, same, before=before)
        base = base_of_tail(before, data.size)
        root = str(place.root)
        return self._version(file, prepare_bytes(root, file.path, data, base))

    def _version(self, file: FoundFile, outcome: Outcome) -> NewVersion | ScanProblem:
        if isinstance(outcome, ScanProblem):
            return outcome
        before = self.known.get(file.path)
        moved_from = "" if before else self.moves.get(file.path, "")
        kind = Revision.Kind.MOVED if moved_from else Revision.Kind.SEEN
        return NewVersion(
            file.path, kind, *outcome, before=before, moved_from=moved_from
        )

    def _place(self, file: FoundFile) -> Place:
        return place_at(self.root, file.path)


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


def base_of_tail(before: KnownFile | None, size: int) -> Predecessor | None:
    """Return the previous version as base of a tail, if the new one is larger."""
    if before is None or not before.sha256 or before.size >= size:
        return None
    return predecessor(before.sha256)
