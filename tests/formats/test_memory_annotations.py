from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryhub.formats.openclaw.memory_annotations import (
    Annotations,
    Promotion,
    parse_promotion,
    promotion_key,
    split_annotations,
)


def test_it_reads_annotations_at_the_end() -> None:
    text = "Pay <!-- trigger: a, b; c --> <!-- importance: 4 --> <!-- project: x; y -->"

    assert split_annotations(text) == (
        "Pay",
        Annotations(("a", "b", "c"), 4, ("x", "y")),
    )


def test_the_highest_importance_counts() -> None:
    text = "a <!-- importance: 3 --><!-- importance: 10 --><!-- importance: 99 -->"

    assert split_annotations(text)[1].importance == 10


@pytest.mark.parametrize(
    "text",
    ["plain", "a <!-- trigger: x --> b", "a <!-- note -->", "-->", "", "<!---->"],
)
def test_other_text_has_no_annotations(text: str) -> None:
    assert split_annotations(text) == (text, Annotations())


@given(st.lists(st.sampled_from(["<!--", "-->", " trigger: ", "a", ";"])).map("".join))
def test_any_text_can_be_split(text: str) -> None:
    head, _ = split_annotations(text)

    assert text.startswith(head)


def test_it_reads_the_key_of_a_promotion() -> None:
    assert promotion_key("<!-- openclaw-memory-promotion:memory:a:1:2 -->\n") == (
        "memory:a:1:2"
    )
    assert promotion_key("<!-- other -->") == ""


def test_it_reads_the_numbers_of_a_promotion() -> None:
    text = "Fact [score=0.8 signals=3 recalls=1 avg=0.6 source=memory/a:b.md:27-30]"

    assert parse_promotion("k", text) == Promotion(
        "k", "Fact", 0.8, 3, 1, 0.6, "memory/a:b.md", 27, 30
    )


def test_a_promotion_without_numbers_is_its_text() -> None:
    assert parse_promotion("k", "Fact [score=high]") == Promotion(
        "k", "Fact [score=high]"
    )
    assert parse_promotion(
        "k", "F [score=1.2.3 recalls=0 avg=. source=a:1-2]"
    ) == Promotion("k", "F", None, None, 0, None, "a", 1, 2)


def test_many_open_comments_are_read() -> None:
    assert split_annotations("<!-- trigger: " * 100_000 + "-->")[0] == ""
