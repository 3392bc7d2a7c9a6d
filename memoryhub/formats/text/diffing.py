"""Line diff of two texts: lines added, removed and unchanged, with marked words.

Time grows with the length of the texts, never with its square: lines that are unique
in both texts are matched first, and only small gaps between them are searched for the
longest common run. Once a budget is spent, the remaining gaps count as replaced
whole, and no words are marked.

Blame compares versions one after the other; common starts and ends of two texts are
found by slices, so that a log that grows by a line costs a line.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import groupby, zip_longest
from operator import itemgetter
from typing import Literal

from memoryhub.values.budgets import ENDLESS, Budget

Kind = Literal["same", "added", "removed", "ticked"]

#: Stretches of the old and the new text: from and to, from and to.
Gap = tuple[int, int, int, int]
#: Stretches of a line, each with a flag whether it changed.
Parts = tuple[tuple[str, bool], ...]

#: Limit of passes over each line before the remaining gaps count as replaced.
_PASSES = 30
#: A gap of at most this many pairs of lines or words is searched in full.
_SMALL = 10_000
#: Words are compared in lines of at most this length.
_MARKED_LENGTH = 2_000
_WORD = re.compile(r"\w+|\s+|[^\w\s]")
_NUMBER = re.compile(r"(?<![ \t])([ \t]*)\d{1,9}[.)]([ \t])")
_BOX = re.compile(r"(?<![ \t])([ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+)\[([ xX])\]")


@dataclass(frozen=True, slots=True)
class DiffLine:
    """A line of a comparison with its numbers in the old and the new text.

    `parts` are stretches of its text, each with a flag whether it changed.
    """

    kind: Kind
    old: int | None
    new: int | None
    parts: Parts

    @property
    def text(self) -> str:
        return "".join(text for text, _ in self.parts)


@dataclass(frozen=True, slots=True)
class Hunk:
    """Changed lines near each other, with a few unchanged ones around them.

    `skipped` is the number of unchanged lines left out before it.
    """

    lines: tuple[DiffLine, ...]
    skipped: int


def split_text(text: str) -> list[str]:
    """Return the lines of a text without their endings."""
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    return lines[:-1] if lines[-1] == "" else lines


def diff_lines(
    old: Sequence[str],
    new: Sequence[str],
    *,
    first_old: int = 1,
    first_new: int = 1,
    items: bool = False,
    budget: Budget = ENDLESS,
) -> list[DiffLine]:
    """Return the lines of both texts with their kind of change, in order.

    With `items` list items are compared by their text: a new number alone is no
    change, and a ticked box is one line of kind `ticked`.
    """
    key: Callable[[str], str] = _item_key if items else str
    pairs = common_pairs(
        [key(line) for line in old], [key(line) for line in new], budget
    )
    found: list[DiffLine] = []
    at_old = at_new = 0
    for in_old, in_new in [*pairs, (len(old), len(new))]:
        gone, come = old[at_old:in_old], new[at_new:in_new]
        found += _replaced(gone, come, first_old + at_old, first_new + at_new, budget)
        if in_old < len(old):
            ticked = items and _box_of(old[in_old]) != _box_of(new[in_new])
            found.append(
                DiffLine(
                    "ticked" if ticked else "same",
                    first_old + in_old,
                    first_new + in_new,
                    ((new[in_new], False),),
                )
            )
        at_old, at_new = in_old + 1, in_new + 1
    return found


def change_counts(lines: Sequence[DiffLine]) -> tuple[int, int]:
    """Return how many lines were added and removed; a tick is one added line."""
    kinds = Counter(line.kind for line in lines)
    return kinds["added"] + kinds["ticked"], kinds["removed"]


def hunks(lines: Sequence[DiffLine], *, context: int = 3) -> list[Hunk]:
    """Return the changes with `context` unchanged lines around each."""
    spans: list[tuple[int, int]] = []
    for place, line in enumerate(lines):
        if line.kind != "same":
            start, end = max(place - context, 0), min(place + context + 1, len(lines))
            if spans and start <= spans[-1][1]:
                start = spans.pop()[0]
            spans.append((start, end))
    ends = [0, *(end for _, end in spans)]
    return [
        Hunk(tuple(lines[start:end]), start - before)
        for (start, end), before in zip(spans, ends, strict=False)
    ]


def first_changes(found: Sequence[Hunk], limit: int) -> list[Hunk]:
    """Return the beginning of a comparison up to this many changed lines."""
    kept: list[Hunk] = []
    for hunk in found:
        if limit <= 0:
            break
        lines: list[DiffLine] = []
        for line in hunk.lines:
            if limit <= 0:
                break
            lines.append(line)
            limit -= line.kind != "same"
        kept.append(Hunk(tuple(lines), hunk.skipped))
    return kept


def _item_key(line: str) -> str:
    unticked = _BOX.sub(r"\1[ ]", line, count=1)
    return _NUMBER.sub(r"\1#\2", unticked, count=1)


def _box_of(line: str) -> str:
    found = _BOX.match(line)
    return found[2].lower() if found else ""


def _replaced(
    gone: Sequence[str],
    come: Sequence[str],
    first_old: int,
    first_new: int,
    budget: Budget,
) -> Iterator[DiffLine]:
    """Yield removed lines, then the added ones; similar pairs alternate."""
    marked = [
        None if one is None or other is None or budget.is_spent else _marks(one, other)
        for one, other in zip_longest(gone, come)
    ]
    removed = [
        DiffLine("removed", first_old + n, None, _parts_of(marked[n], 0, line))
        for n, line in enumerate(gone)
    ]
    added = [
        DiffLine("added", None, first_new + n, _parts_of(marked[n], 1, line))
        for n, line in enumerate(come)
    ]
    if len(gone) == len(come) and all(marked):
        for pair in zip(removed, added, strict=True):
            yield from pair
    else:
        yield from removed
        yield from added


def _parts_of(marked: tuple[Parts, Parts] | None, side: int, line: str) -> Parts:
    return marked[side] if marked else ((line, False),)


def _marks(old: str, new: str) -> tuple[Parts, Parts] | None:
    """Return both lines with differences marked, or None if little is common."""
    if max(len(old), len(new)) > _MARKED_LENGTH:
        return None
    old_words, new_words = _WORD.findall(old), _WORD.findall(new)
    pairs = common_pairs(old_words, new_words)
    common = sum(len(old_words[place].strip()) for place, _ in pairs)
    if common * 3 < min(len(old), len(new)):
        return None
    kept_old, kept_new = {a for a, _ in pairs}, {b for _, b in pairs}
    return _parts(old_words, kept_old), _parts(new_words, kept_new)


def _parts(words: list[str], kept: set[int]) -> Parts:
    """Join words into stretches; a blank between two marked words is marked too."""
    stretches: list[tuple[str, bool]] = []
    for place, word in enumerate(words):
        changed = place not in kept
        if word.isspace() and place and place + 1 < len(words):
            changed = stretches[-1][1] and place + 1 not in kept
        if stretches and stretches[-1][1] == changed:
            stretches[-1] = (stretches[-1][0] + word, changed)
        else:
            stretches.append((word, changed))
    return tuple(stretches)


def shared_start(old: Sequence[Hashable], new: Sequence[Hashable]) -> int:
    """Return how many lines, or characters, two texts begin with alike.

    Slices are compared whole, which is quicker than one item after the other.
    """
    if isinstance(old, str) and isinstance(new, str) and new.startswith(old):
        return len(old)
    low, high = 0, min(len(old), len(new))
    while low < high:
        middle = (low + high + 1) // 2
        if old[low:middle] == new[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def common_pairs(
    old: Sequence[Hashable], new: Sequence[Hashable], budget: Budget = ENDLESS
) -> list[tuple[int, int]]:
    """Return index pairs of equal elements, rising in both sequences.

    Incomplete once the budget is spent.
    """
    found: list[tuple[int, int]] = []
    gaps = [(0, len(old), 0, len(new))]
    steps = _PASSES * (len(old) + len(new)) + _SMALL
    while gaps and steps > 0 and not budget.is_spent:
        gap = _trimmed(old, new, gaps.pop(), found)
        lines, others = gap[1] - gap[0], gap[3] - gap[2]
        steps -= lines + others
        if not lines or not others:
            continue
        if anchors := _anchors(old, new, gap):
            found += anchors
            gaps += _between(anchors, gap)
        elif lines * others <= _SMALL:
            found += _longest(old, new, gap)
    return sorted(found)


def _trimmed(
    old: Sequence[Hashable],
    new: Sequence[Hashable],
    gap: Gap,
    found: list[tuple[int, int]],
) -> Gap:
    """Return a gap without its equal ends, which are added to `found`."""
    old_from, old_to, new_from, new_to = gap
    head = shared_start(old[old_from:old_to], new[new_from:new_to])
    found += ((old_from + n, new_from + n) for n in range(head))
    old_from, new_from = old_from + head, new_from + head
    tail = shared_start(old[old_from:old_to][::-1], new[new_from:new_to][::-1])
    found += ((old_to - n, new_to - n) for n in range(1, tail + 1))
    return old_from, old_to - tail, new_from, new_to - tail


def _between(anchors: list[tuple[int, int]], gap: Gap) -> Iterator[Gap]:
    old_from, old_to, new_from, new_to = gap
    for in_old, in_new in [*anchors, (old_to, new_to)]:
        if old_from < in_old and new_from < in_new:
            yield old_from, in_old, new_from, in_new
        old_from, new_from = in_old + 1, in_new + 1


def _anchors(
    old: Sequence[Hashable], new: Sequence[Hashable], gap: Gap
) -> list[tuple[int, int]]:
    """Return the longest rising run of elements unique in both sides of a gap."""
    old_from, old_to, new_from, new_to = gap
    in_old = _unique(old, old_from, old_to)
    in_new = _unique(new, new_from, new_to)
    return rising_run(
        [(place, in_new[x]) for x, place in in_old.items() if x in in_new]
    )


def rising_run(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the longest subsequence of pairs with rising second numbers.

    The pairs are given by their first numbers.
    """
    tails: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for number, (_, place) in enumerate(pairs):
        at = bisect_left(tails, place)
        before.append(ends[at - 1] if at else -1)
        tails[at : at + 1] = [place]
        ends[at : at + 1] = [number]
    run: list[tuple[int, int]] = []
    number = ends[-1] if ends else -1
    while number >= 0:
        run.append(pairs[number])
        number = before[number]
    return run[::-1]


def _unique(items: Sequence[Hashable], start: int, end: int) -> dict[Hashable, int]:
    counts = Counter(items[place] for place in range(start, end))
    return {
        items[place]: place for place in range(start, end) if counts[items[place]] == 1
    }


def _longest(
    old: Sequence[Hashable], new: Sequence[Hashable], gap: Gap
) -> Iterator[tuple[int, int]]:
    """Yield a longest common subsequence of a small gap."""
    # Loaded here, because most commands compare nothing.
    distance = import_module("rapidfuzz.distance")
    runs = distance.LCSseq.opcodes(old[gap[0] : gap[1]], new[gap[2] : gap[3]])
    for run in runs.as_matching_blocks():
        yield from ((gap[0] + run.a + n, gap[2] + run.b + n) for n in range(run.size))


#: Number of age steps of a line, 1 the newest.
AGE_STEPS = 5


@dataclass(frozen=True, slots=True)
class Block:
    """Lines next to each other that the same version changed last, from 1 on."""

    origin: int
    first: int
    last: int


def origins_of(
    versions: Sequence[Sequence[str]], budget: Budget = ENDLESS
) -> tuple[list[int], int]:
    """Return the index of the version that introduced each line of the last version.

    Versions come oldest first, as lines, and are compared from the newest back until
    the budget is spent, but at least two of them. Also returned is the index of the
    oldest version reached: lines of that origin may be older. A moved line counts as
    new.
    """
    number = last = max(len(versions) - 1, 0)
    lines = range(len(versions[-1])) if versions else range(0)
    origins = [last] * len(lines)
    # For each line of the version reached: its line in the last version, if any.
    places: list[int | None] = list(lines)
    while number:
        old, new = versions[number - 1], versions[number]
        if old != new:
            time = ENDLESS if number == last else budget
            carried = _carried(old, new, places, time)
            if carried is None:
                break
            places = carried
        number -= 1
        for place in places:
            if place is not None:
                origins[place] = number
    return origins, number


def _carried(
    old: Sequence[str],
    new: Sequence[str],
    places: list[int | None],
    budget: Budget,
) -> list[int | None] | None:
    """Return the places of the lines of the version before; None without the time."""
    head = shared_start(old, new)
    tail = shared_start(old[head:][::-1], new[head:][::-1])
    old_end, new_end = len(old) - tail, len(new) - tail
    middle: list[int | None] = [None] * (old_end - head)
    for in_old, in_new in common_pairs(old[head:old_end], new[head:new_end], budget):
        middle[in_old] = places[head + in_new]
    if budget.is_spent:
        return None
    return places[:head] + middle + places[new_end:]


def blocks_of(origins: Sequence[int]) -> list[Block]:
    """Return the lines that belong together, in order."""
    found: list[Block] = []
    for origin, run in groupby(enumerate(origins, 1), key=itemgetter(1)):
        lines = [line for line, _ in run]
        found.append(Block(origin, lines[0], lines[-1]))
    return found


def age_steps(moments: Sequence[float]) -> list[int]:
    """Return the age step of each moment: 1 for the newest to 5 for the oldest.

    Steps are of moments in their order, not of time: one old line would else make
    all others look new.
    """
    order = sorted(set(moments), reverse=True)
    last = max(len(order) - 1, 1)
    steps = {
        moment: 1 + place * (AGE_STEPS - 1) // last
        for place, moment in enumerate(order)
    }
    return [steps[moment] for moment in moments]
