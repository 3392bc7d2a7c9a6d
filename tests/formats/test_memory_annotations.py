from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memoryhub.formats.openclaw.memory_annotations import (
    Promotion,
    find_promotions,
    promotion_key,
)

MARK = "<!-- openclaw-memory-promotion:k -->\n"


def promoted(text: str) -> Promotion:
    (found,) = find_promotions(f"{MARK}- {text}\n")
    return found


def test_it_reads_the_key_of_a_promotion() -> None:
    assert promotion_key("<!-- openclaw-memory-promotion:memory:a:1:2 -->\n") == (
        "memory:a:1:2"
    )
    assert promotion_key("<!-- other -->") == ""


def test_it_reads_score_and_source_before_other_comments() -> None:
    text = "Fact [score=0.8 signals=3 recalls=1 avg=0.6 source=memory/a:b.md:27-30]"
    fact = Promotion("k", "Fact", 0.8, "memory/a:b.md", 27)

    assert promoted(text) == fact
    assert promoted(f"{text} <!-- trigger: a, b --> <!-- importance: 4 -->") == fact


def test_a_promotion_without_numbers_is_its_text() -> None:
    assert promoted("Fact [score=high]") == Promotion("k", "Fact [score=high]")
    assert promoted("F [score=1.2.3 recalls=0 avg=. source=a:1-2]") == Promotion(
        "k", "F", None, "a", 1
    )


@given(st.lists(st.sampled_from(["<!--", "-->", "[score=", "a", "."])).map("".join))
def test_any_text_can_be_promoted(text: str) -> None:
    assert len(list(find_promotions(f"{MARK}- a{text}\n"))) == 1


def test_many_open_comments_are_read() -> None:
    assert promoted("a" + "<!-- trigger: " * 100_000 + "-->").snippet == "a"
