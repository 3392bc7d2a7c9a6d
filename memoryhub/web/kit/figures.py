"""A figure as pages show it: a plot, its finding in words, and the same as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import ngettext

from memoryhub.web.kit import plots

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


def hours_label(hours: Sequence[int]) -> str:
    """Return how much happened in a day's hours."""
    number = sum(hours)
    text = ngettext("%(n)s event in 24 hours", "%(n)s events in 24 hours", number)
    return text % {"n": number}


def spark(hours: Sequence[int]) -> SafeString:
    """Return the hours of a day as bars of a table's row."""
    return mark_safe(plots.hours(hours, hours_label(hours)))
