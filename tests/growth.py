"""How the work grows with its size, told by counts.

No test here compares times: a busy machine makes any of them longer.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

#: How much larger the second size is, and what between it and its square is the limit.
_TIMES, _LIMIT = 4, 6
#: Seconds of the processor after which work has no end: it takes one at most.
_ENDLESS = 20


def assert_in_proportion(work: Callable[[int], object], size: int) -> None:
    """Assert that work takes about four times the steps at four times the size.

    With the square it would take sixteen times as many.
    """
    assert_growth_below(_LIMIT, work, size)


def assert_growth_below(limit: float, work: Callable[[int], object], size: int) -> None:
    """Assert that four times the size takes less than so many times the steps."""
    small = steps_of(lambda: work(size))
    large = steps_of(lambda: work(size * _TIMES))
    assert large < limit * small, f"{large / small:.1f} times as many, not {limit}"


def steps_of(work: Callable[[], object]) -> int:
    """Return how many lines of Python some work runs, each round of a loop anew.

    The same on each machine, however busy; loops within C, as in `re`, do not count.
    """
    steps, before = 0, sys.gettrace()

    def count(_frame: FrameType, _event: str, _value: object) -> Any:
        nonlocal steps
        steps += 1
        return count

    sys.settrace(count)
    try:
        work()
    finally:
        sys.settrace(before)
    return steps


def assert_ends(work: Callable[[], object]) -> None:
    """Assert that work on a long text comes to an end, loops within C included.

    The text has to be so long that the square of its steps would take minutes.
    """

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise AssertionError("it has no end")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, _ENDLESS)
    try:
        work()
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
