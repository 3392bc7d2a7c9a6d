"""Whether two texts name the same work, and whether one reports it as done."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryhub.prose.closing import is_reported, is_same, named


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("order the posts", "Order the **posts** (still)"),
        ("order the posts for the fence", "order posts for the fence"),
        ("~~call~~ [T-1] call the mason", "call call the mason"),
        ("订购柱子", "订购柱子（周五）"),
    ],
)
def test_an_item_repeated_with_remarks_is_the_same(one: str, other: str) -> None:
    assert is_same(named(one), named(other))
    assert is_same(named(other), named(one))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("order the posts", "order the hinges"),
        ("paint gate 2", "paint gate 3"),
        ("FEN-12 paint the gate at last", "FEN-13 paint the gate at last"),
        ("call Ana", "call Bo"),
        ("call Ana about the roof", "call Ana"),
    ],
)
def test_items_of_other_work_are_not(one: str, other: str) -> None:
    assert not is_same(named(one), named(other))


@pytest.mark.parametrize(
    ("item", "report"),
    [
        ("order the posts", "Order the posts"),
        ("paint gate 2 in green", "paint gate 2 in green, two coats"),
        ("FEN-12: paint the gate", "closed FEN-12"),
        ("#41 slow import", "merged the mend for #41"),
    ],
)
def test_a_report_names_all_of_an_item_or_its_id(item: str, report: str) -> None:
    assert is_reported(named(item), named(report))


@pytest.mark.parametrize(
    ("item", "report"),
    [
        ("order the posts", "Ordered wood"),
        ("paint gate 2", "painted gate 3"),
        ("paint the gate in green", "paint the gate"),
        ("posts", "sold the posts"),
        ("order the posts", "we order the posts " + "and talk of other things " * 9),
    ],
)
def test_a_report_of_a_part_closes_nothing(item: str, report: str) -> None:
    assert not is_reported(named(item), named(report))


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_two_texts_may_be_compared(one: str, other: str) -> None:
    assert is_same(named(one), named(one))
    assert is_same(named(one), named(other)) == is_same(named(other), named(one))
    is_reported(named(one), named(other))
