"""Write lane and waiting graph: drawing, list, sentence.

The drawing is SVG: names in columns from left to right, the longest chain first; waits
that would close a circle are ignored. The same waits give the same drawing. It takes
labels in words; every text is escaped here, and colours are classes of lane.css.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from html import escape
from itertools import accumulate, pairwise
from typing import Any, NamedTuple
from unicodedata import east_asian_width

from django.utils.translation import gettext, ngettext

from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.lane import OpenWork, Overlap, open_work, past_overlaps
from memoryhub.handoffs.queries.waiting import Deadlock
from memoryhub.handoffs.rules.acting import BLOCKED, Lane
from memoryhub.handoffs.rules.fields import PERSON
from memoryhub.journal.page_cache import cached_by_handoffs
from memoryhub.values.identity import code_of
from memoryhub.web.handoffs.cards import since_sent, title_of
from memoryhub.web.kit.clock import span_label
from memoryhub.web.kit.frame import Shell
from memoryhub.web.kit.labels import awaited_cause, listed
from snapshots.models import Snapshot

#: Kinds of waits, most urgent first: in a circle, for a person, in the longest chain,
#: any other.
DEADLOCK, FOR_PERSON, LONGEST, PLAIN = "bad", "you", "hot", ""
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
#: Most slots of the lane, reads, waits and named handoffs that are shown.
_SLOTS, _READS, _ROWS, _NAMED = 4, 4, 100, 5
#: Most waits that are shown unfolded: a card shows them without a bar to scroll.
_WAITS = 8
#: Most deadlocks that are shown unfolded: those of one tangle are many.
_CIRCLES = 3
#: Most waits that are drawn; the lines of more cross too often to be followed.
_DRAWN = 20
_REASON = 300
#: Slots reserved for the next writes if many are held.
_NEXT = 2
#: Prefix that no agent's name can have, for names outside the workspace.
_OUTSIDE = "\x1f"


class Tie(NamedTuple):
    """A wait of one name for another: its duration in words and its kind."""

    waiting: str
    on: str
    label: str
    kind: str = PLAIN


def longest_chain(ties: Iterable[Tie]) -> tuple[str, ...]:
    """Return the longest chain of waiting names, without circles."""
    ahead = _ahead(ties)
    best: dict[str, tuple[str, ...]] = {}
    for name in reversed(_in_order(ahead)):
        ways = [best.get(on, (on,)) for on in ahead.get(name, ())]
        best[name] = (name, *max(ways, key=len, default=()))
    return max(best.values(), key=len, default=())


def columns_of(ties: Sequence[Tie]) -> dict[str, int]:
    """Return the column of each name: right of all names that wait for it."""
    ahead = _ahead(ties)
    columns: dict[str, int] = {}
    for name in _in_order(ahead):
        own = columns.setdefault(name, 0)
        for on in ahead.get(name, ()):
            columns[on] = max(columns.get(on, 0), own + 1)
    return columns


def _ahead(ties: Iterable[Tie]) -> dict[str, list[str]]:
    """Return the waits as adjacency lists, without those that close a circle."""
    ahead: dict[str, list[str]] = defaultdict(list)
    for tie in ties:
        if tie.on not in ahead[tie.waiting] and not _leads(ahead, tie.on, tie.waiting):
            ahead[tie.waiting].append(tie.on)
    return dict(ahead)


def _leads(ahead: Mapping[str, Sequence[str]], start: str, end: str) -> bool:
    """Return whether waits lead from `start` to `end`; true if both are the same."""
    todo, seen = [start], {start}
    while todo:
        name = todo.pop()
        if name == end:
            return True
        further = set(ahead.get(name, ())) - seen
        seen |= further
        todo += further
    return False


def _in_order(ahead: Mapping[str, Sequence[str]]) -> list[str]:
    """Sort the names topologically: each before the names it waits for."""
    waited = {on for found in ahead.values() for on in found}
    left = dict.fromkeys(sorted({*ahead} | waited), 0)
    for found in ahead.values():
        for on in found:
            left[on] += 1
    ready, ordered = [name for name, n in left.items() if not n], []
    while ready:
        ordered.append(name := ready.pop(0))
        for on in ahead.get(name, ()):
            left[on] -= 1
            if not left[on]:
                ready.append(on)
    return ordered


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


@dataclass(frozen=True, slots=True)
class Slot:
    """A write in the lane, or a read: `kind` is "now", "hold", "read" or empty."""

    row: Handoff
    kind: str
    shell: Shell

    @property
    def span(self) -> str:
        """Time since its last step."""
        return span_label(self.shell.clock.now - self.row.since)

    @property
    def title(self) -> str:
        return title_of(self.row)

    @property
    def url(self) -> str:
        return self.shell.addresses.handoff(code_of(self.row.id))


@dataclass(frozen=True)
class LaneShown:
    """The write lane for display: writing, next and held writes, concurrent reads."""

    work: OpenWork
    shell: Shell

    @cached_property
    def lane(self) -> Lane:
        return self.work.lane

    @property
    def is_empty(self) -> bool:
        return not (self.lane.order or self.work.reads)

    @property
    def now(self) -> Slot | None:
        """The write in progress that was sent first."""
        return next((Slot(row, "now", self.shell) for row in self.lane.now), None)

    @cached_property
    def slots(self) -> list[Slot]:
        """The first writes of each kind, at most four in all."""
        lane = self.lane
        following = max(_NEXT, _SLOTS - len(lane.now) - len(lane.held))
        kinds = (("now", lane.now), ("", lane.next[:following]), ("hold", lane.held))
        found = [Slot(row, kind, self.shell) for kind, rows in kinds for row in rows]
        return found[:_SLOTS]

    @property
    def left_out(self) -> int:
        return len(self.lane.order) - len(self.slots)

    @property
    def overlapping(self) -> Sequence[Handoff]:
        """Writes in progress at the same time; empty if the rule holds."""
        return self.lane.overlapping

    @property
    def overlapping_ids(self) -> str:
        return _ids(self.overlapping)

    @property
    def unsigned_ids(self) -> str:
        """Names of decisions begun without a sign-off."""
        return _ids(self.work.unsigned)

    @property
    def past_overlaps(self) -> list[tuple[Overlap, str]]:
        """Recent overlaps of writes, found from the files alone, with their names."""
        clock, workspace = self.shell.clock, self.shell.workspace
        found = cached_by_handoffs(
            workspace,
            ("past overlaps", clock.now.date()),
            lambda: past_overlaps(workspace, clock.now),
        )
        return [(overlap, _listed(overlap.names)) for overlap in found]

    @property
    def reads(self) -> list[Slot]:
        """The first reads in progress."""
        return [Slot(read, "read", self.shell) for read in self.work.reads[:_READS]]


@dataclass(frozen=True, slots=True)
class WaitRow:
    """An agent waiting for another: the oldest of its handoffs, or a blocked snapshot.

    `more` counts the other handoffs between the same two.
    """

    cause: Handoff | Snapshot
    shell: Shell
    more: int = 0
    kind: str = PLAIN

    @property
    def outside(self) -> bool:
        """Return whether it waits for something that is no agent of the workspace."""
        return isinstance(self.cause, Snapshot)

    @property
    def waiting(self) -> str:
        if isinstance(self.cause, Snapshot):
            return self.cause.agent.name if self.cause.agent else ""
        return self.cause.sender

    @property
    def on(self) -> str:
        if isinstance(self.cause, Snapshot):
            return awaited_cause(self.cause.blocked_by)[:_REASON]
        return self.cause.acts

    @property
    def since(self) -> datetime:
        if isinstance(self.cause, Snapshot):
            return self.cause.occurred_at
        return self.cause.sent_at

    @property
    def span(self) -> str:
        """How long it waits; empty if no file gives a time."""
        return since_sent(self.shell.clock.now - self.since, self.cause.precision)

    @property
    def url(self) -> str:
        if isinstance(self.cause, Snapshot):
            return self.shell.addresses.snapshot(self.cause.code)
        return self.shell.addresses.handoff(code_of(self.cause.id))

    @property
    def is_blocked(self) -> bool:
        return self.outside or getattr(self.cause, "state", "") == BLOCKED

    @property
    def for_person(self) -> bool:
        return self.on == PERSON and not self.outside

    @property
    def node(self) -> str:
        """Node name in the drawing: distinct from an agent of the same name."""
        return f"{_OUTSIDE}{self.on}" if self.outside else self.on


def lane_shown(shell: Shell) -> LaneShown:
    """Return the lane for the board and the overview."""
    return LaneShown(open_work(shell.workspace), shell)


def circle_shown(circle: Deadlock) -> str:
    """Return a deadlock in words: its agents, then its tasks."""
    names = " → ".join((*circle.agents, circle.agents[0]))
    tasks = " → ".join((*circle.tasks, circle.tasks[0]))
    return f"{names} ({tasks})"


def _ids(handoffs: Sequence[Handoff]) -> str:
    return _listed([handoff.name for handoff in handoffs])


def _listed(names: Sequence[str]) -> str:
    """Return the first names, and how many more there are."""
    more = len(names) - _NAMED
    if more <= 0:
        return listed(names)
    rest = ngettext("and %(n)s more", "and %(n)s more", more) % {"n": more}
    return f"{listed(names[:_NAMED])} {rest}"


def wait_rows(shell: Shell) -> list[WaitRow]:
    """Return up to 100 waits, most urgent first."""
    return _ordered(shell)[0][:_ROWS]


def waiting_shown(shell: Shell) -> dict[str, Any]:
    """Return the waiting graph in words and as a drawing."""
    rows, chain = _ordered(shell)
    circles = shell.waiting.circles
    return {
        "rows": rows[:_ROWS],
        "svg": _svg(rows, circles),
        "first": rows[:_WAITS],
        "rest": rows[_WAITS:_ROWS],
        "deadlocks": [circle_shown(circle) for circle in circles[:_CIRCLES]],
        "further": [circle_shown(circle) for circle in circles[_CIRCLES:]],
        "chain": _longest(chain, rows),
    }


def _ordered(shell: Shell) -> tuple[list[WaitRow], tuple[str, ...]]:
    """Return the waits by urgency, and the longest chain."""
    rows = _rows(open_work(shell.workspace).waits, shell)
    chain = longest_chain(Tie(row.waiting, row.node, "") for row in rows)
    return _by_urgency(rows, shell.waiting.circles, chain), chain


def _rows(found: Iterable[Handoff], shell: Shell) -> list[WaitRow]:
    """Return the waits merged per pair, longest first; blocked topics included."""
    times: dict[tuple[str, str], list[Handoff]] = {}
    for wait in found:
        times.setdefault((wait.sender, wait.acts), []).append(wait)
    rows = [_row(alike, shell) for alike in times.values()]
    rows += [
        WaitRow(snapshot, shell)
        for snapshot in shell.waiting.blocked
        if snapshot.agent and snapshot.blocked_by
    ]
    return sorted(rows, key=lambda row: row.since)[: 2 * _ROWS]


def _row(alike: Sequence[Handoff], shell: Shell) -> WaitRow:
    first, *others = alike
    kind = FOR_PERSON if first.acts == PERSON else PLAIN
    return WaitRow(first, shell, len(others), kind)


def _by_urgency(
    rows: Iterable[WaitRow],
    circles: Iterable[Deadlock],
    chain: Sequence[str],
) -> list[WaitRow]:
    """Return rows by kind: circles, waits for a person, longest chain, others."""
    around = set(_around(circles))
    along = set(pairwise(chain)) if len(chain) > 2 else set()
    kinds = [DEADLOCK, FOR_PERSON, LONGEST, PLAIN]
    named = []
    for row in rows:
        kind = row.kind
        if (row.waiting, row.node) in along and not row.for_person:
            kind = LONGEST
        if (row.waiting, row.on) in around and not row.outside:
            kind = DEADLOCK
        named.append(replace(row, kind=kind))
    return sorted(named, key=lambda row: (kinds.index(row.kind), row.since))


def _around(circles: Iterable[Deadlock]) -> Iterator[tuple[str, str]]:
    """Yield the pairs of agents of deadlocks, the first waiting for the second."""
    for circle in circles:
        if len(circle.agents) > 1:
            yield from pairwise((*circle.agents, circle.agents[0]))


def _svg(rows: Sequence[WaitRow], circles: Iterable[Deadlock]) -> str:
    """Return the drawing; empty without waits, and where too many would cross."""
    ties = [Tie(row.waiting, row.node, row.span, row.kind) for row in rows]
    known = {(tie.waiting, tie.on) for tie in ties}
    ties += [Tie(*pair, "", DEADLOCK) for pair in _around(circles) if pair not in known]
    if not 0 < len(ties) <= _DRAWN:
        return ""
    outside = {row.node: row.on for row in rows if row.outside}
    labels = {PERSON: gettext("you"), **outside}
    finding = gettext("Waiting graph; the list beside it has the same data")
    return drawing(ties, labels, outside).svg(finding)


def _longest(chain: Sequence[str], rows: Sequence[WaitRow]) -> dict[str, str]:
    """Return names and age of the longest chain; {} if it has under three names."""
    if len(chain) < 3:
        return {}
    names = [
        gettext("you") if name == PERSON else name.removeprefix(_OUTSIDE)
        for name in chain
    ]
    last = next(r for r in rows if (r.waiting, r.node) == tuple(chain[-2:]))
    return {"names": " → ".join(names), "age": last.span}
