from __future__ import annotations

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryhub.formats.text.dates import (
    ClockTime,
    heading_time,
    in_utc,
    parse_date,
    parse_timestamp,
    split_dated,
    split_timed,
    title_without_time,
    zone_offset,
)

TIMED = [
    ("14:30 - Title", ClockTime(14, 30), "Title"),
    ("Title (14:30 UTC)", ClockTime(14, 30, "UTC"), "Title"),
    ("09:30 UTC — Heartbeat", ClockTime(9, 30, "UTC"), "Heartbeat"),
    ("~14:30", ClockTime(14, 30), ""),
    ("8 PM", ClockTime(20, 0), ""),
    ("8:05am", ClockTime(8, 5), ""),
    ("12 AM rollover", ClockTime(0, 0), "rollover"),
    ("14:30 PM sync", ClockTime(14, 30), "sync"),
    ("14：30 标题", ClockTime(14, 30), "标题"),
    ("标题（14：30）", ClockTime(14, 30), "标题"),
    ("Evening (~10:45 PM AKDT)", ClockTime(22, 45, "AKDT"), "Evening"),
    ("14:30–15:10 UTC: Work", ClockTime(14, 30, "UTC"), "Work"),
    ("Calls (2:30pm-4:00pm EST)", ClockTime(14, 30, "EST"), "Calls"),
    ("Chat 10:00 GMT+8", ClockTime(10, 0, "GMT+8"), "Chat"),
    ("2026-03-01 14:30:22 deploy", ClockTime(14, 30), "2026-03-01 deploy"),
    ("🌙 22:10 Night", ClockTime(22, 10), "🌙 Night"),
    ("**09:15** Standup", ClockTime(9, 15), "Standup"),
    ("下午14:30 复盘", ClockTime(14, 30), "复盘"),
    ("1. 14:30 Standup", ClockTime(14, 30), "1. Standup"),
    ("9:30 utc", ClockTime(9, 30, "UTC"), ""),
    ("14h30 - Reunião", ClockTime(14, 30), "Reunião"),
    ("18h Réunion", ClockTime(18, 0), "Réunion"),
    ("18h of work", None, "18h of work"),
    ("2h Debugging", None, "2h Debugging"),
    ("🥐 06h10 — Lista", ClockTime(6, 10), "🥐 Lista"),
    ("18h — Fecho", ClockTime(18, 0), "Fecho"),
    ("9 h 30 – Réunion", ClockTime(9, 30), "Réunion"),
    ("09.15 – Posta", ClockTime(9, 15), "Posta"),
    ("godz. 14.30 telefon", ClockTime(14, 30), "godz. telefon"),
    ("14.30 Uhr Termin", ClockTime(14, 30), "Termin"),
    ("(14 Uhr) Termin", ClockTime(14, 0), "Termin"),
    ("7 вечера — звонок", ClockTime(19, 0), "звонок"),
    ("9:15 da noite - fecho", ClockTime(21, 15), "fecho"),
    ("2:30 p. m. llamada", ClockTime(14, 30), "llamada"),
    ("晚上 21:00 收尾", ClockTime(21, 0), "收尾"),
    ("下午3点半 茶厂", ClockTime(15, 30), "茶厂"),
    ("凌晨 04:01 - 备份", ClockTime(4, 1), "备份"),
    ("晚上12点 备份", ClockTime(0, 0), "备份"),
    ("午後 3:45 打ち合わせ", ClockTime(15, 45), "打ち合わせ"),
    ("夜 8:40 雑記", ClockTime(20, 40), "雑記"),
    ("21時30分 画像", ClockTime(21, 30), "画像"),
    ("오후 3시 - 회의", ClockTime(15, 0), "회의"),
    ("저녁 8시 10분 - 번역", ClockTime(20, 10), "번역"),
    ("낮 12:00 - 판단", ClockTime(12, 0), "판단"),
    ("14:00 〜 15:30 相談", ClockTime(14, 0), "相談"),
    ("Heartbeat 09:30", ClockTime(9, 30), "Heartbeat"),
    ("Heartbeat 09:30 - quiet", ClockTime(9, 30), "Heartbeat - quiet"),
    ("[09:30] Mail", ClockTime(9, 30), "Mail"),
    ("0930h patrol", ClockTime(9, 30), "patrol"),
    ("2026-05-03T14:05:00+02:00 x", ClockTime(14, 5, "UTC+02:00"), "x"),
    ("2026-05-03T14:05Z x", ClockTime(14, 5, "Z"), "x"),
]


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


@pytest.mark.parametrize(("title", "time", "rest"), TIMED)
def test_it_reads_the_time_of_a_heading(title: str, time: ClockTime, rest: str) -> None:
    assert heading_time(title) == time
    assert title_without_time(title) == rest


@pytest.mark.parametrize(
    "title",
    [
        "",
        "Update 3",
        "Screen 16:10 aspect",
        "Ratio 16:90",
        "25:00 - x",
        "14:60 - x",
        "localhost:80:80",
        "v2.14:30",
        "Heartbeat #12:30",
        "I am 8 amazing",
        "100 PM",
        "13 blockers",
        "3h debugging",
        "It took 2h30 of work",
        "2026 goals",
        "3点意见",
        "第3点 要求",
        "3時間の作業",
        "3시간 작업",
        "Release 14.30 - fixes",
        "3.50 – coffee",
        "16.09.2026",
        "14.30 metres of rope",
    ],
)
def test_a_number_that_is_no_time_stays_in_the_title(title: str) -> None:
    assert heading_time(title) is None
    assert title_without_time(title) == title


@pytest.mark.parametrize(
    ("zone", "minutes"),
    [
        ("UTC", 0),
        ("gmt", 0),
        ("GMT+8", 480),
        ("UTC+05:30", 330),
        ("GMT-3", -180),
        ("BRT", -180),
        ("AKDT", -480),
        ("AEDT", 660),
        ("KST", 540),
        ("MSK", 180),
        ("SGT", 480),
        ("CST", None),
        ("ET", None),
        ("GMT+99", None),
        ("somewhere", None),
        ("", None),
    ],
)
def test_a_zone_has_an_offset_only_if_it_means_one(
    zone: str, minutes: int | None
) -> None:
    assert zone_offset(zone) == minutes


@given(st.text("0123456789:：- ()~apmAPMUTCGZ+", max_size=40))
def test_every_time_it_gives_back_exists(title: str) -> None:
    time = heading_time(title)

    assert time is None or (0 <= time.hour < 24 and 0 <= time.minute < 60)
    assert isinstance(title_without_time(title), str)


@pytest.mark.parametrize(
    "part", ["1:", "12 ", "(", "12:00-", " ", "－", "1", "晚", "1h", "8시 "]
)
def test_a_very_long_title_is_read_at_its_start_only(part: str) -> None:
    assert heading_time(part * 100_000) is None or part in ("12:00-", "8시 ")
