"""Where entries begin and end in running text: times, titles, lists and days."""

from __future__ import annotations

import pytest

from memoryhub.dialects.daily_log import parse

TITLED = "**Roof.** It leaks.\n\n**Gate.** It stands.\n\n**Bank.** Closed.\n"


def entries(text: str) -> list[tuple[int, int]]:
    return [(one.lines.first, one.lines.last) for one in parse(text).entries]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("- 09:05 a\n- b\n- c\n- 10:00 d\n", [(1, 3), (4, 4)]),
        ("- 09:05 a\n- b\n", [(1, 1), (2, 2)]),
        (
            "- 09:05 a\n- b\n- c\n- d\n- 10:00 e\n",
            [(1, 1), (2, 2), (3, 3), (4, 4), (5, 5)],
        ),
        # What the list of work holds is not counted.
        (
            "09:05 a\n\n10:00 b\n\nOpen:\n- c\n- d\n- e\n- f\n",
            [(1, 1), (3, 3)],
        ),
        ("09:05 a\n\nb\n\n10:00 c\n\nOpen:\n- d\n- e\n", [(1, 3), (5, 5)]),
        ("# D\n\n- 09:05 a\n- b\n\n## 10:00 c\nd\n", [(3, 4), (6, 7)]),
        ("# D\n\n- b\n\n## 10:00 c\nd\n", [(5, 6)]),
        ("## 08:00 Start\na\n\n- 09:05 b\n- c\n", [(1, 5)]),
    ],
)
def test_lines_with_a_time_part_a_log_where_half_of_its_lines_have_one(
    text: str, found: list[tuple[int, int]]
) -> None:
    assert entries(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("- 09:05 a\n- open: b\n- 10:05 c\n- TODO: d\n", [(1, 1), (3, 3)]),
        ("- 09:05 a\n- 10:05 b\n\nOpen:\n- c\n- d\n", [(1, 1), (2, 2)]),
        ("Open:\n- c\n\n- 09:05 a\n- 10:05 b\n", [(4, 4), (5, 5)]),
        ("- 09:05 a\n  open: b\n- 10:05 c\nopen: d\n", [(1, 2), (3, 4)]),
    ],
)
def test_a_list_of_work_ends_an_entry_with_a_time(
    text: str, found: list[tuple[int, int]]
) -> None:
    assert entries(text) == found


@pytest.mark.parametrize(
    ("behind", "found"),
    [
        ("", [(1, 1), (3, 3), (5, 5)]),
        ("\na\n\nb\n\nc\n", [(1, 1), (3, 3), (5, 11)]),
        (
            "\na\n\nb\n\nc\n\nd\n",
            [(1, 1), (3, 3), (5, 5), (7, 7), (9, 9), (11, 11), (13, 13)],
        ),
        ("\n- a\n- b\n\nc\n", [(1, 1), (3, 3), (5, 5), (7, 7), (8, 10)]),
        ("\nOpen:\n- a\n", [(1, 1), (3, 3), (5, 5)]),
    ],
)
def test_where_half_of_the_paragraphs_are_titled_the_others_belong_to_them(
    behind: str, found: list[tuple[int, int]]
) -> None:
    assert entries(TITLED + behind) == found


def test_two_titled_paragraphs_are_no_rule() -> None:
    two = TITLED.removesuffix("\n**Bank.** Closed.\n")

    assert entries(f"{two}\na\n") == [(1, 1), (3, 3), (5, 5)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Quiet.\n\nThen rain.\n", [(1, 5)]),
        ("Quiet.\n\nOpen:\n- the roof\n", [(3, 3)]),
        ("Quiet.\n\nOpen: the roof; the gate\n\nMore.\n", [(3, 3), (7, 7)]),
        ("Quiet.\n\nAt 9:40 rain.\n", [(3, 3), (5, 5)]),
        ("- Quiet.\n- Rain\n", [(3, 3), (4, 4)]),
        ("Quiet.\n\nTo do:\n\nThe roof.\n", [(3, 3), (7, 7)]),
        ("", []),
    ],
)
def test_a_day_with_nothing_but_a_tale_is_one_entry(
    text: str, found: list[tuple[int, int]]
) -> None:
    assert entries(f"Monday 9 March 2026\n\n{text}") == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Called these three:\n\n- Ana\n- Ben\n\nHome.\n", [(1, 4), (6, 6)]),
        ("Moved.\nThese three:\n- Ana\n\nHome.\n", [(1, 3), (5, 5)]),
        ("搬了。\n这三个：\n- Ana\n\nHome.\n", [(1, 3), (5, 5)]),
        ("Moved.\n\n- Ana\n- Ben\n", [(1, 1), (3, 3), (4, 4)]),
        ("Moved.\n\n| a | b |\n\nHome.\n\n> quoted\n", [(1, 3), (5, 7)]),
        ("To do:\n- a\n- b\n\nHome.\n- c\n", [(5, 6)]),
        ("- moved\n- [ ] a\n\nTo do:\n- b\n- c\n", [(1, 1)]),
        ("Moved.\n```\n- a\n\nb\n```\n\nHome.\n", [(1, 6), (8, 8)]),
    ],
)
def test_a_list_belongs_to_the_paragraph_that_announces_it(
    text: str, found: list[tuple[int, int]]
) -> None:
    assert entries(text) == found


@pytest.mark.parametrize(
    "unseen",
    ["</details>", "<details open><summary></summary>", "<!-- a --><!-- b -->"],
)
def test_a_line_that_no_page_shows_is_no_entry(unseen: str) -> None:
    text = f"# D\n\n{unseen}\n\nOiled the valve.\n\n{unseen}\n"

    assert [first for first, _ in entries(text)] == [5]
