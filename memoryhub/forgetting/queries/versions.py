"""Versions of a workspace that a forgetting changes, in chunks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from memoryhub.forgetting.queries.aims import Aim
from memoryhub.journal.blobs import bytes_by_id
from memoryhub.journal.models import Blob, Revision, Workspace

#: Limits of a chunk: versions, and about as many bytes.
_MOST, _BYTES = 64, 8_000_000


class Stored(NamedTuple):
    """A version's blob, with its base and its number in the chain."""

    id: int
    sha256: str
    size: int
    base_id: int | None
    number: int


class Touched(NamedTuple):
    """A version changed by a forgetting; `left` is its new content, None for none."""

    blob: Stored
    before: bytes
    left: bytes | None
    matches: int


def stored_versions(workspace: Workspace, aim: Aim, behind: int = 0) -> list[Stored]:
    """Return the blobs of a workspace's revisions that the aim may change.

    Only of revisions after the seq `behind`.
    """
    held = Revision.objects.filter(workspace=workspace, blob__isnull=False)
    held = held.filter(seq__gt=behind)
    blobs = Blob.objects.exclude(encoding=Blob.Encoding.GONE).order_by("id")
    blobs = blobs.filter(pk__in=held.order_by().values("blob_id"))
    rows = blobs.values_list("id", "sha256", "size", "base_id", "depth")
    found = [Stored(*row) for row in rows.iterator(5000)]
    if aim.blobs is None:
        return found
    return [blob for blob in found if blob.id in aim.blobs]


def touched_versions(
    blobs: list[Stored], aim: Aim
) -> Iterator[tuple[int, Touched | None]]:
    """Yield each blob's position among all, with its change.

    None for an unchanged one. One chunk is in memory at a time.
    """
    place = 0
    for chunk in _chunks(blobs):
        data = bytes_by_id([blob.id for blob in chunk])
        for blob in chunk:
            place += 1
            before = data.pop(blob.id, b"")
            left, count = aim.version(before)
            yield place, Touched(blob, before, left, count) if count else None


def _chunks(blobs: list[Stored]) -> Iterator[list[Stored]]:
    chunk: list[Stored] = []
    size = 0
    for blob in blobs:
        if chunk and (len(chunk) >= _MOST or size + blob.size > _BYTES):
            yield chunk
            chunk, size = [], 0
        chunk.append(blob)
        size += blob.size
    if chunk:
        yield chunk
