"""Where an addition stands in a file, also one that a kill has cut. Pure."""

from __future__ import annotations

from typing import NamedTuple

#: An addition of so many bytes is ours also where it begins in the middle of a line.
_UNMISTAKABLE = 24
#: A write that was cut ends where a block of the disk does; blocks have multiples of
#: so many bytes.
_BLOCK = 512


class Standing(NamedTuple):
    """So many bytes of an addition stand at a place of a file."""

    begin: int
    size: int


def standing(data: bytes, addition: bytes, at: int) -> Standing | None:
    """Return where an addition stands at a place of a file or behind it, and how much.

    Others may have appended before it and after it. None where it does not stand there.
    """
    place = data.find(addition, at)
    while place >= 0 and not _begins_there(data, addition, at, place):
        place = data.find(addition, place + 1)
    if place >= 0:
        return Standing(place, len(addition))
    return _cut(data, addition, at)


def _begins_there(data: bytes, addition: bytes, at: int, place: int) -> bool:
    """Tell whether an addition is not just the tail of somebody's longer line."""
    if place == at or addition.startswith(b"\n") or data[place - 1 : place] == b"\n":
        return True
    return len(addition) >= _UNMISTAKABLE


def _cut(data: bytes, addition: bytes, at: int) -> Standing | None:
    """Look for the first part of an addition, as a write that was cut leaves it."""
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
    """Return how many first bytes two texts share, by halving."""
    low, high = 0, min(len(data), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if data[:middle] == other[:middle]:
            low = middle
        else:
            high = middle - 1
    return low
