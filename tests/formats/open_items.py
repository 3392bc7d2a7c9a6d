"""What the hub reads as open in a text."""

from __future__ import annotations

from pathlib import PurePosixPath

from memoryhub.dialects import daily_log
from memoryhub.dialects.registry import parse


def items(text: str) -> list[str]:
    """Return the texts of what a log leaves open."""
    found = daily_log.parse(text).statements().open_items
    return [one.text for one in found if not one.done]


def items_at(path: str, text: str) -> list[str]:
    """Return the texts of what the file at a path leaves open."""
    found = parse(PurePosixPath(path), text).statements().open_items
    return [one.text for one in found if not one.done]
