"""Whether an interrupted write reached its file, told by three versions of it. Pure.

`before` is the file as the operation found it, `after` as it would leave it, `now` as
it is; None is for no file. Other programs may have written in between.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import Enum, auto

from memoryhub.disk.additions import standing


class Fate(Enum):
    """What became of a write."""

    WRITTEN = auto()
    PARTLY = auto()
    UNWRITTEN = auto()
    UNKNOWN = auto()


@dataclass(frozen=True, slots=True)
class Landing:
    """What became of a write, and the versions that the file had because of it.

    `found` is the version that it was written to, with what others added since it was
    read; `written` is that version with ours.
    """

    fate: Fate
    found: bytes | None = None
    written: bytes | None = None


def landing_of(before: bytes | None, after: bytes | None, now: bytes | None) -> Landing:
    """Return what became of the write that makes `after` of `before`."""
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
    """Look for what was added: where it was put, or behind what others added first.

    In a file that others wrote anew it is counted instead.
    """
    base = before or b""
    added = after[len(base) :]
    if not now.startswith(base):
        is_there = now.count(added) > base.count(added)
        fate = Fate.WRITTEN if is_there else Fate.UNWRITTEN
        return Landing(fate, before, after)
    there = standing(now, added, len(base))
    if there is None or (before is None and there.size < len(added)):
        return Landing(Fate.UNWRITTEN)
    end = there.begin + there.size
    found = now[: there.begin] if there.begin else before
    if there.size == len(added):
        return Landing(Fate.WRITTEN, found, now[:end])
    # Others may have gone on behind the part: it is made whole where it is.
    whole = now[: there.begin] + added + now[end:]
    return Landing(Fate.PARTLY, now[: there.begin] + now[end:], whole)


def _has_changes(before: bytes, after: bytes, now: bytes) -> bool:
    """Tell whether a file has the lines a write puts in, and not those it drops."""
    old, new, found = map(_lines_of, (before, after, now))
    gained, lost = new - old, old - new
    if not gained and not lost:
        return False
    has_gained = all(found[line] >= new[line] for line in gained)
    return has_gained and all(found[line] <= new[line] for line in lost)


def _lines_of(data: bytes) -> Counter[bytes]:
    return Counter(line.strip() for line in data.splitlines())
