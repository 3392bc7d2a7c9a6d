"""Texts that agents give to be remembered: what is read back of them is text alone.

In a memory file, a line can open a handoff, a snapshot or a managed block. Of a text
that is put into one, such a line gets ``&lt;``, as values of blocks do.
"""

from __future__ import annotations

import re

from memoryhub.formats.text.source import open_fence

#: What opens or ends a block at the start of a line.
_OPENING = re.compile(
    r"(?m)^([ \t\ufeff]*)<(?=/?(?:task|r)>|!--[ \t]*/?(?:BIG-MEMORY-SNAPSHOT|openclaw))"
)


def without_blocks(text: str) -> str:
    """Return a text none of whose lines opens a block; one that has none is as it was.

    It is the same when it is done again.
    """
    return _OPENING.sub(r"\1&lt;", text) if "<" in text else text


def with_closed_fence(text: str) -> str:
    """Return a text that leaves no code fence open, which would hide what follows."""
    fence = open_fence(text)
    return f"{text}\n{fence}" if fence else text
