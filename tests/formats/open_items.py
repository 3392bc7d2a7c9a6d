"""What the hub reads as open in a text."""

from __future__ import annotations

from pathlib import PurePosixPath

from memoryhub.dialects import daily_log
from memoryhub.dialects.facts import facts_of
from memoryhub.dialects.registry import parse


def items(text: str) -> list[str]:
    """Return the texts of what a log leaves open."""
    return [one.text for one in daily_log.parse(text).open_items if not one.done]


def items_at(path: str, text: str) -> list[str]:
    """Return the texts of what the file at a path leaves open."""
    place = PurePosixPath(path)
    found = facts_of(parse(place, text)).statements(place).open_items
    return [one.text for one in found if not one.done]
