from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from memoryhub.formats.text.alignment import Key, align, key_of


def keys(*texts: str, heading: str | None = None) -> list[Key]:
    """One key a word: `title/body`, or a body that is its own heading."""
    return [
        key_of(text, text.partition("/")[0] if heading is None else heading)
        for text in texts
    ]


def numbered(first: int, last: int) -> list[Key]:
    return keys(*(f"t{n}/body" for n in range(first, last)))


def test_a_hash_is_the_same_on_every_machine_and_fits_63_bits() -> None:
    key = key_of("a", "\ud800")

    assert key.text == 0x207C4F1CADB32117
    assert 0 <= key.heading < 2**63
    assert key == key_of("a", "\ud800")


def test_nothing_aligns_with_nothing() -> None:
    assert align([], []) == []
    assert align(keys("a"), []) == []
    assert align([], keys("a")) == [None]


def test_an_unchanged_file_keeps_every_entry() -> None:
    assert align(numbered(0, 9), numbered(0, 9)) == list(range(9))


def test_pruning_the_first_thirty_lines_makes_no_new_entry() -> None:
    assert align(numbered(0, 100), numbered(30, 100)) == list(range(30, 100))


def test_pruning_and_appending_makes_only_the_appended_new() -> None:
    new = align(numbered(0, 50), numbered(30, 60))

    assert new == [*range(30, 50), *[None] * 10]


def test_an_insertion_in_the_middle_is_the_only_new_entry() -> None:
    assert align(keys("a", "b", "c"), keys("a", "x", "b", "c")) == [0, None, 1, 2]


def test_an_edit_under_the_same_heading_goes_on() -> None:
    assert align(keys("a/1", "b/1", "c/1"), keys("a/1", "b/2", "c/1")) == [0, 1, 2]


def test_a_line_edited_in_place_goes_on_without_a_heading() -> None:
    old, new = keys("a", "b", "c", heading=""), keys("a", "x", "c", heading="")

    assert align(old, new) == [0, 1, 2]


def test_the_first_line_left_after_pruning_may_be_edited() -> None:
    old = keys("a", "b", "c", "d", "e", heading="")
    new = keys("c2", "d", "e", heading="")

    assert align(old, new) == [2, 3, 4]


def test_a_moved_entry_is_found_where_it_went() -> None:
    old, new = keys("a/1", "b/1", "c/1", "d/1"), keys("c/1", "a/1", "d/1", "b/1")

    assert align(old, new) == [2, 0, 3, 1]


def test_duplicates_go_with_their_neighbours() -> None:
    old = keys("x", "same", "y", "same", "z")

    assert align(old, keys("y", "same", "z", "w")) == [2, 3, 4, None]


def test_one_more_duplicate_at_the_end_is_the_new_one() -> None:
    assert align(keys("x", "same"), keys("x", "same", "same")) == [0, 1, None]


def test_fewer_duplicates_are_pruned_at_the_head() -> None:
    assert align(keys("a", "b", "a", "c"), keys("a", "c")) == [2, 3]


def test_equal_text_under_another_heading_is_the_same_entry() -> None:
    old = [key_of("t", "one"), key_of("u", "two")]
    new = [key_of("u", "two"), key_of("t", "renamed")]

    assert align(old, new) == [1, 0]


@given(st.lists(st.integers(0, 5)), st.lists(st.integers(0, 5)))
def test_each_old_entry_is_continued_once(old: list[int], new: list[int]) -> None:
    before, after = [Key(n, n % 2) for n in old], [Key(n, n % 2) for n in new]

    found = align(before, after)

    used = [i for i in found if i is not None]
    assert len(found) == len(new)
    assert len(used) == len(set(used))
    for i, j in zip(found, range(len(new)), strict=True):
        assert i is None or before[i].heading == after[j].heading


@given(st.lists(st.integers(0, 9)), st.lists(st.integers(0, 9)))
def test_every_equal_text_is_paired(old: list[int], new: list[int]) -> None:
    found = align([Key(n, -n) for n in old], [Key(n, -n) for n in new])

    paired = sum(i is not None for i in found)
    assert paired == sum(min(old.count(n), new.count(n)) for n in set(old))


def test_five_thousand_entries_in_any_order_are_no_burden() -> None:
    old = numbered(0, 5000)
    new = random.Random(1).sample(old, len(old)) + keys(*["same"] * 500)

    found = align(old, new)

    assert sorted(i for i in found if i is not None) == list(range(5000))
    assert [old[i] for i in found[:5000] if i is not None] == new[:5000]
