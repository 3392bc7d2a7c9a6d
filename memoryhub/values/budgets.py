"""How long work may take; what it has found by then is its answer."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf

#: How many steps of its program SQLite takes between two looks at a budget.
_STEPS = 20_000


@dataclass(frozen=True, slots=True)
class Budget:
    """A time until which work may go on, in seconds of a clock.

    The clock is that of the wall, or `time.thread_time`, which stands still while
    other threads and programs have the processor.
    """

    ends: float
    clock: Callable[[], float] = time.monotonic

    @classmethod
    def of(cls, seconds: float, clock: Callable[[], float] = time.monotonic) -> Budget:
        """Return a budget of so many seconds from now on."""
        return cls(clock() + seconds, clock)

    @property
    def is_spent(self) -> bool:
        """Tell whether the time is over."""
        return self.clock() >= self.ends


#: For work that has to be complete.
ENDLESS = Budget(inf)


@contextmanager
def interrupting(connection: sqlite3.Connection, budget: Budget) -> Iterator[None]:
    """Have a statement end when the budget is spent, also one that is under way.

    It then raises `sqlite3.OperationalError`.
    """
    connection.set_progress_handler(lambda: budget.is_spent, _STEPS)
    try:
        yield
    finally:
        connection.set_progress_handler(None, 0)
