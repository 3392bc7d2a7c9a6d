"""Location of an addition in a file, complete or cut by a kill. Pure."""

from __future__ import annotations

from typing import NamedTuple

#: Bytes from which an addition is recognised even within a line.
_UNMISTAKABLE = 24
#: Bytes: an interrupted write ends at a block boundary of the disk; block sizes are
#: multiples of this.
_BLOCK = 512


class Standing(NamedTuple):
    """Place of an addition in a file, and the number of its bytes found there."""

    begin: int
    size: int


def standing(data: bytes, addition: bytes, at: int) -> Standing | None:
    """Find an addition at an offset of a file or behind it, complete or cut.

    Others may have appended before and after it. None if it is not found.
    """
    place = data.find(addition, at)
    while place >= 0 and not _begins_there(data, addition, at, place):
        place = data.find(addition, place + 1)
    if place >= 0:
        return Standing(place, len(addition))
    return _cut(data, addition, at)


def _begins_there(data: bytes, addition: bytes, at: int, place: int) -> bool:
    """Return whether a match is a separate addition, not the tail of a longer line."""
    if place == at or addition.startswith(b"\n") or data[place - 1 : place] == b"\n":
        return True
    return len(addition) >= _UNMISTAKABLE


def _cut(data: bytes, addition: bytes, at: int) -> Standing | None:
    """Find the first part of an addition, as left by an interrupted write."""
    first = addition[:_UNMISTAKABLE]
    place = at
    while 0 <= place < len(data):
        size = _common(data[place : place + len(addition)], addition)
        end = place + size
        is_last = place == at and end == len(data)
        if size and (is_last or (size >= _UNMISTAKABLE and end % _BLOCK == 0)):
            return Standing(place, size)
        place = data.find(first, place + 1)
    return None


def _common(data: bytes, other: bytes) -> int:
    """Return the length of the common prefix, by bisection."""
    low, high = 0, min(len(data), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if data[:middle] == other[:middle]:
            low = middle
        else:
            high = middle - 1
    return low
