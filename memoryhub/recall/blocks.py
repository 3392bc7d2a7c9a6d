"""The blocks of a recall: quoted passages, cut to their budget."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from memoryhub.formats import injection
from memoryhub.formats.text.frontmatter import without_markup
from memoryhub.recall.request import ALWAYS
from memoryhub.recall.texts import Passage
from memoryhub.values import tokens
from memoryhub.values.tokens import quarters

#: Reserve, in quarters of a token, for the note of lines left out.
RESERVE = 240


@dataclass(frozen=True, slots=True)
class Block:
    """A block of a recall: its text, its source and its cut.

    `cut` is a code, empty if nothing is missing; `first` and `last` are the file's
    lines that are left out, 0 where all or none are.
    """

    key: str
    text: str
    path: str = ""
    whole: int = 0
    cut: str = ""
    first: int = 0
    last: int = 0
    fixed: bool = False

    @property
    def tokens(self) -> int:
        return tokens.shown(self.text)


def fitted(
    passages: Sequence[tuple[str, Passage]],
    left: int,
    leaves_out: Callable[[str], bool],
) -> list[Block]:
    """Return blocks within a budget in quarters of a token; the first may take half."""
    waiting = [(key, _Quoted.of(passage), leaves_out(key)) for key, passage in passages]
    sizes = [0 if unwanted else quoted.size + 1 for _, quoted, unwanted in waiting]
    blocks = []
    for number, (key, quoted, unwanted) in enumerate(waiting):
        # The first block yields to later ones, by half of the budget at most.
        room = max(left - sum(sizes[number + 1 :]), left // 2)
        block = quoted.whole(key)
        if unwanted:
            block = replace(block, text="", cut="unchecked")
        elif quoted.size > room:
            block = quoted.cut(key, room)
        blocks.append(block)
        left -= quarters(block.text) + 1 if block.text else 0
    return blocks


@dataclass(frozen=True, slots=True)
class _Quoted:
    """A passage in its quoted form: the hub's heading, and quoted lines."""

    passage: Passage
    head: str
    lines: tuple[str, ...]
    #: Of each line its number in the passage, from 0.
    numbers: tuple[int, ...]

    @classmethod
    def of(cls, passage: Passage) -> _Quoted:
        head = f"### {passage.heading}\n\n"
        if passage.about:
            head += f"{injection.quoted(passage.about)}\n>\n"
        text = passage.text.replace("\r\n", "\n").removesuffix("\n")
        bare = without_markup(text).split("\n")
        kept = [
            number
            for number, line in enumerate(text.split("\n"))
            if bare[number].strip() or not line.strip()
        ]
        lines = tuple(injection.quoted(bare[number]) for number in kept)
        return cls(passage, head, lines, tuple(kept))

    @property
    def size(self) -> int:
        return quarters(self.head) + sum(quarters(line) + 1 for line in self.lines)

    def whole(self, key: str) -> Block:
        text = self.head + "".join(f"{line}\n" for line in self.lines)
        fixed = key in ALWAYS
        return Block(key, text, self.passage.path, tokens.shown(text), fixed=fixed)

    def cut(self, key: str, room: int) -> Block:
        """Return the lines that fit the budget, and a note of the lines left out."""
        fitting = _fitting(self.lines, room - quarters(self.head) - RESERVE)
        whole = self.whole(key)
        if not fitting:
            return replace(whole, text="", cut="budget-all")
        note = f"[{len(self.lines) - fitting} lines left out"
        first = last = 0
        if start := self.passage.line:
            first, last = start + self.numbers[fitting], start + self.numbers[-1]
            note += f": lines {first}-{last} of the file"
        shown = "\n".join(self.lines[:fitting])
        text = f"{self.head}{shown}\n{note}]\n"
        return replace(whole, text=text, cut="budget", first=first, last=last)


def _fitting(lines: Sequence[str], room: int) -> int:
    """Return how many lines fit a budget in quarters of a token."""
    for number, line in enumerate(lines):
        room -= quarters(line) + 1
        if room < 0:
            return number
    return len(lines)
