"""Pages and cells of a damaged SQLite file, including its write-ahead log.

SQLite gives up at the first damaged page; the others can still be read. Format:
https://sqlite.org/fileformat2.html. Read-only.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

LEAF, INTERIOR = 13, 5
_DEFAULT_SIZE = 4096
_HEADER = 100
#: Offset of ``PRAGMA user_version``.
_VERSION = 60
_LOG_HEADER, _FRAME_HEADER = 32, 24
_LOG_MAGIC = 0x377F0682
#: Upper bound of cells on a page of 64 kB.
_MOST_CELLS = 65_536 // 4

Value: TypeAlias = int | float | str | bytes | None
Row: TypeAlias = tuple[int, tuple[Value, ...]]


class Unreadable(Exception):
    """A page or a cell is damaged."""


class Pages:
    """The pages of a database as of its last transaction, read-only."""

    def __init__(self, database: Path) -> None:
        self._file = database.open("rb")
        self._data = mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ)
        header = self._data[:_HEADER]
        size = int.from_bytes(header[16:18], "big")
        size = 65_536 if size == 1 else size
        whole = size >= 512 and not size & (size - 1) and header.startswith(b"SQLite")
        self.size = size if whole else _DEFAULT_SIZE
        log = database.with_name(f"{database.name}-wal")
        self._newer = _logged(log.read_bytes(), self.size) if log.exists() else {}
        in_file = -(-len(self._data) // self.size)
        self.count = max([in_file, *self._newer])

    @property
    def version(self) -> int:
        """The number that the hub stored for its migrations; 0 if it is unreadable."""
        try:
            return _u32(self[1], _VERSION)
        except Unreadable:
            return 0

    def close(self) -> None:
        """Close the file."""
        self._data.close()
        self._file.close()

    def __getitem__(self, number: int) -> bytes:
        """Return a page by its number, from 1.

        Raises:
            Unreadable: the page is missing.
        """
        if number in self._newer:
            return self._newer[number]
        begin = (number - 1) * self.size
        page = self._data[begin : begin + self.size] if number > 0 else b""
        if len(page) != self.size:
            raise Unreadable(f"page {number} is missing")
        return page

    def children(self, number: int) -> list[int]:
        """Return the child pages of an interior page of a table."""
        page, begin = self[number], _begin(number)
        if page[begin] != INTERIOR:
            raise Unreadable(f"page {number} is none of a table")
        cells = _cells(page, begin, 12)
        found = [_u32(page, at) for at in cells if at + 4 <= self.size]
        return [*found, _u32(page, begin + 8)]

    def is_leaf(self, number: int) -> bool:
        """Return whether a page is a leaf page of a table."""
        return self[number][_begin(number)] == LEAF

    def leaf(self, number: int) -> tuple[list[Row], int]:
        """Return the rows of a leaf page, and the number of unreadable cells."""
        page, begin = self[number], _begin(number)
        if page[begin] != LEAF:
            raise Unreadable(f"page {number} holds no rows")
        rows, lost = [], 0
        for at in _cells(page, begin, 8):
            try:
                rows.append(self._row(page, at))
            except (Unreadable, IndexError, struct.error, UnicodeDecodeError):
                lost += 1
        return rows, lost

    def free(self) -> set[int]:
        """Return the pages of the free list, which hold deleted data."""
        found: set[int] = set()
        try:
            trunk = _u32(self[1], 32)
            while trunk and trunk not in found:
                found.add(trunk)
                page = self[trunk]
                leaves = min(_u32(page, 4), self.size // 4 - 2)
                found.update(_u32(page, 8 + 4 * n) for n in range(leaves))
                trunk = _u32(page, 0)
        except Unreadable:
            pass
        return found

    def _row(self, page: bytes, at: int) -> Row:
        size, at = _varint(page, at)
        rowid, at = _varint(page, at)
        return _signed(rowid), _record(self._payload(page, at, size))

    def _payload(self, page: bytes, at: int, size: int) -> bytes:
        """Return a payload including its overflow pages."""
        most, least = self.size - 35, (self.size - 12) * 32 // 255 - 23
        if size <= most:
            return _part(page, at, size)
        here = least + (size - least) % (self.size - 4)
        here = here if here <= most else least
        parts, left = [_part(page, at, here)], size - here
        following, seen = _u32(page, at + here), set[int]()
        while left:
            if following in seen or not following:
                raise Unreadable("a chain of pages is broken")
            seen.add(following)
            more = self[following]
            parts.append(more[4 : 4 + left])
            left -= len(parts[-1])
            following = _u32(more, 0)
        return b"".join(parts)


def _begin(number: int) -> int:
    return _HEADER if number == 1 else 0


def _u32(page: bytes, at: int) -> int:
    if at + 4 > len(page):
        raise Unreadable("a number leaves its page")
    return int.from_bytes(page[at : at + 4], "big")


def _cells(page: bytes, begin: int, header: int) -> list[int]:
    count = int.from_bytes(page[begin + 3 : begin + 5], "big")
    end = begin + header + 2 * count
    if count > _MOST_CELLS or end > len(page):
        raise Unreadable("a page has too many cells")
    return list(struct.unpack(f">{count}H", page[begin + header : end]))


def _part(page: bytes, at: int, size: int) -> bytes:
    if at + size > len(page):
        raise Unreadable("a cell leaves its page")
    return page[at : at + size]


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for _ in range(8):
        byte = data[at]
        at += 1
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at
    return value << 8 | data[at], at + 1


def _signed(value: int) -> int:
    return value - (1 << 64) if value >> 63 else value


_INTEGERS = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}


def _record(data: bytes) -> tuple[Value, ...]:
    """Decode the values of a record.

    Raises:
        Unreadable: the values do not fill it exactly.
    """
    end, at = _varint(data, 0)
    kinds = []
    while at < end:
        kind, at = _varint(data, at)
        kinds.append(kind)
    values = []
    for kind in kinds:
        value, at = _value(data, kind, at)
        values.append(value)
    if at != len(data) or not kinds:
        raise Unreadable("a record is damaged")
    return tuple(values)


def _value(data: bytes, kind: int, at: int) -> tuple[Value, int]:
    if kind == 0:
        return None, at
    if kind in _INTEGERS:
        size = _INTEGERS[kind]
        return int.from_bytes(_part(data, at, size), "big", signed=True), at + size
    if kind == 7:
        return struct.unpack(">d", _part(data, at, 8))[0], at + 8
    if kind in (8, 9):
        return kind - 8, at
    if kind < 12:
        raise Unreadable("a value is of no kind")
    size = (kind - 12) // 2
    part = _part(data, at, size)
    return (part.decode() if kind % 2 else part), at + size


def _logged(log: bytes, size: int) -> dict[int, bytes]:
    """Return the newest pages written by a log's committed transactions."""
    if len(log) < _LOG_HEADER or struct.unpack(">I", log[:4])[0] & ~1 != _LOG_MAGIC:
        return {}
    order = ">" if log[3] & 1 else "<"
    salts, sums = log[16:24], _sums(log[:24], order, (0, 0))
    if struct.pack(">II", *sums) != log[24:32]:
        return {}
    done: dict[int, bytes] = {}
    pending: dict[int, bytes] = {}
    for head, page in _frames(log, size):
        sums = _sums(page, order, _sums(head[:8], order, sums))
        if head[8:16] != salts or struct.pack(">II", *sums) != head[16:24]:
            break
        pending[_u32(head, 0)] = page
        if _u32(head, 4):
            done |= pending
            pending = {}
    return done


def _frames(log: bytes, size: int) -> Iterator[tuple[bytes, bytes]]:
    step = _FRAME_HEADER + size
    for at in range(_LOG_HEADER, len(log) - step + 1, step):
        yield log[at : at + _FRAME_HEADER], log[at + _FRAME_HEADER : at + step]


def _sums(data: bytes, order: str, sums: tuple[int, int]) -> tuple[int, int]:
    """Continue the running checksum of a log over some bytes."""
    first, second = sums
    for one, two in struct.iter_unpack(f"{order}II", data):
        first = (first + one + second) & 0xFFFFFFFF
        second = (second + two + first) & 0xFFFFFFFF
    return first, second
