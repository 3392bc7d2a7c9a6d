"""Text of files on a terminal: what would act on it is shown instead."""

from __future__ import annotations

import json
import logging

import pytest

from memoryhub.disk.files import text_path
from memoryhub.errors.terminal import LogFormatter, json_text, lines, one_line, quoted


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain, 中文, 👩‍👩‍👦 and ü", "plain, 中文, 👩‍👩‍👦 and ü"),
        ("\x1b]0;PWNED\x07", r"\x1b]0;PWNED\x07"),
        ("\x9b2J\x7f", r"\x9b2J\x7f"),
        ("a\u202eb\u2066c", r"a\u202eb\u2066c"),
        ("a\nws: Import #99", r"a\nws: Import #99"),
        ("over\rwritten", r"over\rwritten"),
        ("\ud800", r"\ud800"),
    ],
)
def test_a_line_stays_one_line_and_moves_nothing(text: str, shown: str) -> None:
    assert one_line(text) == shown


def test_a_text_keeps_its_lines_and_tabs() -> None:
    assert lines("a\r\nb\tc\n") == "a\r\nb\tc\n"
    assert lines("a\rb\v\x1b[1A") == r"a\rb\x0b\x1b[1A"


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("memory/notes of ü.md", "memory/notes of ü.md"),
        ("a\nb.md", r'"a\nb.md"'),
        ('a"b\\c', r'"a\"b\\c"'),
        ("\x1b[2J", r'"\033[2J"'),
        ("\u202egnp.md", r'"\342\200\256gnp.md"'),
        (text_path(b"\xff.md".decode("utf-8", "surrogateescape")), r'"\377.md"'),
        ("\ud800", r'"\355\240\200"'),
    ],
)
def test_a_name_is_quoted_as_git_does(name: str, shown: str) -> None:
    assert quoted(name) == shown


@pytest.mark.parametrize("text", ["\x7f\x9b\u202e", "\ud800", "\U000e0041", "ü\n"])
def test_json_says_the_same_without_what_acts_on_a_terminal(text: str) -> None:
    told = json_text(json.dumps({"text": text}, ensure_ascii=False))

    assert json.loads(told) == {"text": text}
    assert lines(told) == told


def logged(message: str, error: Exception | None = None) -> str:
    info = (type(error), error, None) if error else None
    record = logging.LogRecord("hub", logging.ERROR, "", 1, message, ("\x1b[2J",), info)
    return LogFormatter().format(record)


def test_a_log_entry_is_one_line() -> None:
    assert logged("%s\nforged") == r"\x1b[2J\nforged"


def test_what_hinders_the_hub_is_logged_without_a_traceback() -> None:
    full = OSError(28, "No space left on device")

    assert logged("%s failed", full) == (
        r"\x1b[2J failed ([Errno 28] No space left on device)"
    )
    assert "ValueError: a bug" in logged("%s failed", ValueError("a bug"))
