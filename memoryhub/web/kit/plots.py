"""Plots as SVG text, and figures: a plot, its finding in words, its data as a table.

Geometry is in attributes, colours in classes of plots.css. Plots take numbers, and
labels in words; every text is escaped here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import log
from typing import NamedTuple

from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import ngettext

#: A plot is drawn at this width and scaled to its column.
WIDTH = 300
_CELL, _GAP = 18, 3
_HEAT_STEPS = 4
#: Room for the labels of a calendar's rows and columns.
_SIDE, _TOP = 34, 20
#: Width of an hour's bar with its gap, and height of the highest.
_HOUR, _HOUR_HEIGHT = 4, 20
#: Where the values of a labelled row begin, and the row's height.
_LABELLED, _ROW = 104, 24
#: Room above the highest value, for its number.
_HEAD = 16
#: Most characters of a label, and most dots of a row.
_LABEL, _DOTS = 16, 60
#: Fewer points than this are not plotted.
_LEAST = 3


class Cell(NamedTuple):
    """A day of the calendar: number of events, label, link."""

    value: int
    label: str
    url: str


class Dumbbell(NamedTuple):
    """A value before and after; unknown ones are None."""

    label: str
    before: int | None
    after: int | None


class Bar(NamedTuple):
    """A bar with its parts from the bottom up."""

    label: str
    parts: tuple[int, ...]


class Point(NamedTuple):
    """A point of a line: position from 0 to 1, and value."""

    at: float
    value: int


class Dots(NamedTuple):
    """Sorted values of a row and their median."""

    label: str
    values: tuple[float, ...]
    middle: float


class Tick(NamedTuple):
    """A labelled value of an axis."""

    value: float
    label: str


class Share(NamedTuple):
    """A part of a whole, also in words."""

    label: str
    part: int
    whole: int
    text: str


@dataclass(frozen=True, slots=True)
class _Frame:
    height: int
    finding: str

    def around(self, parts: Iterable[str]) -> str:
        """Wrap parts in the SVG element; the finding is its text alternative."""
        return (
            f'<svg class="plot" viewBox="0 0 {WIDTH} {self.height}" role="img"'
            f' aria-label="{escape(self.finding)}">{"".join(parts)}</svg>'
        )


def calendar(
    weeks: Sequence[Sequence[Cell | None]],
    finding: str,
    months: Mapping[int, str] | None = None,
    weekdays: Sequence[str] = (),
) -> str:
    """Draw weeks as columns of seven days, in five steps by number of events.

    `months` are labels by the column where they begin, `weekdays` those of the rows.
    A link inside an image is not reached by the keyboard: the table has the links.
    """
    most = max((cell.value for week in weeks for cell in week if cell), default=0)
    step = (WIDTH - _SIDE) / max(len(weeks), 1)
    size = min(step - _GAP, _CELL)
    high = size + _GAP
    cells = (
        f'<rect class="h{heat(cell.value, most)}" x="{_SIDE + column * step:.1f}"'
        f' y="{_TOP + row * high:.1f}" width="{size:.1f}" height="{size:.1f}" rx="3">'
        f"<title>{escape(cell.label)}</title></rect>"
        for column, week in enumerate(weeks)
        for row, cell in enumerate(week)
        if cell
    )
    heads = (
        f'<text x="{_SIDE + column * step:.1f}" y="12">{escape(month)}</text>'
        for column, month in (months or {}).items()
    )
    sides = (
        f'<text x="0" y="{_TOP + row * high + size - 4:.1f}">{escape(day)}</text>'
        for row, day in enumerate(weekdays)
        if day
    )
    return _Frame(round(_TOP + 7 * high), finding).around((*heads, *sides, *cells))


def heat(value: int, most: int) -> int:
    """Return the step of a value: 0 for none, 4 for the maximum."""
    if value <= 0 or most <= 0:
        return 0
    return max(1, min(_HEAT_STEPS, -(-value * _HEAT_STEPS // most)))


def bars(rows: Sequence[Bar], finding: str, *, height: int = 120) -> str:
    """Draw stacked bars, scaled to the greatest sum."""
    most = max((sum(row.parts) for row in rows), default=0) or 1
    step = WIDTH / max(len(rows), 1)
    return _Frame(height, finding).around(_bars(rows, most, step, height - 18))


def _bars(rows: Sequence[Bar], most: int, step: float, floor: int) -> Iterator[str]:
    room = floor - _HEAD
    yield from _axis(most, floor)
    for number, row in enumerate(rows):
        bottom = float(floor)
        for kind, part in enumerate(row.parts):
            high = part * room / most
            bottom -= high
            if part:
                yield (
                    f'<rect class="b{kind + 1}" x="{number * step + 1:.1f}"'
                    f' y="{bottom:.1f}" width="{max(step - 2, 1):.1f}"'
                    f' height="{high:.1f}"><title>{escape(row.label)}</title></rect>'
                )
    yield _ends(rows[0].label, rows[-1].label, floor + 14) if rows else ""


def hours(counts: Sequence[int], finding: str) -> str:
    """Draw the hours of a day as bars, small enough for a table row."""
    most = max(counts, default=0)
    parts = (
        f'<rect x="{place * _HOUR}" y="{_HOUR_HEIGHT - high}" width="{_HOUR - 1}"'
        f' height="{high}"/>'
        for place, number in enumerate(counts)
        if number and (high := max(2, round(number * _HOUR_HEIGHT / most)))
    )
    return (
        f'<svg class="spark" viewBox="0 0 {len(counts) * _HOUR} {_HOUR_HEIGHT}"'
        f' role="img" aria-label="{escape(finding)}" preserveAspectRatio="none">'
        f"{''.join(parts)}</svg>"
    )


def dumbbells(rows: Sequence[Dumbbell], finding: str, *, height: int = 120) -> str:
    """Draw before and after of each row: open circle before, filled after.

    Without a value after, the open circle is alone.
    """
    known = [v for row in rows for v in (row.before, row.after) if v is not None]
    most = max(known, default=0) or 1
    step = WIDTH / max(len(rows), 1)
    return _Frame(height, finding).around(_dumbbells(rows, most, step, height - 18))


def _dumbbells(
    rows: Sequence[Dumbbell], most: int, step: float, floor: int
) -> Iterator[str]:
    yield from _axis(most, floor)
    for number, row in enumerate(rows):
        x = (number + 0.5) * step
        before, after = (
            None if value is None else floor - value * (floor - _HEAD) / most
            for value in (row.before, row.after)
        )
        title = f"<title>{escape(row.label)}</title>"
        if before is not None and after is not None:
            yield (
                f'<line class="ln" x1="{x:.1f}" x2="{x:.1f}"'
                f' y1="{before:.1f}" y2="{after:.1f}"/>'
            )
        for style, y in (("fo", before), ("f2", after)):
            if y is not None:
                yield (
                    f'<circle class="{style}" cx="{x:.1f}" cy="{y:.1f}" r="4">'
                    f"{title}</circle>"
                )
    yield _ends(rows[0].label, rows[-1].label, floor + 14) if rows else ""


def line(
    points: Sequence[Point], limit: int, finding: str, *, height: int = 120
) -> str:
    """Draw values as a line with its last value written, and a dashed limit."""
    floor = height - 18
    most = max([limit, *(point.value for point in points)], default=1) or 1
    scale = (floor - 16) / most
    places = [
        (point.at * (WIDTH - 40), floor - point.value * scale) for point in points
    ]
    return _Frame(height, finding).around(
        _line(places, points, floor - limit * scale, floor)
    )


def _line(
    places: Sequence[tuple[float, float]],
    points: Sequence[Point],
    cap: float,
    floor: int,
) -> Iterator[str]:
    yield f'<line class="ax" x1="0" x2="{WIDTH}" y1="{floor}" y2="{floor}"/>'
    yield f'<line class="cap" x1="0" x2="{WIDTH}" y1="{cap:.1f}" y2="{cap:.1f}"/>'
    if not places:
        return
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    yield f'<polyline class="l1" points="{path}"/>'
    x, y = places[-1]
    yield f'<circle class="f1" cx="{x:.1f}" cy="{y:.1f}" r="4"/>'
    yield (
        f'<text class="strong" x="{x + 8:.1f}" y="{y + 4:.1f}">'
        f"{points[-1].value}</text>"
    )


def dots(rows: Sequence[Dots], ticks: Sequence[Tick], finding: str) -> str:
    """Draw each row's values on a logarithmic axis, the median as a bar.

    The ticks go from the lowest end of the axis to the highest.
    """
    floor = len(rows) * _ROW + 6
    return _Frame(floor + 18, finding).around(_dots(rows, ticks, floor))


def _dots(rows: Sequence[Dots], ticks: Sequence[Tick], floor: int) -> Iterator[str]:
    low, high = ticks[0].value, ticks[-1].value
    room = (WIDTH - _LABELLED - 6) / (log(high / low) or 1)

    def place(value: float) -> float:
        return _LABELLED + log(min(max(value, low), high) / low) * room

    anchors = ("start", *["middle"] * (len(ticks) - 2), "end")
    for tick, anchor in zip(ticks, anchors, strict=True):
        x = place(tick.value)
        yield f'<line class="gr" x1="{x:.1f}" x2="{x:.1f}" y1="0" y2="{floor}"/>'
        yield (
            f'<text x="{x:.1f}" y="{floor + 14}" text-anchor="{anchor}">'
            f"{escape(tick.label)}</text>"
        )
    for number, row in enumerate(rows):
        y = number * _ROW + _ROW / 2
        yield _label(row.label, y)
        for value in _thinned(row.values):
            yield f'<circle class="dot" cx="{place(value):.1f}" cy="{y:.1f}" r="4"/>'
        x = place(row.middle)
        yield f'<line class="mid" x1="{x:.1f}" x2="{x:.1f}" y1="{y - 8}" y2="{y + 8}"/>'


def _axis(most: int, floor: int) -> Iterator[str]:
    """Yield the base line, and the line of the greatest value with its number."""
    yield f'<line class="ax" x1="0" x2="{WIDTH}" y1="{floor}" y2="{floor}"/>'
    yield f'<line class="gr" x1="0" x2="{WIDTH}" y1="{_HEAD}" y2="{_HEAD}"/>'
    yield f'<text x="0" y="{_HEAD - 3}">{most}</text>'


def _thinned(values: Sequence[float]) -> Iterator[float]:
    """Yield evenly spaced values, at most `_DOTS`, with both ends."""
    step = max(1.0, (len(values) - 1) / (_DOTS - 1))
    for number in range(min(len(values), _DOTS)):
        yield values[round(number * step)]


def shares(rows: Sequence[Share], finding: str) -> str:
    """Draw the share of each row as a bar."""
    return _Frame(max(len(rows), 1) * _ROW, finding).around(_shares(rows))


def _shares(rows: Sequence[Share]) -> Iterator[str]:
    room = WIDTH - _LABELLED - 70
    for number, row in enumerate(rows):
        y = number * _ROW + _ROW / 2
        filled = room * row.part / (row.whole or 1)
        bar = f'x="{_LABELLED}" y="{y - 6}" height="12" rx="3"'
        yield _label(row.label, y)
        yield f'<rect class="h0" {bar} width="{room}"/>'
        if row.part:
            yield f'<rect class="b1" {bar} width="{max(filled, 3):.1f}"/>'
        yield (
            f'<text class="strong" x="{WIDTH}" y="{y + 4}" text-anchor="end">'
            f"{escape(row.text)}</text>"
        )


def _label(text: str, y: float) -> str:
    """Draw a row's label; a long name is cut, never the number behind it."""
    name, dot, number = text.rpartition(" · ")
    if not dot:
        name, number = text, ""
    room = max(_LABEL - len(dot + number), 1)
    shown = name if len(name) <= room else f"{name[: room - 1]}…"
    shown += dot + number
    return (
        f'<text x="0" y="{y + 4}">{escape(shown)}<title>{escape(text)}</title></text>'
    )


def _ends(first: str, last: str, y: int) -> str:
    """Return the labels of both ends of the axis, cut at the colon."""
    left, right = (escape(text.partition(":")[0]) for text in (first, last))
    return (
        f'<text x="0" y="{y}">{left}</text>'
        f'<text x="{WIDTH}" y="{y}" text-anchor="end">{right}</text>'
    )


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
    """Return a plot, whose texts are escaped, if there are enough points."""
    return mark_safe(svg if points >= _LEAST else "")


def hours_label(hours: Sequence[int]) -> str:
    """Return the number of events in a day's hours."""
    number = sum(hours)
    text = ngettext("%(n)s event in 24 hours", "%(n)s events in 24 hours", number)
    return text % {"n": number}


def spark(counts: Sequence[int]) -> SafeString:
    """Return the hours of a day as a sparkline of bars."""
    return mark_safe(hours(counts, hours_label(counts)))
