"""Git's conflict markers: stretches of a text of which nobody has chosen a side. Pure.

Neither side is stated until it is settled: readers get `settled`, in which the lines of
the stretches are empty, so that all others keep their numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import astuple
from typing import NamedTuple

from memoryhub.formats.base import Lines
from memoryhub.formats.text.merging import Clash, Part, joined, merge
from memoryhub.formats.text.source import fenced_lines, split_lines

_OURS, _BASE, _MIDDLE, _THEIRS = "<<<<<<<", "|||||||", "=======", ">>>>>>>"


class Unsettled(NamedTuple):
    """A stretch between conflict markers, its lines with them, and both sides."""

    lines: Lines
    clash: Clash


def unsettled(text: str) -> list[Unsettled]:
    """Return the stretches of conflict markers outside of code blocks.

    One whose last marker is missing goes on to the end.
    """
    return list(_found(text)) if f"\n{_OURS}" in f"\n{text}" else []


def settled(text: str) -> str:
    """Return a text with the lines of its conflicts emptied; line numbers are kept."""
    found = unsettled(text)
    if not found:
        return text
    lines = split_lines(text)
    for (first, last), _ in found:
        for at in range(first - 1, last):
            lines[at] = lines[at][len(lines[at].rstrip("\r\n")) :]
    return "".join(lines)


def parts_of(text: str) -> tuple[Part, ...]:
    """Return a text as settled parts and clashes: `disk` is ours, `here` is theirs.

    Where the markers have the base, what one side alone changed in it is settled.
    """
    return joined(_parts(text))


def _parts(text: str) -> Iterator[Part]:
    lines, done = split_lines(text), 0
    for (first, last), clash in unsettled(text):
        yield "".join(lines[done : first - 1])
        yield from merge(*astuple(clash)) if clash.base else (clash,)
        done = last
    yield "".join(lines[done:])


def _found(text: str) -> Iterator[Unsettled]:
    fenced = fenced_lines(text)
    first, side = 0, ""
    sides: dict[str, list[str]] = {}
    lines = split_lines(text)
    # The marker behind the last line ends a stretch that nothing else did.
    for number, line in enumerate([*lines, _THEIRS], 1):
        mark = line[:7] if line[7:8] in (" ", "\r", "\n", "") else ""
        if mark == _OURS and number not in fenced:
            first, side, sides = number, _OURS, {}
        elif first and (side, mark) in (
            (_OURS, _BASE), (_OURS, _MIDDLE), (_BASE, _MIDDLE)
        ):  # fmt: skip
            side = mark
        elif first and side == _MIDDLE and mark == _THEIRS:
            base, ours, theirs = (
                "".join(sides.get(one, ())) for one in (_BASE, _OURS, _MIDDLE)
            )
            last = min(number, len(lines))
            yield Unsettled(Lines(first, last), Clash(base, ours, theirs))
            first = 0
        elif first:
            sides.setdefault(side, []).append(line)
