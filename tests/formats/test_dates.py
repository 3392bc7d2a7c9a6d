from __future__ import annotations

import datetime

import pytest

from memoryhub.formats.text.dates import (
    in_utc,
    parse_date,
    parse_timestamp,
    split_dated,
    split_timed,
)


def test_it_reads_a_day() -> None:
    assert parse_date("2026-02-28") == datetime.date(2026, 2, 28)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2026-02-30",
        "2507.14198",
        "2026-2-1",
        "2026-02-01 ",
        "20260201",
        "0000-01-01",
        "２０２６-02-01",
        "2026-02-01\n",
    ],
)
def test_it_reads_nothing_else_as_a_day(text: str) -> None:
    assert parse_date(text) is None


def test_it_cuts_the_day_off_a_line() -> None:
    day = datetime.date(2026, 3, 1)

    assert split_dated("2026-03-01: Context created") == (day, "Context created")
    assert split_dated("2026-03-01:") == (day, "")


@pytest.mark.parametrize(
    "text", ["no day", "2026-13-01: x", "2026-03-01 x", "2026-03-01:x"]
)
def test_it_keeps_a_line_without_a_day(text: str) -> None:
    assert split_dated(text) == (None, text)


def test_it_reads_a_naive_time_as_naive() -> None:
    expected = datetime.datetime(2026, 3, 1, 14, 30)

    assert parse_timestamp("2026-03-01T14:30:00") == expected
    assert parse_timestamp(" 2026-03-01 14:30 ") == expected


def test_it_reads_zones_and_fractions() -> None:
    utc = datetime.datetime(2026, 3, 1, 14, 30, 5, 250_000, tzinfo=datetime.UTC)

    assert parse_timestamp("2026-03-01T14:30:05.250Z") == utc
    assert parse_timestamp("2026-03-01T16:30:05.25+02:00") == utc
    assert parse_timestamp("2026-03-01T09:30:05.25 -0500") == utc


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2026-03-01",
        "2026-03-01T24:30",
        "2026-03-01T10:60",
        "YYYY-MM-DDTHH:MM:SS",
        "2026-03-01T10:00:60",
        "2026-03-01T10:00+99:00",
        "2026-03-01T10:00+01:75",
    ],
)
def test_it_reads_nothing_else_as_a_time(text: str) -> None:
    assert parse_timestamp(text) is None


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("2026-11-10T09:00:00Z dba: taken", "dba: taken"),
        ("2026-11-10 09:00 Zoe", "Zoe"),
        ("2026-11-10 09:00 Z Zoe", "Zoe"),
        ("2026-11-10 09:00", ""),
        ("2026-11-10 dba", "2026-11-10 dba"),
        ("2026-11-10 25:00 dba", "2026-11-10 25:00 dba"),
    ],
)
def test_a_text_is_cut_behind_its_time(text: str, rest: str) -> None:
    moment, found = split_timed(text)

    assert (found, moment is None) == (rest, rest == text)


@pytest.mark.parametrize(
    "text", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00"]
)
def test_a_moment_that_utc_has_no_day_for_is_none(text: str) -> None:
    assert parse_timestamp(text) is None


def test_a_moment_is_written_as_it_is_read() -> None:
    noon = datetime.datetime(2026, 11, 20, 12, tzinfo=datetime.UTC)
    elsewhere = noon.astimezone(datetime.timezone(datetime.timedelta(hours=8)))

    assert in_utc(noon) == in_utc(elsewhere) == "2026-11-20T12:00:00Z"
    assert parse_timestamp(in_utc(elsewhere)) == noon
