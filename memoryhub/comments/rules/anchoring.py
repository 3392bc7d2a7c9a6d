"""Where a commented line is in a later version of its file. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum

#: Least likeness of a changed line with the commented one.
ALIKE = 0.6
#: Lines around the expected place that are compared by likeness, and their characters.
_AROUND, _LONGEST = 200, 400


class Fate(StrEnum):
    """Fate of a commented line."""

    SAME = "same"
    CHANGED = "changed"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class Anchor:
    """A commented line: number from 1, text, and the lines before and after it."""

    line: int
    quote: str
    before: str = ""
    after: str = ""


#: Anchor of what has no line.
NOWHERE = Anchor(0, "")


@dataclass(frozen=True, slots=True)
class Spot:
    """Line at which a comment is shown, 0 for none, and whether its text changed."""

    line: int
    fate: Fate


def anchor_at(lines: Sequence[str], line: int) -> Anchor:
    """Return the anchor of a line, which must exist."""
    before = lines[line - 2] if line > 1 else ""
    after = lines[line] if line < len(lines) else ""
    return Anchor(line, lines[line - 1], before, after)


def spot_of(anchor: Anchor, lines: Sequence[str]) -> Spot:
    """Return where a commented line is in a version with these lines.

    First by its exact text: of several the one between the same neighbours, then the
    nearest. Otherwise the line most alike around its old place, or the only line
    between its neighbours.
    """
    equal = [number for number, text in enumerate(lines, 1) if text == anchor.quote]
    if equal:
        return Spot(_best(anchor, lines, equal), Fate.SAME)
    between = _between(anchor, lines)
    first = max(1, (between or anchor.line) - _AROUND)
    near = range(first, min(len(lines), first + 2 * _AROUND) + 1)
    alike = [(_likeness(anchor.quote, lines[n - 1]), n) for n in near]
    most = max((ratio for ratio, _ in alike), default=0.0)
    if most >= ALIKE:
        found = [number for ratio, number in alike if ratio == most]
        return Spot(_best(anchor, lines, found), Fate.CHANGED)
    return Spot(between, Fate.CHANGED) if between else Spot(0, Fate.GONE)


def _best(anchor: Anchor, lines: Sequence[str], numbers: Iterable[int]) -> int:
    return max(
        numbers,
        key=lambda n: (_neighbours(anchor, lines, n), -abs(n - anchor.line), -n),
    )


def _neighbours(anchor: Anchor, lines: Sequence[str], line: int) -> int:
    """Return how many neighbours of a line are those of the anchor."""
    here = anchor_at(lines, line)
    return (here.before == anchor.before) + (here.after == anchor.after)


def _between(anchor: Anchor, lines: Sequence[str]) -> int:
    """Return the only line between the anchor's neighbours; 0 for none or several."""
    if not (anchor.before.strip() and anchor.after.strip()):
        return 0
    found = [
        number + 1
        for number in range(1, len(lines) - 1)
        if lines[number - 1] == anchor.before and lines[number + 1] == anchor.after
    ]
    return found[0] if len(found) == 1 else 0


def _likeness(one: str, other: str) -> float:
    """Return the likeness of two lines from 0 to 1, cheap for unlike ones."""
    one, other = one.strip()[:_LONGEST], other.strip()[:_LONGEST]
    if not one or not other:
        return 0.0
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    if matcher.real_quick_ratio() < ALIKE or matcher.quick_ratio() < ALIKE:
        return 0.0
    return matcher.ratio()
