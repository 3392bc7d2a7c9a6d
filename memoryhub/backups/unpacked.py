"""Declaration of a backup's unpacked size, and tar headers of bounded size.

The declaration ends the gzip stream. It is an empty member with an extra field (RFC
1952, section 2.3.1.1) of eight bytes, like the end of a bgzip file: programs that
unpack the archive skip it, and it can be read before everything else.
"""

from __future__ import annotations

import tarfile
from typing import Self

from memoryhub.backups.sealing import Damaged

#: Header with flag FEXTRA, and an extra field of 12 bytes whose subfield is ``MH``.
_BEFORE = bytes.fromhex("1f8b0804 00000000 00ff 0c00") + b"MH\x08\x00"
#: No bytes, their checksum and their number.
_BEHIND = b"\x03\x00" + bytes(8)
_NUMBER = 8
DECLARATION = len(_BEFORE) + _NUMBER + len(_BEHIND)
#: Unit of allocation of most file systems.
_BLOCK = 4096
_MOST_HEADER = 1024**2
_HEADERS = (
    tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE,
    tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK,
)  # fmt: skip


def room_of(size: int) -> int:
    """Return the bytes of disk that a file of a size takes, with its name, at most."""
    return (size // _BLOCK + 1) * _BLOCK


def declaration(room: int) -> bytes:
    """Format the bytes of disk that a backup's files take, as the end of a stream."""
    return _BEFORE + room.to_bytes(_NUMBER, "little") + _BEHIND


def declared_in(end: bytes) -> int | None:
    """Parse the last bytes of a stream; None for no declaration."""
    number = end[len(_BEFORE) : -len(_BEHIND)]
    if len(end) != DECLARATION or end != _BEFORE + number + _BEHIND:
        return None
    return int.from_bytes(number, "little")


class BoundedEntry(tarfile.TarInfo):
    """An entry of a tar; one of extended headers is read into memory, so it is small.

    Raises:
        Damaged: it is too large, or has a negative size.
    """

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        entry = super().frombuf(buf, encoding, errors)
        if entry.size < 0 or (entry.type in _HEADERS and entry.size > _MOST_HEADER):
            raise Damaged(f"a header of it has {entry.size} bytes")
        return entry
