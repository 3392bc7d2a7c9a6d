"""Merge of a handoff's two files. Pure.

A line that only one file has is inserted into the other at its place: after the lines
that precede it, and after earlier ones by time. Nothing is removed.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Iterable, Sequence
from datetime import datetime
from typing import NamedTuple, TypeVar

Item = TypeVar("Item", bound=Hashable)


class Placed(NamedTuple):
    """An insertion: position in the file, and index in the merged list."""

    place: int
    item: int


class _Seen:
    """Positions of one side's items; each of several equal items matches once."""

    def __init__(self, items: Iterable[Hashable]) -> None:
        self._places: defaultdict[Hashable, deque[int]] = defaultdict(deque)
        for place, item in enumerate(items):
            self._places[item].append(place)

    def take(self, item: Hashable) -> int | None:
        places = self._places.get(item)
        return places.popleft() if places else None


def together(
    leading: Sequence[Item],
    other: Sequence[Item],
    at: Callable[[Item], datetime | None],
) -> list[Item]:
    """Merge two sides; where times do not decide, `leading` goes first."""
    seen, found, done = _Seen(leading), list[Item](), 0
    for item in other:
        place, when = seen.take(item), at(item)
        if place is not None:
            found += leading[done : place + 1]
            done = max(done, place + 1)
            continue
        while done < len(leading) and _not_after(at(leading[done]), when):
            found.append(leading[done])
            done += 1
        found.append(item)
    return [*found, *leading[done:]]


def _not_after(first: datetime | None, second: datetime | None) -> bool:
    return first is not None and second is not None and first <= second


def lacking(own: Sequence[Item], whole: Sequence[Item]) -> list[Placed]:
    """Return the insertions that turn one side into the merged list, in order."""
    seen, found, place = _Seen(own), list[Placed](), 0
    for index, item in enumerate(whole):
        known = seen.take(item)
        if known is None:
            found.append(Placed(place + len(found), index))
        else:
            place = max(place, known + 1)
    return found
