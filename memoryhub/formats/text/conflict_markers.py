"""Conflict markers of git and jj: stretches of which nobody has chosen a side. Pure.

Neither side is stated until it is settled: readers get `settled`, in which the lines of
the stretches are empty, so that all others keep their numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import astuple
from typing import NamedTuple

from memoryhub.formats.base import Lines
from memoryhub.formats.text.merging import Clash, Part, joined, merge
from memoryhub.formats.text.source import fenced_lines, split_lines

_OURS, _BASE, _MIDDLE, _THEIRS = "<<<<<<<", "|||||||", "=======", ">>>>>>>"
#: Within a conflict of jj: a diff from the base to one side, another side, the base.
_JJ = _DIFF, _SIDE, _WAS = "%%%%%%%", "+++++++", "-------"


class Unsettled(NamedTuple):
    """A stretch between conflict markers, its lines with them, and both sides."""

    lines: Lines
    clash: Clash


def unsettled(text: str) -> list[Unsettled]:
    """Return the stretches of conflict markers outside of code blocks.

    Of jj's conflicts of more than two sides, the further ones are all `here`. One
    whose last marker is missing goes on to the end.
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
    sections: list[tuple[str, list[str]]] = []
    lines = split_lines(text)
    # The marker behind the last line ends a stretch that nothing else did.
    for number, line in enumerate([*lines, _THEIRS], 1):
        mark = line[:7] if line[7:8] in (" ", "\r", "\n", "") else ""
        if mark == _OURS and number not in fenced:
            first, side, sides, sections = number, _OURS, {}, []
        elif first and (side, mark) in (
            (_OURS, _BASE), (_OURS, _MIDDLE), (_BASE, _MIDDLE)
        ):  # fmt: skip
            side = mark
        elif first and mark in _JJ and (side in _JJ or number == first + 1):
            side = mark
            sections.append((mark, []))
        elif first and side in _JJ and mark == _THEIRS:
            last = min(number, len(lines))
            yield Unsettled(Lines(first, last), _of_jj(sections))
            first = 0
        elif first and side in _JJ:
            sections[-1][1].append(line)
        elif first and side == _MIDDLE and mark == _THEIRS:
            base, ours, theirs = (
                "".join(sides.get(one, ())) for one in (_BASE, _OURS, _MIDDLE)
            )
            last = min(number, len(lines))
            yield Unsettled(Lines(first, last), Clash(base, ours, theirs))
            first = 0
        elif first:
            sides.setdefault(side, []).append(line)


def _of_jj(sections: Iterable[tuple[str, list[str]]]) -> Clash:
    """Return the clash of jj's sections: a diff states its base and a side."""
    base, sides = "", []
    for mark, lines in sections:
        if mark == _DIFF:
            lines = [line for line in lines if not line.startswith("\\" * 7)]
            base = "".join(line[1:] for line in lines if line[0] in " -")
            sides.append("".join(line[1:] for line in lines if line[0] in " +"))
        elif mark == _SIDE:
            sides.append("".join(lines))
        else:
            base = "".join(lines)
    ours, *others = sides or [""]
    return Clash(base if len(others) < 2 else "", ours, "".join(others))
