"""Lines, fences and sections of a text, whatever its dialect."""

from __future__ import annotations

import pytest

from memoryhub.formats.text.source import (
    fenced_lines,
    hiding_fence,
    open_fence,
    sections_below,
    split_sections,
)


@pytest.mark.parametrize(
    ("text", "fence"),
    [
        ("", ""),
        ("```\ncode\n```\n", ""),
        ("```py\r\ncode\r\n```\r\n", ""),
        ("text\n~~~~ sh\ncode\n~~~\n", "~~~~"),
        ("````\n```\n# no heading\n", "````"),
        ("```a`b\n", ""),
    ],
)
def test_a_fence_that_is_not_closed_is_open(text: str, fence: str) -> None:
    assert open_fence(text) == fence


def test_lines_of_fences_are_counted_with_their_marks() -> None:
    assert fenced_lines("a\n```\nb\n```\nc\n~~~\nd") == {2, 3, 4, 6, 7}
    assert fenced_lines("a ` b ~ c\n") == set()


def test_what_is_below_a_section_ends_with_the_next_of_its_level() -> None:
    sections = split_sections("# a\n## b\n### c\n## d\n# e\n## f\n")

    below = [s.title for s in sections_below(sections, 0)]

    assert below == ["b", "c", "d"]
    assert [s.title for s in sections_below(sections, 1)] == ["c"]
    assert not sections_below(sections, 5)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a\n\n```\nb\n\n## 09:00\n", 3),
        ("```\n```\n\n~~~py\nx\n\n<!-- BIG-MEMORY-SNAPSHOT v1 -->\n", 4),
        ("```sh\n# a comment\nls\n", 0),
        ("```\nb\n```\n\n## 09:00\n", 0),
        ("## 09:00\n\n```\nb\n", 0),
        ("", 0),
    ],
)
def test_a_fence_left_open_above_entries_is_found(text: str, line: int) -> None:
    assert hiding_fence(text) == line
