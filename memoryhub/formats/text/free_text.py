"""Neutralisation of block marks in agents' texts, so that they are read back as text.

In a memory file, a line can open a handoff, a snapshot or a managed block. In a text
that is inserted into one, such a line gets ``&lt;``, as in values of blocks.
"""

from __future__ import annotations

import re

from memoryhub.formats.text.source import open_fence

#: Opening or end of a block at the start of a line.
_OPENING = re.compile(
    r"(?m)^([ \t\ufeff]*)<(?=/?(?:task|r)>|!--[ \t]*/?(?:BIG-MEMORY-SNAPSHOT|openclaw))"
)


def without_blocks(text: str) -> str:
    """Return a text with block openings at line starts escaped; idempotent.

    A text without any is unchanged.
    """
    return _OPENING.sub(r"\1&lt;", text) if "<" in text else text


def with_closed_fence(text: str) -> str:
    """Return a text with an open code fence closed, as it would hide later text."""
    fence = open_fence(text)
    return f"{text}\n{fence}" if fence else text
