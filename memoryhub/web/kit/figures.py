"""A figure: plot, finding in words, and its data as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import ngettext

from memoryhub.web.kit import plots

#: Fewer points than this are not plotted.
_LEAST = 3


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure; `svg` is empty if there is too little to plot.

    `rows` are table cells as (text, address or empty); `keys` name the colours.
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
    """Return a plot if there are enough points; `plots` has escaped every text."""
    return mark_safe(svg if points >= _LEAST else "")


def hours_label(hours: Sequence[int]) -> str:
    """Return the number of events in a day's hours."""
    number = sum(hours)
    text = ngettext("%(n)s event in 24 hours", "%(n)s events in 24 hours", number)
    return text % {"n": number}


def spark(hours: Sequence[int]) -> SafeString:
    """Return the hours of a day as a sparkline of bars."""
    return mark_safe(plots.hours(hours, hours_label(hours)))
