"""Edits of single lines of a text, and agents' texts made safe to insert.

In a memory file, a line can open a handoff, a snapshot or a managed block. In an
inserted text, such a line gets ``&lt;``, as in values of blocks.
"""

from __future__ import annotations

import re

from memoryhub.formats.base import FormatError, Lines
from memoryhub.formats.text.source import newline_of, open_fence, split_lines

#: Opening or end of a block at the start of a line.
_OPENING = re.compile(
    r"(?m)^([ \t\ufeff]*)<(?=/?(?:task|r)>|!--[ \t]*/?(?:BIG-MEMORY-SNAPSHOT|openclaw))"
)


def one_line(value: str) -> str:
    """Return a stripped value; FormatError if it is not a single line.

    Raises `value-has-newline`, and `value-is-empty` where nothing is left.
    """
    if "\n" in value or "\r" in value:
        raise FormatError("value-has-newline")
    if not value.strip():
        raise FormatError("value-is-empty")
    return value.strip()


def folded(text: str) -> str:
    """Return a text in one line, with one blank wherever it has some."""
    return " ".join(text.split())


def append_lines(text: str, *lines: str) -> str:
    """Return the text with these lines at its end.

    The rule of OpenClaw's memory flush: a line end is put in between only if the
    text is not empty and has none at its end.
    """
    end = newline_of(text)
    gap = "" if not text or text.endswith("\n") else end
    return text + gap + "".join(line + end for line in lines)


def insert_lines(text: str, after: int, *lines: str) -> str:
    """Return the text with these lines after line number `after`."""
    old = split_lines(text)
    if after >= len(old):
        return append_lines(text, *lines)
    end = newline_of(text)
    return "".join([*old[:after], *(line + end for line in lines), *old[after:]])


def replace_line(text: str, number: int, line: str) -> str:
    """Return the text with this line instead of line `number`; its line end stays.

    Raises FormatError ``line-unknown``.
    """
    old = split_lines(text)
    if not 1 <= number <= len(old):
        raise FormatError("line-unknown", number)
    before = old[number - 1]
    end = before[len(before.rstrip("\r\n")) :]
    old[number - 1] = line + end
    return "".join(old)


def remove_lines(text: str, lines: Lines) -> str:
    """Return the text without these lines."""
    old = split_lines(text)
    if not 1 <= lines.first <= lines.last <= len(old):
        raise FormatError("line-unknown", lines.first)
    return "".join(old[: lines.first - 1] + old[lines.last :])


def without_blocks(text: str) -> str:
    """Return a text with block openings at line starts escaped; idempotent.

    A text without any is unchanged.
    """
    return _OPENING.sub(r"\1&lt;", text) if "<" in text else text


def with_closed_fence(text: str) -> str:
    """Return a text with an open code fence closed, as it would hide later text."""
    fence = open_fence(text)
    return f"{text}\n{fence}" if fence else text
