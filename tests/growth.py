"""How the cost of work grows with its size, whatever else the machine is busy with."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time

#: How much larger the second size is, and what between it and its square is the limit.
_TIMES, _LIMIT = 4, 10


def assert_in_proportion(work: Callable[[int], object], size: int) -> None:
    """Assert that work costs about four times as much at four times the size.

    With the square it would cost sixteen times as much.
    """
    assert growth(work, size) < _LIMIT


def growth(work: Callable[[int], object], size: int) -> float:
    """Return how many times as much CPU time work takes at four times the size.

    The least of three rounds counts, as other programs only ever add to it.
    """
    rounds = [(_cost(work, size), _cost(work, size * _TIMES)) for _ in range(3)]
    return min(large for _, large in rounds) / min(small for small, _ in rounds)


def _cost(work: Callable[[int], object], size: int) -> float:
    start = process_time()
    work(size)
    return process_time() - start
