from __future__ import annotations

from random import Random

from memoryhub.formats.text.diffing import change_counts, diff_lines, hunks, split_text
from tests.growth import assert_ends, assert_in_proportion


def test_equal_texts_have_no_changes() -> None:
    lines = diff_lines(["a", "b"], ["a", "b"])

    assert [line.kind for line in lines] == ["same", "same"]
    assert hunks(lines) == []


def test_a_changed_line_is_removed_and_added_with_its_words_marked() -> None:
    gone, come = diff_lines(["- Progress: 45%, 3 of 7"], ["- Progress: 60%, 4 of 7"])

    assert (gone.kind, gone.old, gone.new) == ("removed", 1, None)
    assert (come.kind, come.old, come.new) == ("added", None, 1)
    assert [text for text, changed in come.parts if changed] == ["60", "4"]
    assert come.text == "- Progress: 60%, 4 of 7"


def test_lines_with_little_in_common_are_not_marked() -> None:
    lines = diff_lines(["alpha beta gamma"], ["something else entirely"])

    assert all(not changed for line in lines for _, changed in line.parts)


def test_a_new_number_alone_is_no_change_of_an_item() -> None:
    lines = diff_lines(["1. keep", "2. drop"], ["1. first", "2. keep"], items=True)

    assert [(line.kind, line.text) for line in lines] == [
        ("added", "1. first"),
        ("same", "2. keep"),
        ("removed", "2. drop"),
    ]


def test_a_ticked_box_is_one_line() -> None:
    (line,) = diff_lines(["- [ ] ship"], ["- [x] ship"], items=True)

    assert (line.kind, line.text) == ("ticked", "- [x] ship")
    assert change_counts([line]) == (1, 0)


def test_line_numbers_start_where_the_section_does() -> None:
    lines = diff_lines(["a"], ["a", "b"], first_old=7, first_new=9)

    assert [(line.old, line.new) for line in lines] == [(7, 9), (None, 10)]


def test_hunks_leave_out_what_is_far_from_a_change() -> None:
    old = [f"line {n}" for n in range(40)]
    new = [*old[:10], "changed", *old[11:30], "changed too", *old[31:]]

    first, second = hunks(diff_lines(old, new), context=2)

    assert (first.skipped, len(first.lines)) == (8, 6)
    assert (second.skipped, len(second.lines)) == (15, 6)


def test_both_texts_come_back_from_any_comparison() -> None:
    random = Random(7)
    for _ in range(300):
        old = [random.choice("abcdef") for _ in range(random.randrange(30))]
        new = [random.choice("abcdef") for _ in range(random.randrange(30))]
        lines = diff_lines(old, new)
        assert [line.text for line in lines if line.new is not None] == new
        assert [old[line.old - 1] for line in lines if line.old is not None] == old


def test_long_texts_of_few_different_lines_take_no_square_time() -> None:
    random = Random(7)
    old = [random.choice("ab") for _ in range(12_000)]
    new = [random.choice("ab") for _ in range(12_000)]

    assert_in_proportion(lambda size: diff_lines(old[:size], new[:size]), 3_000)


def test_lines_lose_their_endings_only() -> None:
    assert split_text("a\r\nb\n\nc") == ["a", "b", "", "c"]
    assert split_text("a\n") == ["a"]
    assert split_text("") == []


def test_a_long_line_of_a_list_is_compared_to_its_end() -> None:
    blank = "- " + " " * 100_000

    assert_ends(lambda: diff_lines([f"{blank}a"], [f"{blank}b"], items=True))
