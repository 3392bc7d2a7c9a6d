"""Queries read: what is meant is understood, and nothing fails."""

from __future__ import annotations

import random
from datetime import date

import pytest

from memoryhub.search.parser import (
    Filter,
    Item,
    Note,
    Phrase,
    Query,
    Word,
    parse_query,
    read_day,
)

TODAY = date(2026, 11, 20)


def read(text: str) -> Query:
    return parse_query(text, today=TODAY)


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("deploy error", [Word("deploy"), Word("error")]),
        ('"two words" one', [Phrase("two words"), Word("one")]),
        ('-draft -"old plan"', [Word("draft", True), Phrase("old plan", True)]),
        ("a NOT b", [Word("a"), Word("b", True)]),
        ("topic:api", [Filter("topic", "api")]),
        ('-topic:"web hooks"', [Filter("topic", "web hooks", True)]),
        ("KIND:Decisions", [Filter("kind", "decision")]),
        ("is:blocked", [Filter("is", "blocked")]),
        ("before:2026-03", [Filter("before", "2026-03", False, date(2026, 3, 1))]),
        ("after:7d", [Filter("after", "7d", False, date(2026, 11, 13))]),
        ("agent:main:discord:channel:1", [Word("agent:main:discord:channel:1")]),
        ("agent:main", [Filter("agent", "main")]),
        ("src/a.ts --flag", [Word("src/a.ts"), Word("--flag")]),
        ("http://x.y/z", [Word("http://x.y/z")]),
        ("“quoted so”", [Phrase("quoted so")]),
        ("「移行 完了」", [Phrase("移行 完了")]),
        ("存一下", [Word("存一下")]),
        ("- -- * ( )", []),
    ],
)
def test_it_reads(text: str, items: list[Item]) -> None:
    assert list(read(text).items) == items


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ('"open', Note("quote-open", "open")),
        ("kind:zzz", Note("kind-unknown", "zzz")),
        ("topic:", Note("filter-empty", "topic")),
        ("before:soon", Note("day-unknown", "soon")),
        ("is:late", Note("is-unknown", "late")),
        ("a OR b", Note("operator", "OR")),
        ("x " * 800, Note("cut")),
        (" ".join(f"w{n}" for n in range(99)), Note("cut")),
    ],
)
def test_it_tells_what_it_could_not_read(text: str, note: Note) -> None:
    assert note in read(text).notes


def test_a_query_typed_again_is_read_the_same() -> None:
    text = 'deploy "two words" -draft -"old plan" topic:"web hooks" -agent:x after:7d'
    query = read(text)

    assert query.source == text
    assert read(query.source) == query


def test_an_item_can_be_left_out_and_a_filter_exchanged() -> None:
    query = read("deploy kind:topic")

    assert query.less(Word("deploy")).source == "kind:topic"
    assert query.more(Filter("kind", "file")).source == "deploy kind:file"
    assert query.more(Filter("agent", "main")).source == "deploy kind:topic agent:main"


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2026-03-08", date(2026, 3, 8)),
        ("2026/3/8", date(2026, 3, 8)),
        ("2026", date(2026, 1, 1)),
        ("yesterday", date(2026, 11, 19)),
        ("2w", date(2026, 11, 6)),
        ("2026-13-01", None),
        ("9999d", date(1999, 7, 6)),
        ("²", None),
        ("08-03-2026", None),
        ("", None),
    ],
)
def test_days_are_read(text: str, day: date | None) -> None:
    assert read_day(text, TODAY) == day


def test_no_query_fails() -> None:
    rng = random.Random(3)
    parts = ['"', "-", ":", "topic:", "before:", " ", "a", "存", "\0", "“", "NOT", "*"]
    for _ in range(2_000):
        query = read("".join(rng.choices(parts, k=rng.randint(0, 12))))

        assert query.source is not None
        assert len(query.items) <= 64
