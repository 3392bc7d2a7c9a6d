"""Bursts: history lines that an agent wrote within minutes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta

from memoryhub.timeline.queries.events import EventRow

#: Length and duration from and up to which an agent's history lines are one burst.
SHORTEST_BURST, LONGEST_BURST = 4, timedelta(minutes=10)


def bursts_of(
    rows: Sequence[EventRow], apart: frozenset[int] = frozenset()
) -> Iterator[Sequence[EventRow]]:
    """Yield rows in their order, those of a burst together and others alone.

    Bursts are found within the rows of a page, so pagination is unaware of them.

    No burst crosses a row whose id is in `apart`.
    """
    begun = 0
    for place in range(1, len(rows) + 1):
        pair = rows[place - 1 : place + 1]
        together = len(pair) == 2 and _goes_on(rows[begun], *pair)
        if together and pair[0].id not in apart:
            continue
        run = rows[begun:place]
        yield from (run,) if len(run) >= SHORTEST_BURST else ((row,) for row in run)
        begun = place


def _goes_on(first: EventRow, last: EventRow, row: EventRow) -> bool:
    return (
        row.kind == last.kind == "history"
        and bool(row.agent)
        and row.agent == last.agent
        and first.occurred_at - row.occurred_at <= LONGEST_BURST
    )
