"""Versions of files as pages show them: what there was at a path, and its text.

A path goes on having its page when its file was deleted or moved away.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.core.cache import cache

from memoryhub.formats.text.decoding import decode
from memoryhub.formats.text.diffing import split_text
from memoryhub.journal.blobs import bytes_by_id
from memoryhub.journal.models import Blob, Revision, SourceFile, Workspace

#: Versions of a file on one page of its history.
HISTORY_SIZE = 50
#: A file that was moved more often than this has an older history elsewhere.
_MOVES = 20
#: Versions that blame compares, and bytes of them in all.
BLAME_VERSIONS = 1_000
BLAME_BYTES = 12_000_000


@dataclass(frozen=True, slots=True)
class Version:
    """One version of a file; without a blob the file was gone.

    `is_forgotten`: its bytes are gone; a tombstone says why.
    """

    seq: int
    kind: str
    path: str
    moved_from: str
    recorded_at: datetime
    actor: str
    run_number: int | None
    blob_id: int | None
    size: int | None
    sha256: str | None
    encoding: str | None

    @property
    def is_forgotten(self) -> bool:
        return self.encoding == Blob.Encoding.GONE


_COLUMNS = (
    "seq",
    "kind",
    "path",
    "moved_from",
    "recorded_at",
    "actor",
    "run__number",
    "blob_id",
    "blob__size",
    "blob__sha256",
    "blob__encoding",
)


def file_at(workspace: Workspace, path: str) -> SourceFile | None:
    """Return the file at a path, or the last one that was there."""
    rows = SourceFile.objects.filter(workspace=workspace, path=path)
    return rows.order_by("-present", "-seq").first()


def is_known(workspace: Workspace, path: str) -> bool:
    """Tell whether there ever was a file at a path."""
    return Revision.objects.filter(workspace=workspace, path=path).exists()


def known_paths(workspace: Workspace, paths: Iterable[str]) -> set[str]:
    """Return those of the paths that have a page."""
    rows = Revision.objects.filter(workspace=workspace, path__in=list(paths))
    return set(rows.order_by().values_list("path", flat=True).distinct())


def versions_of(
    workspace: Workspace, path: str, *, below: int | None = None
) -> list[Version]:
    """Return what there was at a path, newest first, through moves to it.

    At most one more than a page; with `below` only what was before that seq.
    """
    found: dict[int, Version] = {}
    places = [(path, below)]
    for _ in range(_MOVES):
        if not places:
            break
        place, limit = places.pop()
        for version in _versions_at(workspace, place, limit):
            if version.moved_from and version.seq not in found:
                places.append((version.moved_from, version.seq))
            found[version.seq] = version
    newest = sorted(found.values(), key=lambda version: -version.seq)
    return newest[: HISTORY_SIZE + 1]


def told_versions(
    workspace: Workspace, path: str, until: int
) -> tuple[list[Version], bool]:
    """Return the versions with a text up to a seq, oldest first, through moves.

    As many of the newest as hold `BLAME_BYTES` together, and whether there are more.
    """
    found: dict[int, Version] = {}
    place, limit, size = path, until + 1, 0
    for _ in range(_MOVES):
        moved = False
        for version in _versions_at(workspace, place, limit, BLAME_VERSIONS):
            found[version.seq] = version
            if moved := bool(version.moved_from):
                place, limit = version.moved_from, version.seq
                break
        if not moved or len(found) >= BLAME_VERSIONS:
            break
    kept: list[Version] = []
    for version in sorted(found.values(), key=lambda version: -version.seq):
        size += version.size or 0
        if kept and size > BLAME_BYTES:
            return kept[::-1], True
        if version.blob_id is not None and not version.is_forgotten:
            kept.append(version)
    return kept[::-1], len(found) >= BLAME_VERSIONS


def lines_of(versions: Sequence[Version]) -> list[list[str]]:
    """Return what several versions say, line by line; a damaged one says nothing."""
    ids = [version.blob_id for version in versions if version.blob_id is not None]
    data = bytes_by_id(ids)
    return [split_text(decode(data.get(v.blob_id or 0, b"")).text) for v in versions]


def _versions_at(
    workspace: Workspace, path: str, below: int | None, most: int = HISTORY_SIZE + 1
) -> list[Version]:
    rows = Revision.objects.filter(workspace=workspace, path=path)
    if below is not None:
        rows = rows.filter(seq__lt=below)
    columns = rows.order_by("-seq").values_list(*_COLUMNS)[:most]
    return [Version(*row) for row in columns]


def version_at(
    workspace: Workspace, path: str, seq: int | None = None
) -> Version | None:
    """Return the version of a path that was newest at a seq, or is now.

    The version of that very seq may be of another path, from which the file moved.
    """
    if seq is not None and (exact := _version_of(workspace, path, seq)):
        return exact
    below = None if seq is None else seq + 1
    versions = versions_of(workspace, path, below=below)
    return next((v for v in versions if v.blob_id is not None), None)


def _version_of(workspace: Workspace, path: str, seq: int) -> Version | None:
    """Return the version a file had at a seq under an earlier name of its own."""
    rows = Revision.objects.filter(workspace=workspace, seq=seq, blob__isnull=False)
    found = rows.exclude(path=path).values_list(*_COLUMNS).first()
    if found is None:
        return None
    version = Version(*found)
    return version if version.path in _earlier_paths(workspace, path) else None


def _earlier_paths(workspace: Workspace, path: str) -> set[str]:
    found: set[str] = set()
    last = [path]
    for _ in range(_MOVES):
        moves = Revision.objects.filter(
            workspace=workspace, kind=Revision.Kind.MOVED, path__in=last
        )
        last = [p for p in moves.values_list("moved_from", flat=True) if p not in found]
        if not last:
            break
        found.update(last)
    return found


def moved_to(workspace: Workspace, path: str) -> str:
    """Return where the file that was at a path is now, if it was moved last."""
    rows = Revision.objects.filter(
        workspace=workspace, kind=Revision.Kind.MOVED, moved_from=path
    )
    return rows.order_by("-seq").values_list("path", flat=True).first() or ""


def newest_text(workspace: Workspace, path: str) -> str:
    """Return what the file at a path says; nothing where there is no such file."""
    file = file_at(workspace, path)
    if file is None or not file.present or file.blob_id is None:
        return ""
    data = bytes_by_id([file.blob_id])
    return decode(data.get(file.blob_id, b"")).text


def text_of(version: Version) -> str:
    """Return the text of a version as it can be shown; empty where it cannot."""
    data = bytes_of(version)
    return decode(data).text


def bytes_of(version: Version) -> bytes:
    """Return the bytes of a version; none where they were damaged in storage."""
    if version.blob_id is None:
        return b""
    return bytes_by_id([version.blob_id]).get(version.blob_id, b"")


#: A version and the one before it, if there is one.
Pair = tuple[Version, Version | None]


def line_changes(pairs: Sequence[Pair]) -> list[tuple[int, int]]:
    """Return how many lines versions have more and how many less than others.

    Lines that only changed places are not counted. Versions never change, so what
    was counted once is kept; the rest is one query.
    """
    keys = [f"lines:{old.sha256 if old else ''}:{new.sha256}" for new, old in pairs]
    counted: dict[str, tuple[int, int]] = cache.get_many(keys)
    left = [pair for key, pair in zip(keys, pairs, strict=True) if key not in counted]
    counters = _counters(left)
    for key, (new, old) in zip(keys, pairs, strict=True):
        if key not in counted:
            before = counters[old.blob_id] if old else Counter()
            after = counters[new.blob_id]
            counted[key] = (after - before).total(), (before - after).total()
            cache.set(key, counted[key], timeout=None)
    return [counted[key] for key in keys]


def _counters(pairs: Sequence[Pair]) -> dict[int | None, Counter[str]]:
    versions = {v.blob_id: v for pair in pairs for v in pair if v and v.blob_id}
    chosen = list(versions.values())
    lines = lines_of(chosen)
    return {v.blob_id: Counter(said) for v, said in zip(chosen, lines, strict=True)}
