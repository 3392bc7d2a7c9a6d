"""Streams sealed with a passphrase."""

from __future__ import annotations

from io import BytesIO

import pytest

from memoryhub.backups.sealing import (
    CHUNK,
    MAGIC,
    Damaged,
    SealedReader,
    SealedWriter,
    WrongPassphrase,
    is_sealed,
)

_TEXT = bytes(range(256)) * 600


def sealed(data: bytes, passphrase: str = "correct horse") -> bytes:
    out = BytesIO()
    writer = SealedWriter(out, passphrase)
    for begin in range(0, len(data), 10_000):
        writer.write(data[begin : begin + 10_000])
    writer.close()
    return out.getvalue()


def opened(data: bytes, passphrase: str = "correct horse") -> bytes:
    return SealedReader(BytesIO(data), passphrase).read()


@pytest.fixture(scope="module")
def stream() -> bytes:
    return sealed(_TEXT)


@pytest.mark.parametrize("size", [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK])
def test_what_was_sealed_comes_back(size: int) -> None:
    assert opened(sealed(_TEXT[:size])) == _TEXT[:size]


def test_it_is_read_in_pieces_of_any_size(stream: bytes) -> None:
    reader = SealedReader(BytesIO(stream), "correct horse")

    assert b"".join(iter(lambda: reader.read(999), b"")) == _TEXT


def test_another_passphrase_is_told(stream: bytes) -> None:
    with pytest.raises(WrongPassphrase):
        opened(stream, "correct mule")


def test_nothing_of_the_text_can_be_read(stream: bytes) -> None:
    assert is_sealed(stream) and _TEXT[:32] not in stream
    assert stream != sealed(_TEXT)


@pytest.mark.parametrize("at", [20, 21, 30, 60, CHUNK + 60, -1])
def test_a_flipped_bit_is_found(stream: bytes, at: int) -> None:
    damaged = bytearray(stream)
    damaged[at] ^= 4

    with pytest.raises((Damaged, WrongPassphrase)):
        opened(bytes(damaged))


@pytest.mark.parametrize("end", [len(MAGIC) + 19, len(MAGIC) + 19 + CHUNK + 16, -1])
def test_a_stream_that_is_cut_off_is_found(stream: bytes, end: int) -> None:
    with pytest.raises((Damaged, WrongPassphrase)):
        opened(stream[:end])


def test_chunks_cannot_change_places(stream: bytes) -> None:
    head, size = len(MAGIC) + 19, CHUNK + 16
    first, second = stream[head : head + size], stream[head + size : head + 2 * size]
    swapped = stream[:head] + second + first + stream[head + 2 * size :]

    with pytest.raises(WrongPassphrase):
        opened(swapped)


def test_a_header_cannot_ask_for_all_memory(stream: bytes) -> None:
    greedy = bytearray(stream)
    greedy[len(MAGIC)] = 63

    with pytest.raises(Damaged):
        opened(bytes(greedy))
