"""Outcomes of a comparison: precision and recall, misses and false finds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from tests.quality.imported import Found
from tests.quality.labels import Label
from tests.quality.limits import Limit
from tests.quality.matching import Pair


@dataclass(slots=True)
class Outcome:
    """Numbers of rows found, of labels, and of those of either that are right."""

    right: int = 0
    found: int = 0
    labelled: int = 0
    missed: list[str] = field(default_factory=list)
    false: list[str] = field(default_factory=list)

    @property
    def precision(self) -> float:
        return self.right / self.found if self.found else 1.0

    @property
    def recall(self) -> float:
        return self.right / self.labelled if self.labelled else 1.0

    def add(self, other: Outcome) -> None:
        """Add the numbers and lists of another outcome."""
        self.right += other.right
        self.found += other.found
        self.labelled += other.labelled
        self.missed += other.missed
        self.false += other.false

    def is_below(self, limit: Limit) -> bool:
        """Return whether precision or recall is below a limit."""
        return self.precision < (limit.precision or 0) or self.recall < (
            limit.recall or 0
        )


#: Outcomes of a workspace or a group, by kind.
Outcomes = dict[str, Outcome]


def of_pairs(
    where: str, labels: Sequence[Label], found: Sequence[Found], pairs: Iterable[Pair]
) -> Outcome:
    """Return the outcome of pairing the labels of a file with its rows."""
    paired = list(pairs)
    labels_right = {id(label) for label, _ in paired}
    rows_right = {id(row) for _, row in paired}
    return Outcome(
        len(paired),
        len(found),
        len(labels),
        [
            f"{where}:{one.line}: {one.text}"
            for one in labels
            if id(one) not in labels_right
        ],
        [
            f"{where}:{one.first}: {one.text}"
            for one in found
            if id(one) not in rows_right
        ],
    )


def of_values(where: str, values: Iterable[tuple[str, str, bool]]) -> Outcome:
    """Return the outcome of values, each labelled, found, and whether they agree.

    An empty value is none: it is neither labelled nor found.
    """
    outcome = Outcome()
    for labelled, found, agree in values:
        outcome.labelled += bool(labelled)
        outcome.found += bool(found)
        outcome.right += agree and bool(labelled and found)
        if not agree and labelled:
            outcome.missed.append(f"{where}: {labelled} (found: {found or 'nothing'})")
        if not agree and found:
            outcome.false.append(
                f"{where}: {found} (labelled: {labelled or 'nothing'})"
            )
    return outcome
