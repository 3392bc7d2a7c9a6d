"""The lines of versions as indexed, with an in-memory LRU cache.

A version is identified by the hash of its bytes, so cached lines are never stale.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection
from contextlib import suppress

from memoryhub.formats.text.decoding import decode
from memoryhub.journal.blobs import bytes_by_hash

#: Limit of cached versions per process, and of their size in bytes: while a word is
#: typed, the search runs again for every letter.
_MOST, _LARGE = 400, 50_000
_kept: OrderedDict[str, list[str]] = OrderedDict()


def lines_of(versions: Collection[str]) -> dict[str, list[str]]:
    """Return the lines of versions by their hashes, without damaged ones."""
    found = {}
    for sha256 in versions:
        with suppress(KeyError):  # another thread may evict it at any time
            found[sha256] = _kept[sha256]
            _kept.move_to_end(sha256)
    read = bytes_by_hash(set(versions) - found.keys())
    for sha256, data in read.items():
        found[sha256] = _lines(data)
        if len(data) < _LARGE:
            _kept[sha256] = found[sha256]
    while len(_kept) > _MOST:
        _kept.popitem(last=False)
    return found


def _lines(data: bytes) -> list[str]:
    text = decode(data).text
    if "\r" not in text:
        return text.split("\n")
    return [line.removesuffix("\r") for line in text.split("\n")]
