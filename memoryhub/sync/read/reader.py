"""Read planned files, in batches: bytes, hash, packed blob and parsed document.

All the work that needs no write lock is done here, outside transactions.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from memoryhub.disk.files import FileBytes, Stamp, UnreadableFile
from memoryhub.disk.places import Place, read_file
from memoryhub.journal.blobs import predecessor
from memoryhub.journal.packing import PackedBlob, Predecessor
from memoryhub.journal.reading import Reading
from memoryhub.sync.read.preparing import (
    Failed,
    Outcome,
    Prepared,
    prepare_apart,
    prepare_bytes,
)
from memoryhub.sync.scan.plan import KnownFile
from memoryhub.sync.scan.walk import FoundFile, ScanProblem

#: A batch ends at either: short transactions, and no more text in memory than this.
_BATCH_FILES = 300
_BATCH_BYTES = 4_000_000
#: From this many new files on, a second process is worth its start.
_WORTH_A_PROCESS = 600
#: What it prepares while a batch is written: as much.
_CHUNK = _BATCH_FILES
#: Seconds: an empty or shorter file may be in the middle of a save until it has not
#: changed for so long; it is looked at again in steps, and waited for at most so long.
_QUIET, _STEP, _PATIENCE = 0.25, 0.02, 1.0


@dataclass(frozen=True, slots=True)
class NewVersion:
    """A version of a file that the hub does not have yet, read and parsed.

    `moved_from` names the place it has moved from, if it is only that. `known_sha` is
    what the hub had of the file when it was read, empty for nothing.
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
    """Some planned files after reading: new versions, mere touches, failures."""

    versions: list[NewVersion] = field(default_factory=list)
    touched: list[tuple[FoundFile, Stamp]] = field(default_factory=list)
    problems: list[ScanProblem] = field(default_factory=list)
    size: int = 0
    files: int = 0

    @property
    def is_full(self) -> bool:
        return self.files >= _BATCH_FILES or self.size >= _BATCH_BYTES


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads the files of one sync; `gone` are the hashes of files that disappeared."""

    root: Path
    known: Mapping[str, KnownFile]
    gone: dict[str, list[str]]
    size_limit: int

    def batches(self, planned: Sequence[FoundFile]) -> Iterator[ReadBatch]:
        """Give the planned files batch by batch."""
        batch = ReadBatch()
        for file, outcome in self._outcomes(planned):
            self._sort(file, outcome, batch)
            if batch.is_full:
                yield batch
                batch = ReadBatch()
        if batch.files:
            yield batch

    def _outcomes(
        self, planned: Sequence[FoundFile]
    ) -> Iterator[tuple[FoundFile, Outcome | Stamp]]:
        """Give each file with what reading it came to; a stamp is a mere touch."""
        if sum(file.path not in self.known for file in planned) < _WORTH_A_PROCESS:
            for file in planned:
                yield file, self._read(file)
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
            data = self._read_saved(self._place(file), before)
        except UnreadableFile as error:
            return Failed(error.reason)
        if before is not None and before.sha256 == data.sha256:
            return data.stamp
        return prepare_bytes(file.path, data, _predecessor(before, data.size))

    def _read_saved(self, place: Place, before: KnownFile | None) -> FileBytes:
        """Read a file that is not in the middle of a save in place, if it ends in time.

        A file that only grew, or is new and not empty, is not waited for.
        """
        end = time.monotonic() + _PATIENCE
        while True:
            data = read_file(place, limit=self.size_limit)
            is_whole = data.size >= max(before.size if before else 0, 1)
            age = time.time() - data.stamp.mtime_ns / 1e9
            if is_whole or not 0 <= age < _QUIET or time.monotonic() >= end:
                return data
            time.sleep(_STEP)

    def _sort(
        self, file: FoundFile, outcome: Outcome | Stamp, batch: ReadBatch
    ) -> None:
        batch.files += 1
        match outcome:
            case Failed(reason):
                batch.problems.append(ScanProblem(file.path, "unreadable", reason))
            case Prepared(stamp, packed, reading):
                batch.size += stamp.size
                before = self.known.get(file.path)
                moved_from = "" if before else self._moved_from(file, stamp)
                known_sha = before.sha256 if before else ""
                facts = (before is None, moved_from, known_sha)
                batch.versions.append(NewVersion(file, stamp, packed, reading, *facts))
            case Stamp():
                batch.touched.append((file, outcome))

    def _place(self, file: FoundFile) -> Place:
        return Place(self.root, file.path)

    def _moved_from(self, file: FoundFile, stamp: Stamp) -> str:
        """Return the gone file whose content this is; empty files are all alike."""
        candidates = self.gone.get(stamp.sha256)
        if not candidates or not stamp.size:
            return ""
        name = file.path.rpartition("/")[2]
        same_name = [p for p in candidates if p.rpartition("/")[2] == name]
        path = (same_name or candidates)[0]
        candidates.remove(path)
        return path


def _predecessor(before: KnownFile | None, size: int) -> Predecessor | None:
    """Return the version before, where the new one may be a tail behind it."""
    if before is None or before.size >= size:
        return None
    return predecessor(before.sha256)
