"""Which messages belong together: a tool's use and its result are never parted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate

from memoryhub.compaction.messages import Message, ToolResult


def clean_starts(messages: Sequence[Message]) -> list[bool]:
    """Tell of each place whether no pair is parted by keeping what is from there on.

    A result that names no use goes with the message before it; one whose use is
    nowhere goes alone. There is one place more than messages: nothing is kept.
    """
    newest_first = list(_partners(messages))[::-1]
    earliest = list(accumulate(newest_first, min, initial=len(messages)))[::-1]
    return [first >= at for at, first in enumerate(earliest)]


def whole_pairs(messages: Sequence[Message], start: int) -> int:
    """Return the last place at or before `start` from which on no pair is parted."""
    clean = clean_starts(messages)
    return next(at for at in range(start, -1, -1) if clean[at])


def _partners(messages: Sequence[Message]) -> Iterator[int]:
    """Give for each message the place of the first use whose result it holds."""
    uses: dict[str, int] = {}
    for at, message in enumerate(messages):
        uses |= {use.id: at for use in message.uses}
        yield min((_use(result, at, uses) for result in message.results), default=at)


def _use(result: ToolResult, at: int, uses: dict[str, int]) -> int:
    return uses.get(result.id, at) if result.id else max(at - 1, 0)
