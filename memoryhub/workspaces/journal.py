"""The journal's bytes: every version of every file, stored once and given back."""

from __future__ import annotations

import zlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from typing import NamedTuple, TypeVar

from django.db import connection
from django.db.models import Max

from memoryhub.workspaces.models import Blob
from memoryhub.workspaces.packing import (
    DEFLATE,
    TAIL,
    Ancestor,
    PackedBlob,
    Predecessor,
)
from memoryhub.workspaces.rows import Row, Rows
from memoryhub.workspaces.sql import table_of

Key = TypeVar("Key", int, str)


class _Stored(NamedTuple):
    """A version as it is stored, without what it may be a tail behind."""

    id: int
    depth: int
    size: int
    sha256: str
    encoding: str
    data: bytes


class CorruptBlob(Exception):
    """A stored version does not have the hash it was stored under."""


def predecessor(digest: str) -> Predecessor | None:
    """Return a stored version as what the next one may be a tail behind.

    Nothing is put behind one that is corrupt.
    """
    for chain in _chains([digest], by="sha256").values():
        with suppress(CorruptBlob):
            links = (Ancestor(link.id, link.depth, link.size) for link in chain)
            return Predecessor(_checked(chain), tuple(links))
    return None


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
    own = _Stored(
        blob.pk, blob.depth, blob.size, blob.sha256, blob.encoding, bytes(blob.data)
    )
    if blob.encoding != TAIL or blob.base_id is None:
        return _checked([own])
    return _checked([own, *_chains([blob.base_id]).get(blob.base_id, [])])


def _checked(chain: Sequence[_Stored]) -> bytes:
    digest = chain[0].sha256
    try:
        data = _joined(chain)
    except zlib.error as error:
        raise CorruptBlob(digest) from error
    if sha256(data).hexdigest() != digest:
        raise CorruptBlob(digest)
    return data


def bytes_by_id(blob_ids: Collection[int]) -> dict[int, bytes]:
    """Return the bytes of several versions, without those that are damaged."""
    return _undamaged(_chains(blob_ids))


def bytes_by_hash(digests: Collection[str]) -> dict[str, bytes]:
    """Return the bytes of several versions, without those that are damaged."""
    chains = _chains(digests, by="sha256").values()
    return _undamaged({chain[0].sha256: chain for chain in chains})


def _undamaged(chains: Mapping[Key, Sequence[_Stored]]) -> dict[Key, bytes]:
    found = {}
    for key, chain in chains.items():
        try:
            found[key] = _checked(chain)
        except CorruptBlob:
            continue
    return found


def _joined(chain: Sequence[_Stored]) -> bytes:
    """Return the bytes of a version from itself and those it is a tail behind."""
    *tails, whole = chain
    data = whole.data
    if whole.encoding == DEFLATE:
        data = zlib.decompress(data)
    return b"".join([data, *(zlib.decompress(tail.data) for tail in reversed(tails))])


def _chains(
    wanted: Collection[int] | Collection[str], *, by: str = "id"
) -> dict[int, list[_Stored]]:
    """Return versions, each with those it is a tail behind, in one query."""
    if not wanted:
        return {}
    table = table_of(Blob)
    marks = ", ".join(["%s"] * len(wanted))
    found: dict[int, list[_Stored]] = {}
    with connection.cursor() as cursor:
        cursor.execute(
            "WITH RECURSIVE chain (root, id, base_id, step) AS ("
            f"SELECT id, id, base_id, 1 FROM {table} WHERE {by} IN ({marks}) UNION ALL"
            f" SELECT root, b.id, b.base_id, step + 1 FROM {table} AS b, chain"
            " WHERE b.id = chain.base_id)"
            " SELECT root, b.id, depth, size, sha256, encoding, data"
            f" FROM {table} AS b, chain WHERE b.id = chain.id ORDER BY step",
            list(wanted),
        )
        for root, *stored in cursor.fetchall():
            found.setdefault(root, []).append(_Stored(*stored))
    return found
