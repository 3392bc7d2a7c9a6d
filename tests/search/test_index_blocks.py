"""Blocks of a version as they are indexed, whole or from a section on."""

from __future__ import annotations

from datetime import date

import pytest

from memoryhub.diffing import shared_start
from memoryhub.search.chunking import Block
from memoryhub.search.index_blocks import (
    Cut,
    entries_of,
    equal_blocks,
    line_start,
)

TEXT = "# Log\n\n## 2026-03-01\n\none\n\n## Two\n\ntwo\n"


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("", "a", 0),
        ("abc", "abc", 3),
        ("abc", "abd", 2),
        ("abc", "abcd", 3),
        ("a", "b", 0),
    ],
)
def test_texts_share_what_they_begin_with(one: str, other: str, same: int) -> None:
    assert shared_start(one, other) == shared_start(other, one) == same


def test_a_line_is_found_from_behind() -> None:
    places = [line_start(TEXT, line, len(TEXT)) for line in (1, 2, 3, 7)]

    assert places == [0, 6, 7, TEXT.index("## Two")]


def test_blocks_from_a_section_on_are_those_of_the_whole_text() -> None:
    whole = Cut.whole("memory/a.md").blocks_of(TEXT)
    cut = Cut(TEXT.index("## Two"), 7, date(2026, 3, 1))

    assert cut.blocks_of(TEXT) == whole[2:]
    days = [entry.day for _, entry in entries_of("memory/a.md", whole[2:], cut.day)]
    assert days == [date(2026, 3, 1).toordinal()]


def test_entries_know_the_day_of_blocks_that_are_left_out() -> None:
    blocks = Cut.whole("memory/a.md").blocks_of(TEXT)
    all_of_them = list(entries_of("memory/a.md", blocks, None))

    assert list(entries_of("memory/a.md", blocks, None, after=2)) == all_of_them[2:]


def test_equal_blocks_stand_on_the_same_lines() -> None:
    one, two = Block(1, 1, "", "a\n"), Block(2, 2, "", "a\n")

    assert equal_blocks([one, two], [one]) == 1
    assert equal_blocks([one], [two]) == 0
