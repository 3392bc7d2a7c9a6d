"""Labels are paired with rows at their line that say the same."""

from __future__ import annotations

from tests.quality.imported import Found
from tests.quality.labels import Label
from tests.quality.limits import Limit
from tests.quality.matching import likeness_of, pairs_of
from tests.quality.outcomes import of_pairs, of_values

TEXT = "Ship with the blue van"


def _found(first: int, last: int, text: str = TEXT) -> Found:
    return Found("memory/2026-05-03.md", first, last, text)


def test_a_row_around_the_labels_line_is_right() -> None:
    label = Label(4, TEXT, {})
    assert pairs_of([label], [_found(3, 5)]) == [(label, _found(3, 5))]
    assert pairs_of([label], [_found(5, 6)]) == []


def test_marks_and_case_do_not_make_texts_unlike() -> None:
    assert likeness_of(TEXT, "**ship** with the `blue` van.") == 1
    assert likeness_of(TEXT, "Paint the fence") < 0.6
    assert likeness_of("", "") == 0


def test_each_row_counts_for_its_likest_label_only() -> None:
    labels = [Label(3, "Ship with a van", {}), Label(3, TEXT, {})]
    assert pairs_of(labels, [_found(3, 3)]) == [(labels[1], _found(3, 3))]


def test_precision_and_recall_count_false_finds_and_misses() -> None:
    labels, rows = [Label(3, TEXT, {}), Label(9, "No", {})], [_found(3, 3)]
    outcome = of_pairs("w/f.md", labels, rows, pairs_of(labels, rows))
    assert (outcome.precision, outcome.recall) == (1.0, 0.5)
    assert outcome.missed == ["w/f.md:9: No"]
    assert outcome.is_below(Limit(None, 0.6))
    assert not outcome.is_below(Limit(1.0, None))


def test_a_value_that_nobody_labelled_is_a_false_find() -> None:
    outcome = of_values("w/f.md", [("09:10", "09:10", True), ("", "10:00", False)])
    assert (outcome.right, outcome.found, outcome.labelled) == (1, 2, 1)
    assert outcome.false == ["w/f.md: 10:00 (labelled: nothing)"]
