"""Pairs of a tool's use and its result, which compaction never splits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate

from memoryhub.compaction.messages import Message, ToolResult


def clean_starts(messages: Sequence[Message]) -> list[bool]:
    """Return for each index whether keeping the messages from there on splits no pair.

    A result without an id of its use belongs to the message before it; one with an
    unknown use stands alone. There is one index more than messages: nothing is kept.
    """
    newest_first = list(_partners(messages))[::-1]
    earliest = list(accumulate(newest_first, min, initial=len(messages)))[::-1]
    return [first >= at for at, first in enumerate(earliest)]


def whole_pairs(messages: Sequence[Message], start: int) -> int:
    """Return the last index up to `start` from which on no pair is split."""
    clean = clean_starts(messages)
    return next(at for at in range(start, -1, -1) if clean[at])


def _partners(messages: Sequence[Message]) -> Iterator[int]:
    """Yield for each message the index of the first use whose result it holds."""
    uses: dict[str, int] = {}
    for at, message in enumerate(messages):
        uses |= {use.id: at for use in message.uses}
        yield min((_use(result, at, uses) for result in message.results), default=at)


def _use(result: ToolResult, at: int, uses: dict[str, int]) -> int:
    return uses.get(result.id, at) if result.id else max(at - 1, 0)
