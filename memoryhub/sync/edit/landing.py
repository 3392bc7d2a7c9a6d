"""Outcome of an interrupted write, derived from three versions of its file. Pure.

`before` is the file as the operation found it, `after` as it would leave it, `now` as
it is; None for no file. Other programs may have written in between.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import Enum, auto

from memoryhub.disk.files import find_addition


class Fate(Enum):
    """Outcome of a write."""

    WRITTEN = auto()
    PARTLY = auto()
    UNWRITTEN = auto()
    UNKNOWN = auto()


@dataclass(frozen=True, slots=True)
class Landing:
    """Outcome of a write, with the file versions around it.

    `found` is the version that was written to, including what others added since it was
    read; `written` is that version with our change.
    """

    fate: Fate
    found: bytes | None = None
    written: bytes | None = None


def landing_of(before: bytes | None, after: bytes | None, now: bytes | None) -> Landing:
    """Determine the outcome of the write that turns `before` into `after`."""
    if now == after:
        return Landing(Fate.WRITTEN, before, after)
    if now == before:
        return Landing(Fate.UNWRITTEN)
    if now is None or after is None:
        return Landing(Fate.UNKNOWN)
    if after.startswith(before or b""):
        return _addition(before, after, now)
    if _has_changes(before or b"", after, now):
        return Landing(Fate.WRITTEN, before, after)
    return Landing(Fate.UNKNOWN)


def _addition(before: bytes | None, after: bytes, now: bytes) -> Landing:
    """Locate an addition at its place, or behind what others added first.

    In a file that others rewrote, its occurrences are counted instead.
    """
    base = before or b""
    added = after[len(base) :]
    if not now.startswith(base):
        is_there = now.count(added) > base.count(added)
        fate = Fate.WRITTEN if is_there else Fate.UNWRITTEN
        return Landing(fate, before, after)
    there = find_addition(now, added, len(base))
    if there is None or (before is None and there.size < len(added)):
        return Landing(Fate.UNWRITTEN)
    end = there.begin + there.size
    found = now[: there.begin] if there.begin else before
    if there.size == len(added):
        return Landing(Fate.WRITTEN, found, now[:end])
    # Others may have appended behind the part: it is completed in place.
    whole = now[: there.begin] + added + now[end:]
    return Landing(Fate.PARTLY, now[: there.begin] + now[end:], whole)


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
