"""Dates of a text, moved by days."""

from __future__ import annotations

from datetime import date

import pytest

from memoryhub.formats.text.moved_dates import newest_date, with_dates_moved
from tests.growth import assert_ends, assert_in_proportion

NEAR = date(2026, 11, 20)


@pytest.mark.parametrize(
    ("text", "moved"),
    [
        ("2026-11-20T05:41:33", "2026-12-02T05:41:33"),
        ("snapshot-id: 2026-11-20-01", "snapshot-id: 2026-12-02-01"),
        ("memory/handoffs/20261120-03.md", "memory/handoffs/20261202-03.md"),
        ("CMEM-20261119-174820", "CMEM-20261201-174820"),
        ("archive/2026-11/2026-11-20.md", "archive/2026-12/2026-12-02.md"),
        ("Tuesday 24 November, 06:00", "Sunday 6 December, 06:00"),
        ("24 Nov (planner)", "6 Dec (planner)"),
        ("20 November 2026", "2 December 2026"),
        ("*November 18, 2026, 3:00 AM WET*", "*November 30, 2026, 3:00 AM WET*"),
        ("goes away on 1 February", "goes away on 13 February"),
        ("on 25 December", "on 6 January"),
        ("| Mon | Fri |", "| Sat | Wed |"),
        ("t=1795158912,v1", "t=1796195712,v1"),
    ],
)
def test_every_notation_is_moved(text: str, moved: str) -> None:
    assert with_dates_moved(text, 12, NEAR) == moved
    assert with_dates_moved(moved, -12, date(2026, 12, 2)) == text


@pytest.mark.parametrize(
    "text",
    [
        "2,310,448 invoices",
        "2026-13-40",
        "20269999",
        "commit a20261120",
        "1999-01-01",
        "2021-11-20",
        "1400000000",
        "31 February",
        "it may 12 times",
        "Monteverdi and Sunset",
    ],
)
def test_what_is_no_date_near_the_day_stays(text: str) -> None:
    assert with_dates_moved(text, 12, NEAR) == text


def test_a_month_is_short_where_it_was() -> None:
    assert with_dates_moved("20 Nov, 20 November", 180, NEAR) == "19 May, 19 May"


def test_the_newest_date_of_names_is_found() -> None:
    names = ["memory/2026-11-20.md", "handoffs/20261121-06.md", "MEMORY.md"]

    assert newest_date(names) == date(2026, 11, 21)
    assert newest_date(["MEMORY.md", "2026-02-30.md"]) is None


@pytest.mark.parametrize("piece", ["2026-", "20261120", "1 ", "Mon", "1111111111 "])
def test_the_cost_is_linear(piece: str) -> None:
    def move(size: int) -> None:
        with_dates_moved(piece * (size // len(piece)), 3, NEAR)

    assert_in_proportion(move, 10_000)
    assert_ends(lambda: move(1_000_000))
