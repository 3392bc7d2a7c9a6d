"""Entries of a topic's lists, counted, taken out and put back."""

from __future__ import annotations

import pytest

from memoryhub.dialects import topic_context
from memoryhub.dialects.topic_context import (
    DECISIONS,
    HISTORY,
    items_of,
    plain_status,
)
from memoryhub.formats.base import FormatError

TEXT = """# t

## Key Decisions
- a
  more of a
- b
- a

## History
(none yet)
"""


def test_entries_are_counted_by_their_text() -> None:
    assert topic_context.count_of(TEXT, DECISIONS, " a ") == 2
    assert topic_context.count_of(TEXT, HISTORY, "(none yet)") == 0


@pytest.mark.parametrize(
    ("count", "limit", "dropped"),
    [
        (0, 1, ""),
        (1, 4, ""),
        (1, 3, "- a\n  more of a\n"),
        (9, 0, "- a\n  more of a\n- b\n- a\n"),
    ],
)
def test_what_adding_drops_is_named(count: int, limit: int, dropped: str) -> None:
    assert topic_context.dropped_by(TEXT, DECISIONS, count, limit) == dropped


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("text", ["a", "b"])
def test_taken_out_and_put_back_is_the_same(text: str, newline: str) -> None:
    topic = TEXT.replace("\n", newline)
    index, source = topic_context.source_of(topic, DECISIONS, text)

    removed = topic_context.removed(topic, DECISIONS, text)

    assert removed != topic
    assert topic_context.put_at(removed, DECISIONS, index, source) == topic


def test_an_entry_comes_back_to_an_empty_list() -> None:
    edited = topic_context.put_at(TEXT, HISTORY, 3, "- x\n  more of x\n")

    assert edited == TEXT.replace("(none yet)", "- x\n  more of x")


def test_an_entry_comes_back_behind_a_last_line_without_end() -> None:
    edited = topic_context.put_at("## History\n- a", HISTORY, 1, "- b\n")

    assert edited == "## History\n- a\n- b\n"


def test_nothing_put_back_changes_nothing() -> None:
    assert topic_context.put_at(TEXT, DECISIONS, 0, "") is TEXT


def test_an_entry_is_one_line() -> None:
    with pytest.raises(FormatError, match=r"^item-has-newline") as raised:
        topic_context.with_entry(TEXT, DECISIONS, " a\nb ", 20)

    assert raised.value.parameters == {"item": "a\nb"}


def test_a_status_keeps_its_headings_without_ending() -> None:
    status = "# A\n  ## Meta\n## Own\n### History\nfine"

    assert plain_status(status) == "## A\n### Meta\n## Own\n### History\nfine"


@pytest.mark.parametrize(
    ("section", "texts"), [(DECISIONS, ["a", "b", "a", "c"]), (HISTORY, ["c"])]
)
def test_an_entry_is_added_to_its_own_list(section: str, texts: list[str]) -> None:
    edited = topic_context.with_entry(TEXT, section, "c", 20)

    other = HISTORY if section == DECISIONS else DECISIONS
    assert [item.text for item in items_of(edited, section)] == texts
    assert items_of(edited, other) == items_of(TEXT, other)


def test_the_first_entry_comes_back_as_the_first() -> None:
    edited = topic_context.put_at(TEXT, DECISIONS, 0, "- x\n")

    assert edited == TEXT.replace("- a\n  more of a", "- x\n- a\n  more of a")
