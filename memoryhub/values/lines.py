"""A range of lines in a text."""

from __future__ import annotations

from typing import NamedTuple


class Lines(NamedTuple):
    """A range of lines in a text, counted from 1, both ends included."""

    first: int
    last: int
