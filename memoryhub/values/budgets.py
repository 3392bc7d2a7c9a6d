"""Time budgets: work returns its partial result when its time is over."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf

#: SQLite steps between two checks of a budget.
_STEPS = 20_000


@dataclass(frozen=True, slots=True)
class Budget:
    """A deadline, in seconds of a clock.

    The clock is `time.monotonic`, or `time.thread_time`, which counts only this
    thread's processor time. It is spent as soon as `other` is, too. A clock of
    processor time is slow to read: before `earliest`, by `time.monotonic`, it cannot
    be at the end and is not read.
    """

    ends: float
    clock: Callable[[], float] = time.monotonic
    other: Budget | None = None
    earliest: float = 0.0

    @classmethod
    def of(cls, seconds: float, clock: Callable[[], float] = time.monotonic) -> Budget:
        """Create a budget of `seconds` from now."""
        earliest = time.monotonic() + seconds if clock is time.thread_time else 0.0
        return cls(clock() + seconds, clock, earliest=earliest)

    @property
    def is_spent(self) -> bool:
        """True if the time is over."""
        if time.monotonic() >= self.earliest and self.clock() >= self.ends:
            return True
        return self.other is not None and self.other.is_spent


#: No limit, for work that has to be complete.
ENDLESS = Budget(inf)


@contextmanager
def interrupting(connection: sqlite3.Connection, budget: Budget) -> Iterator[None]:
    """Interrupt the connection's statements once the budget is spent.

    A running statement then raises `sqlite3.OperationalError`.
    """
    connection.set_progress_handler(lambda: budget.is_spent, _STEPS)
    try:
        yield
    finally:
        connection.set_progress_handler(None, 0)
