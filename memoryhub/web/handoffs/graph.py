"""Waiting graph as SVG: names in columns from left to right; pure.

Deterministic: the same waits give the same drawing. Labels come in words already; every
text is escaped here, and colours are classes of lane.css.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import accumulate, pairwise
from typing import NamedTuple
from unicodedata import east_asian_width

from memoryhub.web.handoffs.graph_order import (
    DEADLOCK,
    FOR_PERSON,
    LONGEST,
    PLAIN,
    Tie,
    columns_of,
)

#: Most names in a drawing; the list next to it has all.
MOST = 14
_WIDTH, _HEIGHT = 88, 26
_COLUMN, _ROW, _EDGE = 140, 50, 8
_MOST_LETTERS = 13
_LETTER = 5.6
#: Few columns are spread over this width; a wider drawing is scrolled, so that its
#: letters stay readable.
_FITS = 540
#: Candidate label positions along a line; the first free one is used.
_ALONG = (0.5, 0.36, 0.64, 0.24, 0.76)
_LABEL = 14


class Place(NamedTuple):
    """A column and a row; `step` is the distance between columns."""

    column: int
    row: int
    step: int = _COLUMN

    @property
    def x(self) -> int:
        return _EDGE + self.column * self.step

    @property
    def y(self) -> int:
        return _EDGE + self.row * _ROW


class Box(NamedTuple):
    """A name with its position; its kind is that of the waits for it, or ``ext``."""

    name: str
    label: str
    kind: str
    x: int
    y: int


class Point(NamedTuple):
    """A point of a drawing."""

    x: float
    y: float


#: A cubic Bézier curve: start, two control points, end.
Curve = tuple[Point, Point, Point, Point]


class Spot(NamedTuple):
    """A rectangle taken up by a label or a box, by its centre."""

    middle: Point
    width: float
    height: float

    def meets(self, other: Spot) -> bool:
        """Return whether two rectangles overlap."""
        return (
            abs(self.middle.x - other.middle.x) < (self.width + other.width) / 2
            and abs(self.middle.y - other.middle.y) < (self.height + other.height) / 2
        )


@dataclass(frozen=True, slots=True)
class Drawing:
    """Positioned names and the waits between them.

    `between` are the places that a wait passes on its way past other names.
    """

    boxes: Mapping[str, Box]
    ties: tuple[Tie, ...]
    between: Mapping[Tie, tuple[Place, ...]]

    def svg(self, finding: str) -> str:
        """Render the drawing; `finding` is its text alternative."""
        corners = [(box.x, box.y) for box in self.boxes.values()]
        for passed in self.between.values():
            corners += [(place.x, place.y) for place in passed]
        width = max((x for x, _ in corners), default=0) + _WIDTH + _EDGE
        height = max((y for _, y in corners), default=0) + _HEIGHT + _EDGE
        parts = (*self._curves(), *map(_box, self.boxes.values()))
        wide = ' class="wide"' if width > _FITS else ""
        return (
            f'<svg{wide} viewBox="0 0 {width} {height + self._below}" role="img"'
            f' aria-label="{escape(finding)}">{"".join(parts)}</svg>'
        )

    @property
    def _below(self) -> int:
        """Height reserved under the boxes for backward waits."""
        return _ROW // 2 if any(map(self._is_back, self.ties)) else 0

    def _is_back(self, tie: Tie) -> bool:
        return self.boxes[tie.on].x <= self.boxes[tie.waiting].x

    def _curves(self) -> Iterator[str]:
        """Yield all lines before the labels, so that no line runs through a label."""
        ends = _Ends(self.ties)
        lines = [self._line(tie, *ends.of(tie)) for tie in self.ties]
        yield from (line for line, _ in lines)
        taken = [_spot_of(box) for box in self.boxes.values()]
        for tie, (_, curve) in zip(self.ties, lines, strict=True):
            taken.append(_free_spot(tie, curve, taken))
            yield _label(tie, taken[-1])

    def _line(self, tie: Tie, out: float, into: float) -> tuple[str, Curve]:
        """Return a wait's line as SVG, and its segment that has the label."""
        start, end = self.boxes[tie.waiting], self.boxes[tie.on]
        if self._is_back(tie):
            return _back(tie, start, end)
        points = [Point(start.x + _WIDTH, start.y + _HEIGHT / 2 + out)]
        for place in self.between.get(tie, ()):
            y = place.y + _HEIGHT / 2
            points += [Point(place.x, y), Point(place.x + _WIDTH, y)]
        points.append(Point(end.x - 6, end.y + _HEIGHT / 2 + into))
        at, to = points[:2] if len(points) == 2 else points[1:3]
        half = (at.x + to.x) / 2
        head = f"M{end.x} {points[-1].y:.1f}l-7 -3.5v7z"
        bent = at, Point(half, at.y), Point(half, to.y), to
        return _curve(tie, _path(points), head), bent


def drawing(
    ties: Iterable[Tie], labels: Mapping[str, str], outside: Iterable[str] = ()
) -> Drawing:
    """Lay out the names of the first waits that fit.

    `labels` replace names in the drawing; names in `outside` are no agents.
    """
    shown = _that_fit(ties)
    columns = columns_of(shown)
    kinds = _kinds(shown) | dict.fromkeys(outside, "ext")
    ways = {tie: _way(tie, columns) for tie in shown}
    places = _places(columns, ways.values())
    boxes = {
        name: Box(
            name,
            _short(labels.get(name, name)),
            kinds.get(name, PLAIN),
            places[name].x,
            places[name].y,
        )
        for name in sorted(columns, key=lambda name: places[name])
    }
    between = {
        tie: tuple(places[stop] for stop in way[1:-1]) for tie, way in ways.items()
    }
    return Drawing(boxes, shown, between)


def _that_fit(ties: Iterable[Tie]) -> tuple[Tie, ...]:
    """Return the ties that fit within `MOST` names, in order."""
    names: set[str] = set()
    shown = []
    for tie in ties:
        both = {tie.waiting, tie.on}
        if tie.waiting != tie.on and len(names | both) <= MOST:
            names |= both
            shown.append(tie)
    return tuple(shown)


#: A name, or for a wait that passes a column: (waiting, on, column).
_Stop = str | tuple[str, str, int]


def _way(tie: Tie, columns: Mapping[str, int]) -> list[_Stop]:
    """Return the stops of a wait, one per column."""
    passed = range(columns[tie.waiting] + 1, columns[tie.on])
    return [tie.waiting, *((tie.waiting, tie.on, at) for at in passed), tie.on]


def _places(
    columns: Mapping[str, int], ways: Iterable[Sequence[_Stop]]
) -> dict[_Stop, Place]:
    """Return the place of each stop, rows ordered by the mean of predecessors' rows."""
    step = max(
        _COLUMN, (_FITS - _WIDTH - 2 * _EDGE) // max(columns.values(), default=1)
    )
    before: dict[_Stop, list[_Stop]] = defaultdict(list)
    stops: dict[int, set[_Stop]] = defaultdict(set)
    for way in ways:
        for stop in way:
            stops[stop[2] if isinstance(stop, tuple) else columns[stop]].add(stop)
        for stop, after in pairwise(way):
            before[after].append(stop)
    places: dict[_Stop, Place] = {}
    for column in sorted(stops):
        rows = {
            stop: [places[s].row for s in before[stop] if s in places]
            for stop in stops[column]
        }
        ordered = sorted(
            rows, key=lambda stop: (sum(rows[stop]) / (len(rows[stop]) or 1), str(stop))
        )
        places |= {stop: Place(column, row, step) for row, stop in enumerate(ordered)}
    return places


def _kinds(ties: Iterable[Tie]) -> dict[str, str]:
    """Return the most urgent kind of wait for each name."""
    kinds: dict[str, str] = {}
    for kind in (PLAIN, LONGEST, FOR_PERSON, DEADLOCK):
        kinds |= {tie.on: kind for tie in ties if tie.kind == kind}
    return kinds


class _Ends:
    """Vertical offsets of lines at boxes, so that they do not coincide."""

    def __init__(self, ties: Sequence[Tie]) -> None:
        self._out: dict[str, list[Tie]] = defaultdict(list)
        self._into: dict[str, list[Tie]] = defaultdict(list)
        for tie in ties:
            self._out[tie.waiting].append(tie)
            self._into[tie.on].append(tie)

    def of(self, tie: Tie) -> tuple[float, float]:
        return (
            _offset(tie, self._out[tie.waiting]),
            _offset(tie, self._into[tie.on]),
        )


def _offset(tie: Tie, ties: Sequence[Tie]) -> float:
    step = min(6.0, (_HEIGHT - 8) / len(ties))
    return (ties.index(tie) - (len(ties) - 1) / 2) * step


def _back(tie: Tie, start: Box, end: Box) -> tuple[str, Curve]:
    """Draw a backward wait as a curve below the boxes."""
    x1, y1 = start.x + _WIDTH / 2, start.y + _HEIGHT
    x2, y2 = end.x + _WIDTH / 2, end.y + _HEIGHT
    low = max(y1, y2) + _ROW * 0.45
    path = f"M{x1} {y1}C{x1} {low} {x2} {low} {x2} {y2 + 6}"
    head = f"M{x2} {y2}l-3.5 7h7z"
    bent = Point(x1, y1), Point(x1, low), Point(x2, low), Point(x2, y2)
    return _curve(tie, path, head), bent


def _path(points: Sequence[Point]) -> str:
    """Return the path through points: curved between columns, straight within them."""
    parts = [f"M{points[0].x} {points[0].y:.1f}"]
    for number, ((x1, y1), (x2, y2)) in enumerate(pairwise(points)):
        half = (x1 + x2) / 2
        bent = f"C{half} {y1:.1f} {half} {y2:.1f} {x2} {y2:.1f}"
        parts.append(bent if number % 2 == 0 else f"H{x2}")
    return "".join(parts)


def _curve(tie: Tie, path: str, head: str) -> str:
    return (
        f'<path class="ed {tie.kind}" d="{path}"/>'
        f'<path class="hd {tie.kind}" d="{head}"/>'
    )


def _free_spot(tie: Tie, curve: Curve, taken: Iterable[Spot]) -> Spot:
    """Return the first label position that overlaps nothing, else the middle."""
    width = sum(map(_letters, tie.label)) * _LETTER + 8
    spots = [Spot(_on(curve, part), width, _LABEL) for part in _ALONG]
    free = (spot for spot in spots if not any(map(spot.meets, taken)))
    return next(free, spots[0])


def _on(curve: Curve, part: float) -> Point:
    """Return the point of a curve at parameter `part` (0 to 1)."""
    left = 1 - part
    weights = left**3, 3 * left**2 * part, 3 * left * part**2, part**3
    return Point(
        sum(w * point.x for w, point in zip(weights, curve, strict=True)),
        sum(w * point.y for w, point in zip(weights, curve, strict=True)),
    )


def _spot_of(box: Box) -> Spot:
    return Spot(Point(box.x + _WIDTH / 2, box.y + _HEIGHT / 2), _WIDTH, _HEIGHT)


def _label(tie: Tie, spot: Spot) -> str:
    x, y = spot.middle
    return (
        f'<rect class="lb" x="{x - spot.width / 2:.1f}" y="{y - _LABEL / 2:.1f}"'
        f' width="{spot.width:.1f}" height="{_LABEL}" rx="3"/>'
        f'<text class="e {tie.kind}" x="{x:.1f}" y="{y + 3.5:.1f}"'
        f' text-anchor="middle">{escape(tie.label)}</text>'
    )


def _box(box: Box) -> str:
    return (
        f'<rect class="nd {box.kind}" x="{box.x}" y="{box.y}" width="{_WIDTH}"'
        f' height="{_HEIGHT}" rx="7"/><text x="{box.x + _WIDTH / 2}"'
        f' y="{box.y + 17}" text-anchor="middle">{escape(box.label)}</text>'
    )


def _short(label: str) -> str:
    """Shorten a name to the width of a box."""
    ends = list(accumulate(map(_letters, label)))
    if not ends or ends[-1] <= _MOST_LETTERS:
        return label
    return f"{label[: bisect_left(ends, _MOST_LETTERS)]}…"


def _letters(char: str) -> int:
    """Return a character's width in letters: wide ones, as in Chinese, count two."""
    return 2 if east_asian_width(char) in "WF" else 1
