"""The journal's bytes: every version of every file, stored once and given back."""

from __future__ import annotations

import zlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from typing import NamedTuple, TypeVar

from django.db import connection
from django.db.models import Max
from django.db.models.functions import Length

from memoryhub.journal.models import Blob, Tombstone
from memoryhub.journal.packing import (
    DEFLATE,
    GONE,
    TAIL,
    Ancestor,
    PackedBlob,
    Predecessor,
    pack,
)
from memoryhub.journal.rows import Row, Rows
from memoryhub.journal.sql import table_of

Key = TypeVar("Key", int, str)


class _Stored(NamedTuple):
    """A version as it is stored, without what it may be a tail behind."""

    id: int
    depth: int
    size: int
    sha256: str
    encoding: str
    data: bytes


class NoBytes(Exception):
    """A version whose bytes cannot be read, by its hash.

    NoBytes
    +-- CorruptBlob    they do not have the hash they were stored under
    +-- Gone           they were forgotten or thinned out; a tombstone names the reason
    """


class CorruptBlob(NoBytes):
    """A stored version does not have the hash it was stored under."""


class Gone(NoBytes):
    """A version was forgotten or thinned out: its hash and size are all there is."""

    def __str__(self) -> str:
        return f"the bytes of version {self.args[0][:12]} are gone"


def predecessor(digest: str) -> Predecessor | None:
    """Return a stored version as what the next one may be a tail behind.

    Nothing is put behind one that cannot be read.
    """
    for chain in _chains([digest], by="sha256").values():
        with suppress(NoBytes):
            links = (Ancestor(link.id, link.depth, link.size) for link in chain)
            return Predecessor(_checked(chain), tuple(links))
    return None


class Kept(NamedTuple):
    """Which blobs hold versions, by their hashes.

    Those that came `again` after they were forgotten have the blob that is gone.
    """

    ids: dict[str, int]
    again: frozenset[str] = frozenset()


def store(packed: Iterable[PackedBlob]) -> dict[str, int]:
    """Store the versions not yet there; return the ids of all by hash.

    The caller holds the write lock: ids are given here, one after the other.
    """
    return store_in(0, packed).ids


def store_in(workspace_id: int, packed: Iterable[PackedBlob]) -> Kept:
    """Store versions as `store` does, but for those that a workspace has forgotten."""
    wanted = {blob.sha256: blob for blob in packed}
    known = Blob.objects.filter(sha256__in=list(wanted)).order_by("-id")
    rows = list(known.values_list("sha256", "id", "encoding"))
    is_gone = {digest: pk for digest, pk, encoding in rows if encoding == GONE}
    again = _forgotten(workspace_id, is_gone)
    ids = {digest: pk for digest, pk, encoding in rows if encoding != GONE}
    ids |= {digest: is_gone[digest] for digest in again}
    _insert([blob for digest, blob in wanted.items() if digest not in ids], ids)
    return Kept(ids, again)


def _forgotten(workspace_id: int, digests: Collection[str]) -> frozenset[str]:
    """Return those hashes whose bytes a person had forgotten in a workspace."""
    if not digests:
        return frozenset()
    left = Tombstone.objects.filter(
        workspace=workspace_id,
        kind=Tombstone.Kind.FORGOTTEN,
        sha256__in=list(digests),
    )
    return frozenset(left.values_list("sha256", flat=True))


def _insert(blobs: Sequence[PackedBlob], ids: dict[str, int]) -> None:
    newest = Blob.objects.aggregate(id=Max("id"))["id"] or 0
    rows = Rows()
    for blob in blobs:
        ids[blob.sha256] = newest = newest + 1
        rows.insert(Blob, id=newest, **_columns(blob))
    rows.flush()


def gone(digest: str, size: int) -> int:
    """Return the id of the blob that stands for bytes that are gone."""
    values = {"size": size, "data": b""}
    blob, _ = Blob.objects.get_or_create(sha256=digest, encoding=GONE, defaults=values)
    return blob.pk


def put_behind(
    blob_id: int, data: bytes, digest: str, before: Predecessor
) -> int | None:
    """Store a version anew as a tail, where it continues the one before and is smaller.

    Return how many bytes it takes then; None where it stays as it is.
    """
    packed = pack(data, digest, before)
    if packed.encoding != TAIL or packed.base_id == blob_id:
        return None
    rows = Blob.objects.filter(pk=blob_id)
    known = rows.values_list("encoding", "base_id", Length("data")).first()
    if known is None or (known[0] == TAIL and known[2] <= len(packed.data)):
        return None
    rows.update(**_columns(packed))
    return len(packed.data)


def drop(blob_ids: Collection[int]) -> None:
    """Remove stored versions that nothing refers to; those put behind them stay.

    The caller holds the write lock.
    """
    rows = Rows()
    behind = Blob.objects.filter(base__in=blob_ids).exclude(pk__in=blob_ids)
    for blob in behind.select_related("base"):
        with suppress(NoBytes):
            rows.update(Blob, blob.pk, **_columns(pack(blob_bytes(blob), blob.sha256)))
    rows.flush()
    Blob.objects.filter(base__in=blob_ids).update(base=None)
    Blob.objects.filter(pk__in=blob_ids).order_by()._raw_delete("default")


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
        Gone: they were forgotten or thinned out.
    """
    own = _Stored(
        blob.pk, blob.depth, blob.size, blob.sha256, blob.encoding, bytes(blob.data)
    )
    if blob.encoding != TAIL or blob.base_id is None:
        return _checked([own])
    return _checked([own, *_chains([blob.base_id]).get(blob.base_id, [])])


def stored_bytes(digest: str) -> bytes:
    """Return the bytes of the version with a hash.

    Raises:
        CorruptBlob: they do not have it, or there never were such bytes.
        Gone: they were forgotten or thinned out.
    """
    for chain in _chains([digest], by="sha256").values():
        return _checked(chain)
    is_gone = Blob.objects.filter(sha256=digest, encoding=GONE).exists()
    raise Gone(digest) if is_gone else CorruptBlob(digest)


def _checked(chain: Sequence[_Stored]) -> bytes:
    digest = chain[0].sha256
    if chain[0].encoding == GONE:
        raise Gone(digest)
    try:
        data = _joined(chain)
    except zlib.error as error:
        raise CorruptBlob(digest) from error
    if sha256(data).hexdigest() != digest:
        raise CorruptBlob(digest)
    return data


def bytes_by_id(blob_ids: Collection[int]) -> dict[int, bytes]:
    """Return the bytes of several versions, without those damaged or gone."""
    return _readable(_chains(blob_ids))


def bytes_by_hash(digests: Collection[str]) -> dict[str, bytes]:
    """Return the bytes of several versions, without those damaged or gone."""
    chains = _chains(digests, by="sha256").values()
    return _readable({chain[0].sha256: chain for chain in chains})


def _readable(chains: Mapping[Key, Sequence[_Stored]]) -> dict[Key, bytes]:
    found = {}
    for key, chain in chains.items():
        try:
            found[key] = _checked(chain)
        except NoBytes:
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
            f"SELECT id, id, base_id, 1 FROM {table} WHERE {by} IN ({marks})"
            f" AND encoding != '{GONE}' UNION ALL"
            f" SELECT root, b.id, b.base_id, step + 1 FROM {table} AS b, chain"
            " WHERE b.id = chain.base_id)"
            " SELECT root, b.id, depth, size, sha256, encoding, data"
            f" FROM {table} AS b, chain WHERE b.id = chain.id ORDER BY step",
            list(wanted),
        )
        for root, *stored in cursor.fetchall():
            found.setdefault(root, []).append(_Stored(*stored))
    return found
