"""Limits of the quality of the import, in one table."""

from __future__ import annotations

from typing import NamedTuple


class Limit(NamedTuple):
    """The least precision and recall of a kind; None where only the other counts.

    `kept` are the values reached on the files that nobody tunes rules on, where these
    are below the limit: a run fails if they fall.
    """

    precision: float | None
    recall: float | None
    kept: tuple[float, float] | None = None

    @property
    def on_unseen(self) -> Limit:
        """The limit that is judged on files that nobody tunes rules on."""
        return Limit(*self.kept) if self.kept else self


#: In the order of the report; kinds without a limit are reported alone. Labels of
#: documents count as missed: nothing is read from them.
LIMITS = {
    "decisions": Limit(0.92, 0.70, kept=(0.70, 0.54)),
    "reasons": Limit(0.90, None),
    "open items": Limit(0.93, 0.85, kept=(0.86, 0.67)),
    "decisions shown": Limit(0.80, None),
    "open items shown": Limit(0.80, None),
    "directives shown": Limit(0.80, None),
    "items closed": Limit(0.95, 0.27, kept=(0.90, 0.45)),
    "directives": Limit(0.85, 0.60, kept=(0.80, 0.62)),
    "entries cut": Limit(0.92, 0.92, kept=(0.91, 0.92)),
    "titles distinct": Limit(0.85, None),
    "times": Limit(0.98, 0.98),
    "agents of entries": Limit(0.90, 0.80),
    "agents of decisions": Limit(0.90, 0.80),
    "topics": Limit(None, None),
}
