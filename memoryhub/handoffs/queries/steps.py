"""Order of a handoff's steps."""

from __future__ import annotations

from collections.abc import Iterable

from memoryhub.handoffs.models import HandoffStep


def in_order(steps: Iterable[HandoffStep]) -> list[HandoffStep]:
    """Return steps in the order they became known, within a file from top to bottom.

    A line inserted above others counts as earlier, whenever it was inserted. Results
    are ordered apart from log lines.
    """
    reached: dict[tuple[int, bool], int] = {}
    places: dict[int, tuple[int, bool, int]] = {}
    found = sorted(steps, key=lambda step: (step.file_id, step.first_line))
    for step in found:
        kind = step.file_id, step.is_result
        reached[kind] = max(reached.get(kind, 0), step.first_seq)
        places[step.id] = reached[kind], step.is_result, step.first_line
    return sorted(found, key=lambda step: places[step.id])
