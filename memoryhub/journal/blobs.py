"""The journal's bytes: each version of each file, stored once by hash."""

from __future__ import annotations

import zlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from typing import NamedTuple, TypeVar

from django.db import connection
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
from memoryhub.journal.prepared import Prepared
from memoryhub.journal.rows import Row, Rows, table_of

Key = TypeVar("Key", int, str)


class _Stored(NamedTuple):
    """A stored version's own row, without the chain of its base versions."""

    id: int
    depth: int
    size: int
    sha256: str
    encoding: str
    data: bytes


class NoBytes(Exception):
    """The bytes of a version cannot be read; the argument is its hash.

    NoBytes
    +-- CorruptBlob    they do not have the hash they were stored under
    +-- Gone           they were forgotten or thinned out; a tombstone names the reason
    """


class CorruptBlob(NoBytes):
    """The stored bytes do not match the version's hash."""


class Gone(NoBytes):
    """The version was forgotten or thinned out: only hash and size remain."""

    def __str__(self) -> str:
        return f"the bytes of version {self.args[0][:12]} are gone"


def predecessor(digest: str) -> Predecessor | None:
    """Load a stored version as the base of the next one's tail.

    None for an unknown or unreadable version.
    """
    for chain in _chains([digest], by="sha256").values():
        with suppress(NoBytes):
            links = (Ancestor(link.id, link.depth, link.size) for link in chain)
            return Predecessor(_checked(chain), tuple(links))
    return None


def store(packed: Iterable[PackedBlob]) -> dict[str, int]:
    """Store new versions; return the blob ids of all by hash.

    The caller holds the write lock: ids are assigned here in sequence.
    """
    return store_in(0, packed)[0]


def store_in(
    workspace_id: int, packed: Iterable[PackedBlob]
) -> tuple[dict[str, int], frozenset[str]]:
    """Store versions like `store`, except those forgotten in a workspace.

    Return the blob ids of all by hash, and the hashes of those that came again after
    being forgotten: their blob has no bytes.
    """
    wanted = {blob.sha256: blob for blob in packed}
    rows = _known(list(wanted))
    is_gone = {digest: pk for digest, pk, encoding in rows if encoding == GONE}
    again = _forgotten(workspace_id, is_gone)
    ids = {digest: pk for digest, pk, encoding in rows if encoding != GONE}
    ids |= {digest: is_gone[digest] for digest in again}
    _insert([blob for digest, blob in wanted.items() if digest not in ids], ids)
    return ids, again


def _known(digests: Sequence[str]) -> Sequence[tuple[str, int, str]]:
    """Return hash, id and encoding of the stored blobs of these hashes."""
    if len(digests) == 1:
        return _OF_HASH(digests[0])
    known = Blob.objects.filter(sha256__in=digests).order_by("-id")
    return list(known.values_list("sha256", "id", "encoding"))


_OF_HASH: Prepared[tuple[str, int, str]] = Prepared(
    lambda digest: (
        Blob.objects.filter(sha256=digest)
        .order_by("-id")
        .values_list("sha256", "id", "encoding")
    ),
    str,
)
_NEWEST: Prepared[int] = Prepared(
    lambda: Blob.objects.order_by("-id").values_list("id", flat=True)[:1]
)


def _forgotten(workspace_id: int, digests: Collection[str]) -> frozenset[str]:
    """Return the hashes whose bytes a person had forgotten in a workspace."""
    if not digests:
        return frozenset()
    left = Tombstone.objects.filter(
        workspace=workspace_id,
        kind=Tombstone.Kind.FORGOTTEN,
        sha256__in=list(digests),
    )
    return frozenset(left.values_list("sha256", flat=True))


def _insert(blobs: Sequence[PackedBlob], ids: dict[str, int]) -> None:
    newest = next(iter(_NEWEST()), 0)
    rows = Rows()
    for blob in blobs:
        ids[blob.sha256] = newest = newest + 1
        rows.insert(Blob, id=newest, **_columns(blob))
    rows.flush()


def gone(digest: str, size: int) -> int:
    """Return the id of the blob without bytes for a hash; create it if needed."""
    values = {"size": size, "data": b""}
    blob, _ = Blob.objects.get_or_create(sha256=digest, encoding=GONE, defaults=values)
    return blob.pk


def put_behind(
    blob_id: int, data: bytes, digest: str, before: Predecessor
) -> int | None:
    """Repack a version as a tail if it continues its predecessor and gets smaller.

    Return its new stored size in bytes; None if unchanged.
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
    """Delete unreferenced blobs; versions based on them are repacked as whole ones.

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
    """Read the bytes of a version.

    Raises:
        CorruptBlob: the bytes do not match their hash.
        Gone: they were forgotten or thinned out.
    """
    own = _Stored(
        blob.pk, blob.depth, blob.size, blob.sha256, blob.encoding, bytes(blob.data)
    )
    if blob.encoding != TAIL or blob.base_id is None:
        return _checked([own])
    return _checked([own, *_chains([blob.base_id]).get(blob.base_id, [])])


def stored_bytes(digest: str) -> bytes:
    """Read the bytes of the version with a hash.

    Raises:
        CorruptBlob: the bytes do not match the hash, or none were ever stored.
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
    """Read several versions by blob id; damaged and gone ones are left out."""
    return _readable(_chains(blob_ids))


def bytes_by_hash(digests: Collection[str]) -> dict[str, bytes]:
    """Read several versions by hash; damaged and gone ones are left out."""
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
    """Join a version's bytes from its chain, which has the newest tail first."""
    *tails, whole = chain
    data = whole.data
    if whole.encoding == DEFLATE:
        data = zlib.decompress(data)
    return b"".join([data, *(zlib.decompress(tail.data) for tail in reversed(tails))])


def _chains(
    wanted: Collection[int] | Collection[str], *, by: str = "id"
) -> dict[int, list[_Stored]]:
    """Load versions with their chains of base versions, in one query."""
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
