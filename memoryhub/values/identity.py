"""Derived row ids: equal facts give equal ids in every hub and after a rebuild."""

from __future__ import annotations

from hashlib import blake2b
from uuid import NAMESPACE_URL, UUID, uuid5

#: Crockford's alphabet in lower case: no i, l, o, u, so an id read aloud is
#: unambiguous.
_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_DIGITS = {digit: value for value, digit in enumerate(_ALPHABET)}
_CODE_LENGTH = 13
_SEPARATOR = "\x1f"
#: Rows created at a point of the journal have its seq in their high bits, so that
#: SQLite appends them to its tables instead of scattering them: three times as fast at
#: 240,000 rows. 47 bits of hash remain, separate for every 16 seqs.
_SEQ_BITS, _SEQ_STEP, _HASH_BITS = 16, 4, 47
_HASH_MASK = (1 << _HASH_BITS) - 1
#: Odd, so that ordinals do not collide; large, so that neighbours are far apart.
_STRIDE = 0x5851F42D4C95


def workspace_uuid(location: str) -> UUID:
    """Derive the uuid of the workspace at a location, such as a file URI."""
    return uuid5(NAMESPACE_URL, location)


def derive(workspace: bytes, kind: str, *key: object) -> int:
    """Derive the 63-bit id of a row from its kind and natural key."""
    return _hash(workspace, kind, key) >> 1


def derive_at(workspace: bytes, seq: int, kind: str, *key: object) -> int:
    """Derive the 63-bit id of a row whose natural key has its first seq."""
    return nth_id(derive_run(workspace, seq, kind, *key), 0)


def derive_run(workspace: bytes, seq: int, kind: str, *key: object) -> int:
    """Derive the base of the ids of rows created together, see `nth_id`."""
    high = (seq >> _SEQ_STEP) & ((1 << _SEQ_BITS) - 1)
    low = _hash(workspace, kind, (seq, *key)) >> (64 - _HASH_BITS)
    return high << _HASH_BITS | low


def nth_id(base: int, ordinal: int) -> int:
    """Return the id of the n-th of rows created together."""
    low = (base + ordinal * _STRIDE) & _HASH_MASK
    return base & ~_HASH_MASK | low


def _hash(workspace: bytes, kind: str, key: tuple[object, ...]) -> int:
    name = _SEPARATOR.join((kind, *map(str, key))).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(workspace + name, digest_size=8).digest(), "big")


def code_of(row_id: int) -> str:
    """Encode an id as its 13 characters in URLs."""
    digits = []
    for _ in range(_CODE_LENGTH):
        row_id, digit = divmod(row_id, 32)
        digits.append(_ALPHABET[digit])
    return "".join(reversed(digits))


def id_of(code: str) -> int:
    """Decode the id of a code.

    Raises:
        ValueError: it is not a code.
    """
    if len(code) != _CODE_LENGTH:
        raise ValueError(code)
    row_id = 0
    for digit in code:
        if digit not in _DIGITS:
            raise ValueError(code)
        row_id = row_id * 32 + _DIGITS[digit]
    return row_id
