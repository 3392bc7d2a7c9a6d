from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryhub.formats.base import FormatError, Lines
from memoryhub.formats.big_memory.task_snapshot import find_snapshots
from memoryhub.formats.hub.handoff import find_results, find_tasks
from memoryhub.formats.text.line_edits import (
    append_lines,
    insert_lines,
    one_line,
    remove_lines,
    replace_line,
    with_closed_fence,
    without_blocks,
)
from memoryhub.formats.text.source import fenced_lines

PIECES = st.sampled_from(
    [
        "<task>",
        "<r>",
        "</r>",
        "<task_id>7</task_id>",
        "<status>done</status>",
        "<!-- BIG-MEMORY-SNAPSHOT v1 -->",
        "<!-- /BIG-MEMORY-SNAPSHOT -->",
        "\n",
        " ",
        "```",
        "~~~ ",
    ]
)
TEXTS = st.lists(PIECES | st.text(max_size=3)).map("".join)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "- b\n"),
        ("- a", "- a\n- b\n"),
        ("- a\r\n", "- a\r\n- b\r\n"),
        ("# t\r\n- a", "# t\r\n- a\r\n- b\r\n"),
    ],
)
def test_it_appends_with_the_line_end_of_the_file(text: str, expected: str) -> None:
    assert append_lines(text, "- b") == expected


def test_it_inserts_after_a_line() -> None:
    assert insert_lines("a\nb", 1, "x", "y") == "a\nx\ny\nb"
    assert insert_lines("a\nb", 2, "x") == "a\nb\nx\n"
    assert insert_lines("a\n", 0, "x") == "x\na\n"


def test_it_replaces_a_line_and_keeps_its_end() -> None:
    assert replace_line("a\r\nb\nc", 1, "x") == "x\r\nb\nc"
    assert replace_line("a\r\nb\nc", 3, "x") == "a\r\nb\nx"


def test_it_removes_lines() -> None:
    assert remove_lines("a\nb\nc\n", Lines(1, 2)) == "c\n"


def test_it_refuses_lines_that_are_not_there() -> None:
    with pytest.raises(FormatError):
        remove_lines("a\n", Lines(1, 2))
    with pytest.raises(FormatError):
        replace_line("a\n", 0, "x")


@pytest.mark.parametrize("value", ["a\nb", "a\rb", "  ", ""])
def test_it_refuses_values_that_are_not_a_line(value: str) -> None:
    with pytest.raises(FormatError):
        one_line(value)


def test_it_trims_a_value() -> None:
    assert one_line(" a b ") == "a b"


@given(TEXTS)
def test_nothing_but_text_is_read_back(text: str) -> None:
    plain = without_blocks(text)

    assert not (find_tasks(plain) or find_results(plain) or find_snapshots(plain))
    assert without_blocks(plain) == plain
    assert plain.replace("&lt;", "<") == text.replace("&lt;", "<")


@pytest.mark.parametrize(
    "text", ["Compare a < b.", "Write <task> blocks.", "- <r>", "<!-- trigger: a -->"]
)
def test_what_opens_no_block_is_as_it_was(text: str) -> None:
    assert without_blocks(text) == text


@given(TEXTS)
def test_no_fence_is_left_open(text: str) -> None:
    lines = with_closed_fence(text) + "\nbehind"

    assert lines.count("\n") + 1 not in fenced_lines(lines)


def test_long_texts_are_read_in_time() -> None:
    text = "<" * 50_000 + " " * 50_000 + "`" * 50_000

    assert with_closed_fence(without_blocks(text)) == text
