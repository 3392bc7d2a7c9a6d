"""Two logs become one: nothing is lost, and both sides come to the same order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from memoryhub.handoffs.rules.twins import lacking, together

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
Line = tuple[int, str]
LINES = st.lists(st.tuples(st.integers(-1, 5), st.sampled_from("ab")), max_size=8)


def at(line: Line) -> datetime | None:
    """Return when a line happened; below zero it does not say."""
    return NOON.replace(minute=line[0]) if line[0] >= 0 else None


def with_what_it_lacks(own: Sequence[Line], whole: Sequence[Line]) -> list[Line]:
    lines = list(own)
    for lack in lacking(own, whole):
        lines.insert(lack.place, whole[lack.item])
    return lines


@given(LINES, LINES)
def test_nothing_is_lost_and_nothing_doubled(
    leading: list[Line], other: list[Line]
) -> None:
    whole = together(leading, other, at)

    assert Counter(whole) == Counter(leading) | Counter(other)
    assert with_what_it_lacks(leading, whole) == whole
    assert Counter(with_what_it_lacks(other, whole)) == Counter(whole)


@given(LINES, LINES, LINES)
def test_what_both_add_to_the_same_beginning_comes_to_one_order(
    begun: list[Line], here: list[Line], there: list[Line]
) -> None:
    there = [(minute, "c") for minute, _ in there]

    whole = together([*begun, *here], [*begun, *there], at)

    assert with_what_it_lacks([*begun, *there], whole) == whole


def test_times_decide_and_where_there_are_none_the_leading_side() -> None:
    leading, other = [(1, "a"), (4, "a"), (-1, "a")], [(1, "a"), (3, "b"), (-1, "b")]

    whole = together(leading, other, at)

    assert whole == [(1, "a"), (3, "b"), (-1, "b"), (4, "a"), (-1, "a")]
