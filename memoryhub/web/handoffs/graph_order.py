"""Order of the waiting graph: longest chain, columns from left to right; pure.

Waits that would close a circle are ignored.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

#: Kinds of waits, most urgent first: in a circle, for a person, in the longest chain,
#: any other.
DEADLOCK, FOR_PERSON, LONGEST, PLAIN = "bad", "you", "hot", ""


class Tie(NamedTuple):
    """A wait of one name for another: its duration in words and its kind."""

    waiting: str
    on: str
    label: str
    kind: str = PLAIN


def longest_chain(ties: Iterable[Tie]) -> tuple[str, ...]:
    """Return the longest chain of waiting names, without circles."""
    ahead = _ahead(ties)
    best: dict[str, tuple[str, ...]] = {}
    for name in reversed(_in_order(ahead)):
        ways = [best.get(on, (on,)) for on in ahead.get(name, ())]
        best[name] = (name, *max(ways, key=len, default=()))
    return max(best.values(), key=len, default=())


def columns_of(ties: Sequence[Tie]) -> dict[str, int]:
    """Return the column of each name: right of all names that wait for it."""
    ahead = _ahead(ties)
    columns: dict[str, int] = {}
    for name in _in_order(ahead):
        own = columns.setdefault(name, 0)
        for on in ahead.get(name, ()):
            columns[on] = max(columns.get(on, 0), own + 1)
    return columns


def _ahead(ties: Iterable[Tie]) -> dict[str, list[str]]:
    """Return the waits as adjacency lists, without those that close a circle."""
    ahead: dict[str, list[str]] = defaultdict(list)
    for tie in ties:
        if tie.on not in ahead[tie.waiting] and not _leads(ahead, tie.on, tie.waiting):
            ahead[tie.waiting].append(tie.on)
    return dict(ahead)


def _leads(ahead: Mapping[str, Sequence[str]], start: str, end: str) -> bool:
    """Return whether waits lead from `start` to `end`; true if both are the same."""
    todo, seen = [start], {start}
    while todo:
        name = todo.pop()
        if name == end:
            return True
        further = set(ahead.get(name, ())) - seen
        seen |= further
        todo += further
    return False


def _in_order(ahead: Mapping[str, Sequence[str]]) -> list[str]:
    """Sort the names topologically: each before the names it waits for."""
    waited = {on for found in ahead.values() for on in found}
    left = dict.fromkeys(sorted({*ahead} | waited), 0)
    for found in ahead.values():
        for on in found:
            left[on] += 1
    ready, ordered = [name for name, n in left.items() if not n], []
    while ready:
        ordered.append(name := ready.pop(0))
        for on in ahead.get(name, ()):
            left[on] -= 1
            if not left[on]:
                ready.append(on)
    return ordered
