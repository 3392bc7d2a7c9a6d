"""Limits of the quality of the import, in one table."""

from __future__ import annotations

from typing import NamedTuple


class Limit(NamedTuple):
    """The least precision and recall of a kind; None where only the other counts.

    One that is not `judged` is reported, and fails no run: it is not reached yet.
    """

    precision: float | None
    recall: float | None
    judged: bool = True


#: In the order of the report; kinds without a limit are reported alone.
LIMITS = {
    "decisions": Limit(0.92, 0.70, judged=False),
    "reasons": Limit(0.90, None),
    "open items": Limit(0.93, 0.85, judged=False),
    "directives": Limit(0.85, 0.60, judged=False),
    "entries cut": Limit(0.92, 0.92, judged=False),
    "titles distinct": Limit(0.85, None),
    "times": Limit(0.98, 0.98),
    "agents of entries": Limit(0.90, 0.80),
    "agents of decisions": Limit(None, None),
    "topics": Limit(None, None),
}
