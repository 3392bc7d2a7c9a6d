"""Token estimates: one for display, one for the seeds' own rules."""

from __future__ import annotations

import re

#: Characters per token in context-memory-optimizer, OpenClaw and compact.rs.
SEED_CHARACTERS = 4
#: Characters of about a token each: CJK, and all code points above.
_WIDE = re.compile("[\u2e80-\U0010ffff]+")
_ASCII = bytes(range(128))


def shown(text: str) -> int:
    """Estimate a text's tokens: one per CJK letter, a quarter per other one.

    Rounded up. Used for every figure on pages, in REST and MCP, except limits that a
    seed defines.
    """
    return rounded(quarters(text))


def rounded(number: int) -> int:
    """Return a number of quarters in tokens, rounded up."""
    return -(-number // 4)


def quarters(text: str) -> int:
    """Estimate in quarters of a token: not rounded, so it can be summed."""
    others = beyond_ascii(text)
    return len(text) + 3 * (len(others) - len(_WIDE.sub("", others)))


def beyond_ascii(text: str) -> str:
    """Return the characters of a text beyond ASCII: of most texts they are few."""
    if text.isascii():
        return ""
    data = text.encode("utf-8", "surrogatepass").translate(None, _ASCII)
    return data.decode("utf-8", "surrogatepass")


def seed(characters: int) -> int:
    """Estimate tokens like the seeds: four characters each, rounded down."""
    return characters // SEED_CHARACTERS
