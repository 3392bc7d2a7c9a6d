"""A commented line is found again in later versions of its file."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memoryhub.comments.rules.anchoring import Fate, Spot, anchor_at, spot_of

NOTE = [
    "# Billing",
    "Invoices are sent on the first working day of the month.",
    "- retries: 5",
    "The tax office wants the VAT number on each of them.",
    "- retries: 5",
    "We round half up, as the old system did.",
]


def moved(line: int, lines: list[str]) -> Spot:
    return spot_of(anchor_at(NOTE, line), lines)


def test_it_follows_lines_that_were_put_before_it() -> None:
    assert moved(2, ["Front", "", *NOTE]) == Spot(4, Fate.SAME)


def test_of_equal_lines_it_is_the_one_between_the_same_neighbours() -> None:
    shuffled = [NOTE[3], NOTE[4], NOTE[5], NOTE[0], NOTE[1], NOTE[2]]

    assert moved(5, shuffled) == Spot(2, Fate.SAME)
    assert moved(3, shuffled) == Spot(6, Fate.SAME)


def test_a_reworded_line_is_outdated_where_it_is_now() -> None:
    now = ["x"] * 30 + [line.replace("first working", "last") for line in NOTE]

    assert moved(2, now) == Spot(32, Fate.CHANGED)


def test_a_line_written_anew_is_known_by_its_neighbours() -> None:
    now = [*NOTE[:3], "Steuernummer nicht vergessen!", *NOTE[4:]]

    assert moved(4, now) == Spot(4, Fate.CHANGED)


def test_a_removed_line_is_gone() -> None:
    assert moved(6, ["Nothing", "of", "that"]) == Spot(0, Fate.GONE)
    assert moved(1, []) == Spot(0, Fate.GONE)


def test_in_one_language_as_in_another() -> None:
    lines = ["# 账单", "每月第一个工作日发送发票。", "四舍五入。"]
    now = ["# 账单", "新的一行", "每月最后一个工作日发送发票。", "四舍五入。"]

    assert spot_of(anchor_at(lines, 2), now) == Spot(3, Fate.CHANGED)


@given(st.lists(st.text(max_size=6), min_size=1, max_size=12), st.data())
def test_an_untouched_file_keeps_every_comment(
    lines: list[str], data: st.DataObject
) -> None:
    line = data.draw(st.integers(1, len(lines)))

    found = spot_of(anchor_at(lines, line), lines)
    assert found.fate is Fate.SAME
    assert lines[found.line - 1] == lines[line - 1]
