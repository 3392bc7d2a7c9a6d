"""The journal's bytes: every version of every file, packed, deduplicated, given back.

A log mostly grows: a version that only adds to its predecessor is kept as the tail
behind it. Chains of tails are short, so that any version is a few reads away.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256

from django.db.models import Max

from memoryhub.workspaces.models import Blob
from memoryhub.workspaces.rows import Row, Rows

#: Fast: level 6 takes twice the time for a tenth less.
COMPRESSION_LEVEL = 1
_MAX_DEPTH = 16
_SMALLEST_BASE = 512


class CorruptBlob(Exception):
    """A stored version does not have the hash it was stored under."""


@dataclass(frozen=True, slots=True)
class Predecessor:
    """The version before, as far as a tail on it needs."""

    blob_id: int
    depth: int
    data: bytes


@dataclass(frozen=True, slots=True)
class PackedBlob:
    """The bytes of one version, ready to be stored."""

    sha256: str
    size: int
    encoding: str
    data: bytes
    base_id: int | None = None
    depth: int = 0


def pack(data: bytes, digest: str, before: Predecessor | None = None) -> PackedBlob:
    """Return a version packed as tail, deflated or raw, whichever is small."""
    if before is not None and _continues(data, before):
        tail = zlib.compress(data[len(before.data) :], COMPRESSION_LEVEL)
        return PackedBlob(
            digest,
            len(data),
            Blob.Encoding.TAIL.value,
            tail,
            before.blob_id,
            before.depth + 1,
        )
    deflated = zlib.compress(data, COMPRESSION_LEVEL)
    if len(deflated) < len(data):
        return PackedBlob(digest, len(data), Blob.Encoding.DEFLATE.value, deflated)
    return PackedBlob(digest, len(data), Blob.Encoding.RAW.value, data)


def _continues(data: bytes, before: Predecessor) -> bool:
    return (
        len(before.data) >= _SMALLEST_BASE
        and before.depth < _MAX_DEPTH
        and len(data) > len(before.data)
        and data.startswith(before.data)
    )


def predecessor(digest: str) -> Predecessor | None:
    """Return a stored version as what the next one may be a tail behind."""
    blob = Blob.objects.select_related("base").filter(sha256=digest).first()
    return blob and Predecessor(blob.id, blob.depth, blob_bytes(blob))


def store(packed: Iterable[PackedBlob]) -> dict[str, int]:
    """Store the versions not yet there; return the ids of all by hash.

    The caller holds the write lock: ids are given here, one after the other.
    """
    wanted = {blob.sha256: blob for blob in packed}
    known = Blob.objects.filter(sha256__in=list(wanted)).values_list("sha256", "id")
    ids = dict(known)
    newest = Blob.objects.aggregate(id=Max("id"))["id"] or 0
    rows = Rows()
    for digest, blob in wanted.items():
        if digest not in ids:
            ids[digest] = newest = newest + 1
            rows.insert(Blob, id=newest, **_columns(blob))
    rows.flush()
    return ids


def _columns(blob: PackedBlob) -> Row:
    return {
        "sha256": blob.sha256,
        "size": blob.size,
        "encoding": blob.encoding,
        "data": blob.data,
        "base_id": blob.base_id,
        "depth": blob.depth,
    }


def blob_bytes(blob: Blob) -> bytes:
    """Return the bytes of a version.

    Raises:
        CorruptBlob: they do not have the hash they were stored under.
    """
    data = _unpacked(blob)
    if sha256(data).hexdigest() != blob.sha256:
        raise CorruptBlob(blob.sha256)
    return data


def _unpacked(blob: Blob) -> bytes:
    tails: list[bytes] = []
    while blob.encoding == Blob.Encoding.TAIL:
        tails.append(zlib.decompress(blob.data))
        assert blob.base is not None
        blob = blob.base
    data = bytes(blob.data)
    if blob.encoding == Blob.Encoding.DEFLATE:
        data = zlib.decompress(data)
    return b"".join([data, *reversed(tails)])
