"""Snippets: whole lines around a match, with the matches marked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from math import inf
from typing import NamedTuple

from memoryhub.search.ranking import SearchTerms, phrase_starts
from memoryhub.search.texts import LINE_CHARACTERS
from memoryhub.search.words import name_places, placed_words, terms, terms_in, words
from memoryhub.values import tokens

SNIPPET_CHARACTERS = 700
_BEFORE_MARK = 80
#: Limits of a line in which matches are looked for, and of those considered.
_LONGEST_LINE, _MOST_MARKS = 400_000, 100
#: Words named as the reason for a result.
_MOST_WORDS = 8


class Mark(NamedTuple):
    """A part of a text that matches, as offsets."""

    start: int
    end: int


@dataclass(frozen=True)
class Snippet:
    """The text of a passage; `cut` if a line of it is not complete.

    `first_line` and `last_line` are the lines that it has something of.
    """

    text: str
    wanted: SearchTerms
    cut: bool = False
    first_line: int = 1
    last_line: int = 1

    @cached_property
    def marks(self) -> tuple[Mark, ...]:
        """The matches, in order; those that overlap or touch are one."""
        joined: list[Mark] = []
        for mark in _marks(self.text, self.wanted):
            if joined and mark.start <= joined[-1].end:
                joined[-1] = Mark(joined[-1].start, max(joined[-1].end, mark.end))
            else:
                joined.append(mark)
        return tuple(joined)

    def why(self, day: str = "") -> Why:
        """Return why this is a result; `day` is the day that the query names."""
        names = tuple(n for n in self.wanted.names if any(name_places(self.text, n)))
        parts = (self.text[mark.start : mark.end].lower() for mark in self.marks)
        found = dict.fromkeys(" ".join(part.split()) for part in parts)
        words = tuple(
            islice((part for part in found if part not in names), _MOST_WORDS)
        )
        return Why(words, names, day)


class Why(NamedTuple):
    """The reasons for a result: words, phrases and names as they are in the text.

    `day` is one that the query names. `meaning`: the result says the same in other
    words. `beside` are words of the lines before and behind it.
    """

    words: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    day: str = ""
    meaning: bool = False
    beside: tuple[str, ...] = ()

    def __str__(self) -> str:
        parts = (
            ("name", ", ".join(self.names)),
            ("words", ", ".join(self.words)),
            ("day", self.day),
            ("beside", ", ".join(self.beside)),
        )
        found = [f"{label}: {text}" for label, text in parts if text]
        return "; ".join([*found, *["meaning"] * self.meaning])


class Room(NamedTuple):
    """Limits of a snippet's size, in characters and tokens."""

    characters: float = inf
    tokens: float = inf

    def holds(self, text: str) -> bool:
        """Return whether a text fits."""
        return len(text) <= self.characters and (
            self.tokens == inf or tokens.shown(text) <= self.tokens
        )


ON_PAGES = Room(characters=SNIPPET_CHARACTERS)


def snippet_of(
    lines: Sequence[str],
    wanted: SearchTerms,
    *,
    best: int = 0,
    first_line: int = 1,
    room: Room = ON_PAGES,
) -> Snippet:
    """Return as many whole lines around the best one, by its index, as have room.

    If it has none itself, it is cut around the words found.
    """
    if not room.holds(lines[best]):
        at = first_line + best
        return Snippet(_cut(lines[best], wanted, room), wanted, True, at, at)
    first = last = best
    for at in _outwards(len(lines), best):
        start, end = min(first, at), max(last, at)
        if at in {first - 1, last + 1} and room.holds(
            "\n".join(lines[start : end + 1])
        ):
            first, last = start, end
    text = "\n".join(lines[first : last + 1])
    return Snippet(text, wanted, False, first_line + first, first_line + last)


def _outwards(number: int, best: int) -> Iterator[int]:
    """Yield the other indexes, the nearest first, of two the one behind."""
    for away in range(1, number):
        yield from (at for at in (best + away, best - away) if 0 <= at < number)


def _cut(line: str, wanted: SearchTerms, room: Room) -> str:
    """Return the part of a line that has room, with most of the words found."""
    size = int(min(room.characters, room.tokens * tokens.SEED_CHARACTERS))
    marks = _marks_somewhere(line, wanted)
    shown = _around(line, marks, size)
    while shown and not room.holds(shown):
        size = size * 3 // 4
        shown = _around(line, marks, size)
    return shown


def _around(line: str, marks: Sequence[Mark], size: int) -> str:
    """Return so much of a line, from a little before most of its matches."""
    reach = size * 17 // 20

    def words_from(mark: Mark) -> int:
        """Return the number of different matches behind one that have room with it."""
        near = (
            m for m in marks if mark.start <= m.start and m.end <= mark.start + reach
        )
        return len({line[m.start : m.end].lower() for m in near})

    first = max(marks, key=words_from, default=Mark(0, 0))
    before = min(_BEFORE_MARK, size // 8)
    start = max(0, first.start - before) if first.end > reach else 0
    return line[start : start + size]


def _marks_somewhere(line: str, wanted: SearchTerms) -> list[Mark]:
    """Return the first matches in a long line, which may be far from its start."""
    for at in range(0, min(len(line), _LONGEST_LINE), LINE_CHARACTERS):
        marks = islice(_marks(line[at : at + LINE_CHARACTERS], wanted), _MOST_MARKS)
        if found := [Mark(at + mark.start, at + mark.end) for mark in marks]:
            return found
    return []


def _marks(text: str, wanted: SearchTerms) -> Iterator[Mark]:
    """Yield the matches; those of one source are in order, parts may overlap."""
    is_found = wanted.is_distinctive
    some = {word for word in {*words(text)} if any(map(is_found, terms_in(word)))}
    marks = [
        Mark(at + term.start, at + term.end)
        for at, word in (placed_words(text) if some else ())
        if word in some
        for term in terms(word)
        if is_found(term.text)
    ]
    marks += (Mark(*at) for name in wanted.names for at in name_places(text, name))
    found = list(terms(text)) if wanted.phrases else []
    found_texts = [term.text for term in found]
    for phrase in wanted.phrases:
        for at in phrase_starts(phrase, found_texts):
            marks.append(Mark(found[at].start, found[at + len(phrase) - 1].end))
    yield from sorted(marks)
