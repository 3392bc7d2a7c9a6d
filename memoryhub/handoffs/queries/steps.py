"""The steps of a handoff in their order."""

from __future__ import annotations

from collections.abc import Iterable

from memoryhub.handoffs.models import HandoffStep


def in_order(steps: Iterable[HandoffStep]) -> list[HandoffStep]:
    """Return steps as they came to be known, those of one file from top to bottom.

    A line that was put in above others came before them, whenever it was put in.
    Results are in an order of their own: they stand apart from the log.
    """
    reached: dict[tuple[int, bool], int] = {}
    places: dict[int, tuple[int, bool, int]] = {}
    found = sorted(steps, key=lambda step: (step.file_id, step.first_line))
    for step in found:
        kind = step.file_id, step.is_result
        reached[kind] = max(reached.get(kind, 0), step.first_seq)
        places[step.id] = reached[kind], step.is_result, step.first_line
    return sorted(found, key=lambda step: places[step.id])
