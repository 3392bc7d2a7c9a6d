"""Items of open work: which statements are one, and which reports end them."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

import pytest

from snapshots.rules.carried_over import (
    Entry,
    Item,
    Statement,
    items_of,
    with_reports,
)

DAY = datetime(2026, 5, 3)


def told(*lines: tuple[int, str]) -> list[Statement]:
    """Return statements, each of a day and a text; "done:" marks a report."""
    return [
        Statement(
            DAY + timedelta(days=day),
            file_id=100 + day,
            line=number,
            id=number + 1,
            text=text.removeprefix("done: "),
            done=text.startswith("done: "),
        )
        for number, (day, text) in enumerate(lines)
    ]


def only(*lines: tuple[int, str]) -> Item:
    (item,) = items_of(told(*lines))
    return item


@pytest.mark.parametrize(
    ("first", "again"),
    [
        ("Show three samples to Ana", "show three samples to **Ana**"),
        ("Show three samples to Ana", "Show three samples to Ana (moved from Monday)"),
        ("40 product weights (Mira, weekend)", "40 product weights (Mira) — still"),
        ("ki-2 Poll the tide feed", "ki-2: poll the tide feed, third day"),
        ("Mahnungen Q2", "Mahnungen Q2: 9 Entwürfe liegen da"),
        ("老会员名单录入（纸质，186 人）", "老会员名单录入，剩 90 人"),
        ("旧 URL の転送表を作る", "旧 URL の転送表を作る（残り 172 本）"),
        (
            "Old prices on contracts, need the letter of 2024",
            "Old prices on contracts: letter of 2024 still needed, third day",
        ),
    ],
)
def test_an_item_carried_over_is_one(first: str, again: str) -> None:
    item = only((0, first), (2, again))
    assert (item.times, item.since, item.last) == (2, DAY, DAY + timedelta(days=2))
    assert item.newest.text == again


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("review issue 12 of the parser", "review issue 13 of the parser"),
        ("write tests for the importer", "write tests for the exporter"),
        ("fix login: timeout", "fix login: colour"),
        ("toner", "toner cartridge for the office printer"),
        ("Angebot für Tor 3", "Angebot für Dach"),
        ("ki-2 Poll the tide feed for delays", "Delays from the tide feed"),
        ("T003 Draw the ferry route", "T004 Draw the ferry route"),
        ("", "…"),
    ],
)
def test_different_work_stays_apart(one: str, other: str) -> None:
    assert len(items_of(told((0, one), (1, f"{other}")))) == 2 or one == ""


@pytest.mark.parametrize(
    ("item", "report"),
    [
        ("Collect the camera mount", "Collect the camera mount"),
        ("Collect the camera mount", "collect the camera mount (supplier, 14:00)"),
        ("book the second incubator", "book the second incubator: confirmed"),
        ("заявка на тонер", "заявка на тонер — подписана"),
    ],
)
def test_a_later_report_closes_an_item(item: str, report: str) -> None:
    found = only((0, item), (1, item), (3, f"done: {report}"))
    assert found.closing is not None
    assert found.closing.at == DAY + timedelta(days=3)


@pytest.mark.parametrize(
    ("item", "report"),
    [
        ("test the login page on staging", "deploy the login page on staging"),
        ("map legend in new colours", "first half of the map legend in new colours"),
        ("map legend in new colours", "map legend in new colours: 50 %"),
        ("pay invoice 7 of the printer", "pay invoice 8 of the printer"),
        ("tests", "tests of the exporter and its command"),
        ("order posts", "order posts and screws, carried them up, painted the gate"),
    ],
)
def test_another_report_closes_nothing(item: str, report: str) -> None:
    found = items_of(told((0, item), (3, f"done: {report}")))
    assert [each.closing for each in found if each.open] == [None]


def test_an_earlier_report_closes_nothing() -> None:
    assert only((3, "water the trees"), (1, "done: water the trees")).closing is None


def test_of_one_file_the_later_line_counts() -> None:
    lines = told((0, "done: water the trees"), (0, "water the trees"))
    assert items_of(lines)[0].closing is None
    assert items_of([each._replace(line=5 - each.line) for each in lines])[0].closing


def test_an_item_that_comes_back_is_open_since_then() -> None:
    item = only((0, "water trees"), (1, "done: water trees"), (4, "water trees"))
    assert item.closing is None
    assert (item.since, item.times) == (DAY + timedelta(days=4), 1)


def test_a_ticked_item_that_was_never_open_is_done() -> None:
    assert only((0, "done: paint the gate")).closing


def test_a_report_in_prose_is_no_item() -> None:
    (report,) = told((0, "done: paint the gate"))
    assert items_of([report._replace(own=False)]) == ()


def test_items_do_not_depend_on_the_order_of_rows() -> None:
    chance = random.Random(7)
    words = ["gate", "fence", "map", "posts", "letter", "price", "camera", "list"]
    lines = [
        (n // 4, "done: " * (n % 5 == 0) + " ".join(chance.choices(words, k=4)))
        for n in range(300)
    ]
    statements = told(*lines)
    items = items_of(statements)
    for _ in range(3):
        chance.shuffle(statements)
        assert items_of(statements) == items


@pytest.mark.parametrize("text", ["(" * 50_000, "[" * 50_000, "a:" * 50_000, "\0", "—"])
def test_hostile_texts_are_folded_in_time(text: str) -> None:
    assert len(items_of(told((0, text), (1, text)))) == 1


def entry(text: str) -> Entry:
    return Entry(DAY.replace(tzinfo=UTC) + timedelta(days=2), 9, 1, 1, "Day", text)


@pytest.mark.parametrize(
    ("item", "report", "state"),
    [
        ("drain the queue", "Looked at the queue.", "open"),
        ("drain the queue", "Drained the queue.", "done"),
        ("drain the queue", "Draining the queue.", "open"),
        ("drain the queue", "Must drain the queue.", "open"),
        ("drain the queue", "Drain the queue.", "open"),
        ("drain the queue", "The queue: drain the queue is done.", "done"),
        ("drain the queue", "Fixed the pump beside the queue.", "open"),
        ("FEN-12: paint the gate", "Merged FEN-12 this morning.", "done"),
        ("FEN-12: paint the gate", "Merged FEN-123 this morning.", "open"),
        ("FEN-12: paint the gate", "Ana asked for FEN-12 again.", "open"),
        ("order the gasket for boiler 2", "Ordered the gasket for boiler 3.", "open"),
        ("order the gasket for boiler 2", "Ordered the gasket for boiler 2.", "done"),
    ],
)
def test_an_entry_closes_what_it_names_whole_or_by_its_id(
    item: str, report: str, state: str
) -> None:
    items = items_of(
        [one._replace(at=one.at.replace(tzinfo=UTC)) for one in told((0, item))]
    )

    (found,) = with_reports(items, [entry(report)], UTC)

    assert ("done" if found.closing else "open") == state
