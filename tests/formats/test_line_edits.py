from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryhub.dialects.handoff import find_results, find_tasks
from memoryhub.dialects.task_snapshot import find_snapshots
from memoryhub.formats.base import FormatError, Lines
from memoryhub.formats.text.line_edits import (
    append_lines,
    folded,
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
    assert insert_lines("a\r\nb", 1, "x") == "a\r\nx\r\nb"
    assert insert_lines("a\nb\n", 9, "x") == "a\nb\nx\n"


def test_it_replaces_a_line_and_keeps_its_end() -> None:
    assert replace_line("a\r\nb\nc", 1, "x") == "x\r\nb\nc"
    assert replace_line("a\r\nb\nc", 3, "x") == "a\r\nb\nx"
    assert replace_line("a\nto Axis X\r\nb", 2, "x") == "a\nx\r\nb"


def test_it_removes_lines() -> None:
    assert remove_lines("a\nb\nc\n", Lines(1, 2)) == "c\n"
    assert remove_lines("a\nb\nc\n", Lines(2, 2)) == "a\nc\n"
    assert remove_lines("a\nb", Lines(2, 2)) == "a\n"


@pytest.mark.parametrize("lines", [Lines(1, 2), Lines(0, 1), Lines(2, 2), Lines(2, 1)])
def test_it_refuses_lines_that_are_not_there(lines: Lines) -> None:
    with pytest.raises(FormatError) as caught:
        remove_lines("a\n", lines)

    assert (caught.value.code, caught.value.line) == ("line-unknown", lines.first)


@pytest.mark.parametrize("number", [0, 2])
def test_it_refuses_to_replace_a_line_that_is_not_there(number: int) -> None:
    with pytest.raises(FormatError) as caught:
        replace_line("a\n", number, "x")

    assert (caught.value.code, caught.value.line) == ("line-unknown", number)


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ("a\nb", "value-has-newline"),
        ("a\rb", "value-has-newline"),
        ("  ", "value-is-empty"),
        ("", "value-is-empty"),
    ],
)
def test_it_refuses_values_that_are_not_a_line(value: str, code: str) -> None:
    with pytest.raises(FormatError) as caught:
        one_line(value)

    assert caught.value.code == code


def test_a_folded_text_is_one_line_with_single_blanks() -> None:
    assert folded(" a\r\n\n  b\tc ") == "a b c"


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


def test_a_fence_is_closed_by_its_own_mark() -> None:
    assert with_closed_fence("a\n~~~~py\nb") == "a\n~~~~py\nb\n~~~~"
    assert with_closed_fence("```\na\n```\n") == "```\na\n```\n"


def test_what_opens_a_block_is_escaped_behind_its_indent() -> None:
    assert without_blocks("a\n \t<task>\n</r>") == "a\n \t&lt;task>\n&lt;/r>"


def test_long_texts_are_read_in_time() -> None:
    text = "<" * 50_000 + " " * 50_000 + "`" * 50_000

    assert with_closed_fence(without_blocks(text)) == text
