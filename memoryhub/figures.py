"""A figure as pages show it: a plot, its finding in words, and the same as a table."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.safestring import SafeString, mark_safe

#: Fewer points than this are told in a sentence.
_LEAST = 3


@dataclass(frozen=True, slots=True)
class Figure:
    """Something measured; `svg` is empty where there is too little to draw.

    `rows` are cells of a table, each a text and where it leads to, or nothing; `keys`
    name the colours.
    """

    code: str
    title: str
    note: str
    finding: str
    svg: SafeString
    columns: tuple[str, ...]
    rows: tuple[tuple[tuple[str, str], ...], ...]
    keys: tuple[tuple[int, str], ...] = ()


def drawn(svg: str, points: int) -> SafeString:
    """Return a plot, if there are enough points; `plots` has escaped every text."""
    return mark_safe(svg if points >= _LEAST else "")
