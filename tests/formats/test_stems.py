"""Stems find the lines to read, and leave out those that hold no word of a family."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from memoryhub.formats.text.binding import DIRECTING
from memoryhub.formats.text.stems import (
    Families,
    StemGroups,
    Stems,
    family,
    lines_with,
    parted_family,
)


def test_a_stem_of_a_word_start_is_not_found_inside_a_word() -> None:
    stems = Stems([r"\bne "])
    assert stems.are_in("on ne change plus") and stems.are_in("ne change plus")
    assert not stems.are_in("one line is done today")


@pytest.mark.parametrize(
    "text",
    ["not now", "- [ ] not now", "done. **not now", "boss: “not now", "10:15 not"],
)
def test_a_stem_of_a_sentence_is_found_where_one_may_begin(text: str) -> None:
    assert Stems(["^not"]).are_in(text)


@pytest.mark.parametrize("text", ["it is not now", "it is, not now", "knot"])
def test_a_stem_of_a_sentence_is_not_found_inside_one(text: str) -> None:
    assert not Stems(["^not"]).are_in(text)


def test_groups_may_hold_one_stem_with_and_without_a_condition() -> None:
    groups = StemGroups({"any": Stems(["mai"]), "word": Stems([r"\bmai"])})
    assert groups.lines_of("the email\nnothing\nnon farlo mai") == {
        "any": [1, 3],
        "word": [3],
    }


def test_a_family_is_searched_only_where_its_stem_counts() -> None:
    kept = family(r"\bno ", "no")
    assert kept.search("there is no reply")
    assert kept.search("the casino is open") is None


@pytest.mark.parametrize(
    "text",
    [
        "from monday on we pack twice", "you had better ask", "ab morgen gilt das",
        "no toques eso",
        "ne touche plus", "non toccare", "не трогай", "别碰", "꼭 물어",
        "only after lunch", "nobody edits it without asking", "asla",
        "geen mail na zes",
    ],
)  # fmt: skip
def test_words_of_a_directive_are_found_by_their_stems(text: str) -> None:
    assert Families(DIRECTING).search(text)


_PARTS = {
    " over ": r"^\w+ over \w+|\bturned over\b",
    "stay": r"^stay put|\bstays?\b(?! over)",
    "instead of": r"we .{2,20} instead of \w+|\binstead of that",
}
_WORDS = ["tea over", "turned over", "stay", "put;", "we put it", "instead of that"]


@given(st.lists(st.sampled_from(_WORDS), max_size=8))
def test_clauses_searched_one_by_one_find_what_one_pattern_finds(
    words: list[str],
) -> None:
    low = " ".join(words)
    stems = "|".join(_PARTS)
    parted = parted_family(stems, *(family(*part) for part in _PARTS.items()))
    found, expected = parted.search(low), family(stems, *_PARTS.values()).search(low)
    assert (found and found.span()) == (expected and expected.span())


@pytest.mark.parametrize("count", [2, 40])
def test_lines_with_words_are_found_however_many_the_words_are(count: int) -> None:
    words = {"pump", "größe", *(f"kiln{number}" for number in range(count - 2))}
    low = "no word\nthe pump and the pump\n\ndie größe\npumps"
    assert lines_with(words, low) == [2, 4, 5]
