"""The version that last changed each line of a text.

Versions are compared one after the other; common starts and ends of two texts are
found by slices, so that a log that grows by a line costs a line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memoryhub.formats.text.diffing import common_pairs, shared_start
from memoryhub.values.budgets import ENDLESS, Budget

#: Number of age steps of a line, 1 the newest.
AGE_STEPS = 5


@dataclass(frozen=True, slots=True)
class Block:
    """Lines next to each other that the same version changed last, from 1 on."""

    origin: int
    first: int
    last: int


def origins_of(
    versions: Sequence[Sequence[str]], budget: Budget = ENDLESS
) -> tuple[list[int], int]:
    """Return the index of the version that introduced each line of the last version.

    Versions come oldest first, as lines, and are compared from the newest back until
    the budget is spent, but at least two of them. Also returned is the index of the
    oldest version reached: lines of that origin may be older. A moved line counts as
    new.
    """
    number = last = max(len(versions) - 1, 0)
    lines = range(len(versions[-1])) if versions else range(0)
    origins = [last] * len(lines)
    # For each line of the version reached: its line in the last version, if any.
    places: list[int | None] = list(lines)
    while number:
        old, new = versions[number - 1], versions[number]
        if old != new:
            time = ENDLESS if number == last else budget
            carried = _carried(old, new, places, time)
            if carried is None:
                break
            places = carried
        number -= 1
        for place in places:
            if place is not None:
                origins[place] = number
    return origins, number


def _carried(
    old: Sequence[str],
    new: Sequence[str],
    places: list[int | None],
    budget: Budget,
) -> list[int | None] | None:
    """Return the places of the lines of the version before; None without the time."""
    head = shared_start(old, new)
    tail = shared_start(old[head:][::-1], new[head:][::-1])
    old_end, new_end = len(old) - tail, len(new) - tail
    middle: list[int | None] = [None] * (old_end - head)
    for in_old, in_new in common_pairs(old[head:old_end], new[head:new_end], budget):
        middle[in_old] = places[head + in_new]
    if budget.is_spent:
        return None
    return places[:head] + middle + places[new_end:]


def blocks_of(origins: Sequence[int]) -> list[Block]:
    """Return the lines that belong together, in order."""
    found: list[Block] = []
    start = 0
    for place in range(1, len(origins) + 1):
        if place == len(origins) or origins[place] != origins[start]:
            found.append(Block(origins[start], start + 1, place))
            start = place
    return found


def age_steps(moments: Sequence[float]) -> list[int]:
    """Return the age step of each moment: 1 for the newest to 5 for the oldest.

    Steps are of moments in their order, not of time: one old line would else make
    all others look new.
    """
    order = sorted(set(moments), reverse=True)
    last = max(len(order) - 1, 1)
    steps = {
        moment: 1 + place * (AGE_STEPS - 1) // last
        for place, moment in enumerate(order)
    }
    return [steps[moment] for moment in moments]
