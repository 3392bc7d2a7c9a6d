"""Reading of planned files in batches: bytes, hash, packed blob, parsed document.

All work without the write lock happens here, outside transactions.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from memoryhub.disk.files import FileBytes, Stamp, UnreadableFile
from memoryhub.disk.places import Place, read_file
from memoryhub.journal.blobs import predecessor
from memoryhub.journal.packing import PackedBlob, Predecessor
from memoryhub.journal.reading import Reading
from memoryhub.sync.linked import place_at
from memoryhub.sync.read.preparing import (
    Outcome,
    Prepared,
    prepare_apart,
    prepare_bytes,
)
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


@dataclass(frozen=True, slots=True)
class NewVersion:
    """A new version of a file, read and parsed.

    `moved_from` is the previous path of a moved file. `known_sha` is the hash of the
    hub's newest version when the file was read, empty for none.
    """

    found: FoundFile
    stamp: Stamp
    packed: PackedBlob
    reading: Reading
    is_new: bool
    moved_from: str = ""
    known_sha: str = ""


@dataclass(slots=True)
class ReadBatch:
    """A batch of read files: new versions, files with unchanged bytes, failures."""

    versions: list[NewVersion] = field(default_factory=list)
    touched: list[tuple[FoundFile, Stamp]] = field(default_factory=list)
    problems: list[ScanProblem] = field(default_factory=list)
    size: int = 0
    files: int = 0

    @property
    def is_full(self) -> bool:
        return self.files >= _BATCH_FILES or self.size >= _BATCH_BYTES

    def moved_from(self, *, but: Collection[FoundFile]) -> Iterator[str]:
        """Yield the earlier paths of moved files, except of some."""
        for version in self.versions:
            if version.moved_from and version.found not in but:
                yield version.moved_from


@dataclass(frozen=True, slots=True)
class Reader:
    """Reader of one sync's files; `moves` has the earlier paths of moved files."""

    root: Path
    known: Mapping[str, KnownFile]
    moves: Mapping[str, str]
    size_limit: int

    def batches(self, planned: Sequence[FoundFile]) -> Iterator[ReadBatch]:
        """Yield the planned files batch by batch."""
        batch = ReadBatch()
        for file, outcome in self._outcomes(planned):
            batch.files += 1
            match outcome:
                case ScanProblem():
                    batch.problems.append(outcome)
                case Prepared(stamp, packed, reading):
                    batch.size += stamp.size
                    before = self.known.get(file.path)
                    moved_from = "" if before else self.moves.get(file.path, "")
                    known_sha = before.sha256 if before else ""
                    facts = (before is None, moved_from, known_sha)
                    batch.versions.append(
                        NewVersion(file, stamp, packed, reading, *facts)
                    )
                case Stamp():
                    batch.touched.append((file, outcome))
            if batch.is_full:
                yield batch
                batch = ReadBatch()
        if batch.files:
            yield batch

    def _outcomes(
        self, planned: Sequence[FoundFile]
    ) -> Iterator[tuple[FoundFile, Outcome | Stamp]]:
        """Yield each file with its outcome; a stamp means unchanged bytes."""
        behind = [file.size for file in planned[_CHUNK:] if self._is_apart(file)]
        if sum(behind) + len(behind) * _OF_A_FILE < _WORTH_A_PROCESS:
            yield from ((file, self._read(file)) for file in planned)
            return
        chunks = [planned[at : at + _CHUNK] for at in range(0, len(planned), _CHUNK)]
        places = [[self._place(f) for f in c if self._is_apart(f)] for c in chunks]
        apart = prepare_apart(places, self.size_limit)
        for chunk, prepared in zip(chunks, apart, strict=True):
            outcomes = iter(prepared)
            for file in chunk:
                yield file, next(outcomes) if self._is_apart(file) else self._read(file)

    def _is_apart(self, file: FoundFile) -> bool:
        return file.path not in self.known

    def _read(self, file: FoundFile) -> Outcome | Stamp:
        before = self.known.get(file.path)
        try:
            size = before.size if before else 0
            data = read_saved(self._place(file), size, self.size_limit)
        except UnreadableFile as error:
            return ScanProblem(file.path, "unreadable", error.reason)
        if before is not None and before.sha256 == data.sha256:
            return data.stamp
        return prepare_bytes(self._place(file), data, base_of_tail(before, data.size))

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
        age = time.time() - data.stamp.mtime_ns / 1e9
        if is_whole or not 0 <= age < _QUIET or time.monotonic() >= end:
            return data
        time.sleep(_STEP)


def base_of_tail(before: KnownFile | None, size: int) -> Predecessor | None:
    """Return the previous version as base of a tail, if the new one is larger."""
    if before is None or not before.sha256 or before.size >= size:
        return None
    return predecessor(before.sha256)
