"""How the cost of work grows with its size, and texts that are read anew."""

from __future__ import annotations

import sys
from collections.abc import Callable
from math import inf
from time import process_time
from types import FrameType
from typing import Any

import pytest

from memoryhub.formats.big_memory import task_snapshot
from memoryhub.formats.text import source
from memoryhub.formats.text.growing import Growing, Parts
from memoryhub.prose import stated

#: How much larger the second size is, and what between it and its square is the limit.
_TIMES, _LIMIT = 4, 10
#: How often it is measured at least, and until it holds at most.
_LEAST, _MOST = 2, 10


def assert_in_proportion(work: Callable[[int], object], size: int) -> None:
    """Assert that work costs about four times as much at four times the size.

    With the square it would cost sixteen times as much.
    """
    assert_growth_below(_LIMIT, work, size)


def assert_growth_below(limit: float, work: Callable[[int], object], size: int) -> None:
    """Assert that four times the size takes less than so many times the CPU time.

    The least of all rounds counts, as other programs only ever add to it.
    """
    small = large = inf
    for done in range(1, _MOST + 1):
        small = min(small, _cost(work, size))
        large = min(large, _cost(work, size * _TIMES))
        if done >= _LEAST and large < limit * small:
            return
    raise AssertionError(f"{large / small:.1f} times as much, not {limit}")


def assert_steps_in_proportion(work: Callable[[int], object], size: int) -> None:
    """Assert that work takes about four times the steps at four times the size."""
    small = steps_of(lambda: work(size))
    large = steps_of(lambda: work(size * _TIMES))
    assert large < _LIMIT * small, f"{large / small:.1f} times as many, not {_LIMIT}"


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


def _cost(work: Callable[[int], object], size: int) -> float:
    stated._read.cache_clear()
    start = process_time()
    work(size)
    return process_time() - start


def read_anew(patch: pytest.MonkeyPatch) -> None:
    """Have texts parsed as if no other had been, and none twice."""
    patch.setattr(Growing, "parts_of", lambda *_: Parts({}))
    cached = (source._all_marks, source.split_sections, source.fenced_lines)
    for reader in (*cached, task_snapshot._found_in, stated._read):
        reader.cache_clear()
