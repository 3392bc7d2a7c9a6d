"""Whether a write is in a file, by its versions before and after and its bytes now.

Pure. Other programs may have written before, behind or around it.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

#: Bytes from which an addition is recognised even within a line.
_UNMISTAKABLE = 24
#: Bytes: an interrupted write ends at a block boundary of the disk; block sizes are
#: multiples of this.
_BLOCK = 512


class Landing(NamedTuple):
    """A write that is in a file, with the versions around it.

    `found` is the version that was written to, including what others added since it was
    read; `written` is that version with our change. `is_part`: only the beginning of an
    addition is in the file, which is still to become `written`.
    """

    found: bytes | None
    written: bytes | None
    is_part: bool = False


def landing_of(
    before: bytes | None, after: bytes | None, now: bytes | None
) -> Landing | None:
    """Find the write that makes `before` into `after`; None if it is not there."""
    if now == after:
        return Landing(before, after)
    if now == before or now is None or after is None:
        return None
    if after.startswith(before or b""):
        return _addition(before, after, now)
    return Landing(before, after) if _has_changes(before or b"", after, now) else None


def _addition(before: bytes | None, after: bytes, now: bytes) -> Landing | None:
    """Locate an addition at its place, or after additions of other programs.

    In a file that others rewrote, its occurrences are counted instead.
    """
    base = before or b""
    added = after[len(base) :]
    if not now.startswith(base):
        is_there = now.count(added) > base.count(added)
        return Landing(before, after) if is_there else None
    there = find_addition(now, added, len(base))
    if there is None or (before is None and there.size < len(added)):
        return None
    end = there.begin + there.size
    found = now[: there.begin] if there.begin else before
    if there.size == len(added):
        return Landing(found, now[:end])
    # Others may have appended behind the part: it is completed in place.
    whole = now[: there.begin] + added + now[end:]
    return Landing(now[: there.begin] + now[end:], whole, is_part=True)


def _has_changes(before: bytes, after: bytes, now: bytes) -> bool:
    """Return whether a file has a write's added lines, and not its dropped ones."""
    old, new, found = map(_lines_of, (before, after, now))
    gained, lost = new - old, old - new
    if not gained and not lost:
        return False
    has_gained = all(found[line] >= new[line] for line in gained)
    return has_gained and all(found[line] <= new[line] for line in lost)


def _lines_of(data: bytes) -> Counter[bytes]:
    return Counter(line.strip() for line in data.splitlines())


class Addition(NamedTuple):
    """Place of an addition in a file, and the number of its bytes found there."""

    begin: int
    size: int


def find_addition(data: bytes, addition: bytes, at: int) -> Addition | None:
    """Find an addition at an offset of a file or behind it, complete or cut.

    Others may have appended before and after it. None if it is not found.
    """
    place = data.find(addition, at)
    while place >= 0 and not _begins_there(data, addition, at, place):
        place = data.find(addition, place + 1)
    if place >= 0:
        return Addition(place, len(addition))
    return _cut(data, addition, at)


def _begins_there(data: bytes, addition: bytes, at: int, place: int) -> bool:
    """Return whether a match is a separate addition, not the tail of a longer line."""
    if place == at or addition.startswith(b"\n") or data[place - 1 : place] == b"\n":
        return True
    return len(addition) >= _UNMISTAKABLE


def _cut(data: bytes, addition: bytes, at: int) -> Addition | None:
    """Find the first part of an addition, as left by an interrupted write."""
    first = addition[:_UNMISTAKABLE]
    place = at
    while 0 <= place < len(data):
        size = _common(data[place : place + len(addition)], addition)
        end = place + size
        is_last = place == at and end == len(data)
        if size and (is_last or (size >= _UNMISTAKABLE and end % _BLOCK == 0)):
            return Addition(place, size)
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
