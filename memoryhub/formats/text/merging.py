"""Three-way merge of texts, hunk by hunk, and conflict markers of git and jj. Pure.

Of a stretch with markers nobody has chosen a side: neither is stated until it is
settled. Readers get `settled`, in which the lines of the stretches are empty, so that
all others keep their numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass
from typing import Literal, NamedTuple

from memoryhub.formats.base import Lines
from memoryhub.formats.text.diffing import common_pairs
from memoryhub.formats.text.source import fenced_lines, split_lines

Kind = Literal["disk", "here", "both", "other"]
KINDS: tuple[Kind, ...] = ("disk", "here", "both", "other")


@dataclass(frozen=True, slots=True)
class Clash:
    """A stretch that both sides changed, each in its own way."""

    base: str
    disk: str
    here: str


@dataclass(frozen=True, slots=True)
class Choice:
    """The resolution of a clash; `text` for a text of its own."""

    kind: Kind
    text: str = ""


#: A piece of a merged text: settled text or a clash.
Part = str | Clash


def merge(base: str, disk: str, here: str) -> tuple[Part, ...]:
    """Merge both sides' changes; stretches in conflict become a `Clash`.

    A stretch changed by one side only is as that side has it.
    """
    return joined(_merged([split_lines(text) for text in (base, disk, here)]))


def _merged(texts: Sequence[list[str]]) -> Iterator[Part]:
    """Yield the stretches between the lines common to all three texts, and these."""
    base, disk, here = texts
    in_here = dict(common_pairs(base, here))
    in_disk = [pair for pair in common_pairs(base, disk) if pair[0] in in_here]
    common = [(line, place, in_here[line]) for line, place in in_disk]
    at = (0, 0, 0)
    for to in [*common, (len(base), len(disk), len(here))]:
        was, theirs, ours = (
            "".join(lines[first:last])
            for lines, first, last in zip(texts, at, to, strict=True)
        )
        if theirs in (was, ours) or ours == was:
            yield theirs if ours == was else ours
        else:
            yield Clash(was, theirs, ours)
        yield "".join(base[to[0] : to[0] + 1])
        at = (to[0] + 1, to[1] + 1, to[2] + 1)


def compare(disk: str, here: str) -> tuple[Part, ...]:
    """Return the lines that two texts have in common; all others become a `Clash`."""
    return joined(_compared(split_lines(disk), split_lines(here)))


def _compared(disk: list[str], here: list[str]) -> Iterator[Part]:
    on_disk = in_here = 0
    for to_disk, to_here in [*common_pairs(disk, here), (len(disk), len(here))]:
        sides = "".join(disk[on_disk:to_disk]), "".join(here[in_here:to_here])
        if any(sides):
            yield Clash("", *sides)
        yield "".join(disk[to_disk : to_disk + 1])
        on_disk, in_here = to_disk + 1, to_here + 1


def joined(pieces: Iterable[Part]) -> tuple[Part, ...]:
    """Return pieces of a merge, neighbouring settled texts as one."""
    parts: list[Part] = []
    for piece in pieces:
        if isinstance(piece, str) and parts and isinstance(parts[-1], str):
            parts[-1] += piece
        elif piece != "":
            parts.append(piece)
    return tuple(parts)


def merge_finely(base: str, disk: str, here: str) -> tuple[Part, ...]:
    """Merge like `merge`, also where one side removed lines and disk added some there.

    Where disk still has every line of the base, its additions are kept, and the lines
    that `here` removed are taken out from between them.
    """
    return joined(
        piece
        for part in merge(base, disk, here)
        for piece in (_refined(part) if isinstance(part, Clash) else (part,))
    )


def _refined(clash: Clash) -> Iterator[Part]:
    """Yield a clash in smaller parts; as it is if disk lacks a line of the base."""
    base, disk, here = map(split_lines, (clash.base, clash.disk, clash.here))
    on_disk = dict(common_pairs(base, disk))
    if len(on_disk) < len(base):
        yield clash
        return
    kept = set(on_disk.values())
    # Lines of the base from `first` on were replaced by those of `here` from `at` on.
    first = at = came = 0
    for line, in_here in [*common_pairs(base, here), (len(base), len(here))]:
        until = on_disk.get(line, len(disk))
        old, new = base[first:line], here[at:in_here]
        lines = disk[came:until]
        places = enumerate(lines, came)
        added = [text for place, text in places if place not in kept]
        if new and added:
            yield Clash("".join(old), "".join(lines), "".join(new))
        else:
            yield "".join(new or added)
        if line < len(base):
            yield base[line]
        first, at, came = line + 1, in_here + 1, until + 1


def clashes_in(parts: Sequence[Part]) -> list[Clash]:
    """Return the conflicts."""
    return [part for part in parts if isinstance(part, Clash)]


def chosen(parts: Sequence[Part], choices: Sequence[Choice]) -> str:
    """Return the text when each clash is settled by its choice, in order."""
    waiting = iter(choices)
    return "".join(
        part if isinstance(part, str) else text_of(part, next(waiting))
        for part in parts
    )


def text_of(clash: Clash, choice: Choice) -> str:
    """Return the text of a clash after its resolution."""
    if choice.kind == "disk":
        return clash.disk
    if choice.kind == "here":
        return clash.here
    if choice.kind == "other":
        is_open = choice.text and not choice.text.endswith("\n")
        ends = clash.disk.endswith("\n") or clash.here.endswith("\n")
        return f"{choice.text}\n" if is_open and ends else choice.text
    newline = "" if clash.disk.endswith("\n") or not clash.disk else "\n"
    return f"{clash.disk}{newline}{clash.here}"


_OURS, _BASE, _MIDDLE, _THEIRS = "<<<<<<<", "|||||||", "=======", ">>>>>>>"
_NEXT = {(_OURS, _BASE), (_OURS, _MIDDLE), (_BASE, _MIDDLE)}
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
    is_marked = text.startswith(_OURS) or f"\n{_OURS}" in text
    return list(_found(text)) if is_marked else []


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
    first = 0
    sections: list[tuple[str, list[str]]] = []
    lines = split_lines(text)
    # The marker behind the last line ends a stretch that nothing else did.
    for number, line in enumerate([*lines, _THEIRS], 1):
        mark = line[:7] if line[7:8] in (" ", "\r", "\n", "") else ""
        last = sections[-1][0] if first else ""
        if mark == _OURS and number not in fenced:
            first, sections = number, [(mark, [])]
        elif (last, mark) in _NEXT or (
            first and mark in _JJ and (last in _JJ or number == first + 1)
        ):
            sections.append((mark, []))
        elif mark == _THEIRS and last in (_MIDDLE, *_JJ):
            yield Unsettled(Lines(first, min(number, len(lines))), _clash_of(sections))
            first = 0
        elif first:
            sections[-1][1].append(line)


def _clash_of(sections: Sequence[tuple[str, list[str]]]) -> Clash:
    """Return the clash of sections with their markers.

    Those of jj follow the first marker; a diff states its base and a side.
    """
    base, sides = "", []
    for mark, lines in sections[sections[1][0] in _JJ :]:
        if mark == _DIFF:
            lines = [line for line in lines if not line.startswith("\\" * 7)]
            base = "".join(line[1:] for line in lines if line[0] in " -")
            sides.append("".join(line[1:] for line in lines if line[0] in " +"))
        elif mark in (_BASE, _WAS):
            base = "".join(lines)
        else:
            sides.append("".join(lines))
    ours, *others = sides or [""]
    return Clash(base if len(others) < 2 else "", ours, "".join(others))
