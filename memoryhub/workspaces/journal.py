"""The journal's bytes: every version of every file, stored once and given back."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from hashlib import sha256

from django.db import connection
from django.db.models import Max

from memoryhub.workspaces.models import Blob
from memoryhub.workspaces.packing import DEFLATE, TAIL, PackedBlob, Predecessor
from memoryhub.workspaces.rows import Row, Rows


class CorruptBlob(Exception):
    """A stored version does not have the hash it was stored under."""


def predecessor(digest: str) -> Predecessor | None:
    """Return a stored version as what the next one may be a tail behind.

    Nothing is put behind one that is corrupt.
    """
    blob = Blob.objects.select_related("base").filter(sha256=digest).first()
    if blob is None:
        return None
    try:
        return Predecessor(blob.id, blob.depth, blob_bytes(blob))
    except CorruptBlob:
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
    try:
        data = _unpacked(blob)
    except zlib.error as error:
        raise CorruptBlob(blob.sha256) from error
    if sha256(data).hexdigest() != blob.sha256:
        raise CorruptBlob(blob.sha256)
    return data


def _unpacked(blob: Blob) -> bytes:
    chain = _chain(blob) if blob.encoding == TAIL else [blob]
    *tails, whole = chain
    data = bytes(whole.data)
    if whole.encoding == DEFLATE:
        data = zlib.decompress(data)
    return b"".join([data, *(zlib.decompress(tail.data) for tail in reversed(tails))])


def _chain(blob: Blob) -> list[Blob]:
    """Return a version and those it is a tail behind, nearest first, in one query."""
    table = connection.ops.quote_name(Blob._meta.db_table)
    rows = Blob.objects.raw(
        "WITH RECURSIVE chain (id, base_id, step) AS ("
        f"SELECT id, base_id, 1 FROM {table} WHERE id = %s UNION ALL"
        f" SELECT b.id, b.base_id, step + 1 FROM {table} AS b, chain"
        " WHERE b.id = chain.base_id)"
        f" SELECT b.* FROM {table} AS b, chain WHERE b.id = chain.id ORDER BY step",
        [blob.base_id],
    )
    return [blob, *rows]
