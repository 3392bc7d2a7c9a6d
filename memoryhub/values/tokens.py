"""Estimates of tokens: one for people to read, one that the seeds' own rules use."""

from __future__ import annotations

import re

#: What context-memory-optimizer, OpenClaw and compact.rs take for one token.
SEED_CHARACTERS = 4
#: Letters of which each is about a token: CJK, and all that comes after it.
_WIDE = re.compile("[\u2e80-\U0010ffff]+")


def shown(text: str) -> int:
    """Return about how many tokens a text takes: a CJK letter one, others a quarter.

    Rounded up. Every figure on a page, in REST and MCP is this one, but for limits
    that a seed defines.
    """
    return -(-quarters(text) // 4)


def quarters(text: str) -> int:
    """Return the same estimate in quarters of a token: not rounded, it adds up."""
    if text.isascii():
        return len(text)
    return 4 * len(text) - 3 * len(_WIDE.sub("", text))


def seed(characters: int) -> int:
    """Return the seeds' estimate: four characters are a token, rounded down."""
    return characters // SEED_CHARACTERS
