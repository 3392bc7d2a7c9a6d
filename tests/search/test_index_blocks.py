"""Blocks of a version as they are indexed, whole or from a section on."""

from __future__ import annotations

from datetime import date

import pytest

from memoryhub.formats.text.diffing import shared_start
from memoryhub.search.index import (
    Block,
    Cut,
    cut_blocks,
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


def test_blocks_cover_every_line_once_and_in_order() -> None:
    text = "".join(f"## Part {n}\n\n" + "word " * (n * 30) + "\n" for n in range(20))
    covered = [
        line
        for block in cut_blocks(text)
        for line in range(block.first_line, block.last_line + 1)
    ]

    assert covered == list(range(1, text.count("\n") + 1))


def test_a_long_section_is_cut_on_line_borders_under_its_heading() -> None:
    text = "# Deploys\n" + "one line of a long log\n" * 200
    blocks = cut_blocks(text)

    assert len(blocks) == 4
    assert all(len(block.text) <= 1_200 for block in blocks)
    assert all(block.body.startswith("# Deploys\n") for block in blocks)
    assert "".join(block.text for block in blocks) == text


def test_a_line_longer_than_a_block_stays_whole() -> None:
    blocks = cut_blocks("short\n" + "x" * 9_000 + "\nshort")

    assert [(b.first_line, b.last_line) for b in blocks] == [(1, 1), (2, 2), (3, 3)]


def test_blanks_are_no_block() -> None:
    assert cut_blocks("") == cut_blocks("\n \n\t\n") == []
