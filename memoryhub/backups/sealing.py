"""Encryption of a byte stream with a passphrase, in chunks.

Layout of a sealed stream: `MAGIC`, three bytes of scrypt's cost (log2 of n, r, p), 16
bytes of salt, then chunks of `CHUNK` bytes, each sealed with ChaCha20-Poly1305 (RFC
8439) under the key that scrypt (RFC 7914) makes of passphrase and salt.

The nonce is the number of the chunk and whether it is the last (the STREAM construction
of Hoang, Reyhanitabar, Rogaway and Vizar, as age uses it): chunks can be neither
reordered nor cut off. Each file has a salt, thus a key, of its own.
"""

from __future__ import annotations

import io
import os
from typing import TYPE_CHECKING, BinaryIO, Protocol

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

MAGIC = b"memoryhub-sealed-1\n"
CHUNK = 64 * 1024
_TAG = 16
_SALT = 16
_HEADER = len(MAGIC) + 3 + _SALT
#: Cost per guess: 128 MB of memory and some tenths of a second.
_COST = (17, 8, 1)
#: Maximum accepted from a file, so that no header exhausts the memory.
_MOST_COST = (20, 16, 4)


class Damaged(Exception):
    """A damaged backup: cut off, changed, or another kind of file."""


class WrongPassphrase(Exception):
    """The passphrase does not open the backup, or its first chunk is damaged."""

    def __str__(self) -> str:
        return "the passphrase is wrong, or the beginning of the backup is damaged"


class _Out(Protocol):
    def write(self, data: bytes, /) -> object: ...


class SealedWriter:
    """A writable stream that encrypts; `close` writes the last chunk."""

    def __init__(self, out: _Out, passphrase: str) -> None:
        self._out = out
        self._header = MAGIC + bytes(_COST) + os.urandom(_SALT)
        self._cipher = _cipher(self._header, passphrase)
        self._number = 0
        self._waiting = bytearray()
        out.write(self._header)

    def write(self, data: bytes) -> int:
        """Buffer bytes; encrypt whole chunks once more bytes follow."""
        self._waiting += data
        while len(self._waiting) > CHUNK:
            self._seal(bytes(self._waiting[:CHUNK]), last=False)
            del self._waiting[:CHUNK]
        return len(data)

    def flush(self) -> None:
        """Do nothing: only full chunks are written."""

    def close(self) -> None:
        """Encrypt the remaining bytes as the last chunk."""
        self._seal(bytes(self._waiting), last=True)

    def _seal(self, chunk: bytes, *, last: bool) -> None:
        nonce = _nonce(self._number, last=last)
        self._out.write(self._cipher.encrypt(nonce, chunk, self._header))
        self._number += 1


class SealedReader(io.BufferedIOBase):
    """A readable stream that decrypts; `source` is read from its beginning.

    Raises:
        Damaged: a chunk differs from what was written, or the end is missing.
        WrongPassphrase: the first chunk does not open.
    """

    def __init__(self, source: BinaryIO, passphrase: str) -> None:
        self._source = source
        self._header = source.read(_HEADER)
        self._cipher = _cipher(self._header, passphrase)
        self._number = 0
        self._sealed = source.read(CHUNK + _TAG)
        self._open = b""

    def read(self, size: int | None = -1, /) -> bytes:
        """Return up to `size` bytes, fewer only at the end; all remaining for -1."""
        parts, left = [], -1 if size is None else size
        while left and (self._open or self._next()):
            part = self._open if left < 0 else self._open[:left]
            self._open = self._open[len(part) :]
            parts.append(part)
            left -= len(part) if left > 0 else 0
        return b"".join(parts)

    def _next(self) -> bool:
        """Decrypt the next chunk; return whether it is not empty."""
        from cryptography.exceptions import InvalidTag

        if not self._sealed:
            if not self._number:
                raise Damaged("it is cut off")
            return False
        following = self._source.read(CHUNK + _TAG)
        nonce = _nonce(self._number, last=not following)
        try:
            self._open = self._cipher.decrypt(nonce, self._sealed, self._header)
        except InvalidTag as error:
            if self._number:
                raise Damaged(f"chunk {self._number} is damaged") from error
            raise WrongPassphrase from error
        self._sealed = following
        self._number += 1
        return bool(self._open)


def is_sealed(beginning: bytes) -> bool:
    """Return whether a file is sealed, by its first bytes."""
    return beginning.startswith(MAGIC)


def _cipher(header: bytes, passphrase: str) -> ChaCha20Poly1305:
    """Derive the cipher from a header and a passphrase.

    Raises:
        Damaged: the header is invalid, or demands a higher cost than any backup's.
    """
    # Imported here: every command loads this module, few use the cipher.
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
    from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

    cost = tuple(header[len(MAGIC) : len(MAGIC) + 3])
    if len(header) != _HEADER or not header.startswith(MAGIC):
        raise Damaged("its header is cut off")
    if any(not 0 < one <= most for one, most in zip(cost, _MOST_COST, strict=True)):
        raise Damaged("its header is damaged")
    kdf = Scrypt(salt=header[-_SALT:], length=32, n=1 << cost[0], r=cost[1], p=cost[2])
    return ChaCha20Poly1305(kdf.derive(passphrase.encode("utf-8", "surrogateescape")))


def _nonce(number: int, *, last: bool) -> bytes:
    return number.to_bytes(11, "big") + bytes([last])
