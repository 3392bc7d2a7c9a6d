"""Read planned files, in batches: bytes, hash, packed blob and parsed document.

All the work that needs no write lock is done here, outside transactions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from memoryhub.files import FileBytes, UnreadableFile, disk_path, inside, read_file
from memoryhub.sync.plan import KnownFile
from memoryhub.sync.scan import FoundFile, ScanProblem
from memoryhub.workspaces.journal import PackedBlob, Predecessor, pack, predecessor
from memoryhub.workspaces.reading import Reading, read_document

#: A batch ends at either: short transactions, and no more text in memory than this.
_BATCH_FILES = 300
_BATCH_BYTES = 4_000_000


@dataclass(frozen=True, slots=True)
class NewVersion:
    """A version of a file that the hub does not have yet, read and parsed.

    `moved_from` names the place it has moved from, if it is only that.
    """

    found: FoundFile
    bytes: FileBytes
    packed: PackedBlob
    reading: Reading
    is_new: bool
    moved_from: str = ""


@dataclass(slots=True)
class ReadBatch:
    """Some planned files after reading: new versions, mere touches, failures."""

    versions: list[NewVersion] = field(default_factory=list)
    touched: list[tuple[FoundFile, FileBytes]] = field(default_factory=list)
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
    _folders: dict[str, str] = field(default_factory=dict)

    def batches(self, planned: Iterable[FoundFile]) -> Iterator[ReadBatch]:
        """Give the planned files batch by batch."""
        batch = ReadBatch()
        for file in planned:
            self._read(file, batch)
            if batch.is_full:
                yield batch
                batch = ReadBatch()
        if batch.files:
            yield batch

    def _read(self, file: FoundFile, batch: ReadBatch) -> None:
        batch.files += 1
        try:
            data = read_file(self._place(file.path), limit=self.size_limit)
        except UnreadableFile as error:
            batch.problems.append(ScanProblem(file.path, "unreadable", error.reason))
            return
        batch.size += data.size
        before = self.known.get(file.path)
        if before is not None and before.sha256 == data.sha256:
            batch.touched.append((file, data))
            return
        batch.versions.append(
            NewVersion(
                file,
                data,
                pack(data.data, data.sha256, _predecessor(before, data)),
                read_document(file.path, data.data),
                is_new=before is None,
                moved_from="" if before else self._moved_from(file, data),
            )
        )

    def _place(self, path: str) -> str:
        """Return where a file lies; that its folder is no link is seen once a sync."""
        folder, _, name = path.rpartition("/")
        if folder not in self._folders:
            self._folders[folder] = str(inside(self.root, path).parent)
        return f"{self._folders[folder]}/{disk_path(name)}"

    def _moved_from(self, file: FoundFile, data: FileBytes) -> str:
        """Return the gone file whose content this is; empty files are all alike."""
        candidates = self.gone.get(data.sha256)
        if not candidates or not data.size:
            return ""
        name = file.path.rpartition("/")[2]
        same_name = [p for p in candidates if p.rpartition("/")[2] == name]
        path = (same_name or candidates)[0]
        candidates.remove(path)
        return path


def _predecessor(before: KnownFile | None, data: FileBytes) -> Predecessor | None:
    """Return the version before, where the new one may be a tail behind it."""
    if before is None or before.size >= data.size:
        return None
    return predecessor(before.sha256)
