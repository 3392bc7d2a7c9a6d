"""Sections of a text whose headings are a fixed list in a fixed order.

Free text between them is unescaped and may hold headings of its own, so only the
listed headings count, and of those the longest run in order.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memoryhub.formats.base import Lines

_HEADING = re.compile(r"\n## ([^\n]{1,80})(?=\n|\Z)")


@dataclass(frozen=True, slots=True)
class KnownSection:
    """A listed heading and the raw text up to the next one, as offsets into `text`."""

    text: str
    title: str
    start: int
    body_start: int
    end: int
    lines: Lines

    @property
    def body(self) -> str:
        return self.text[self.body_start : self.end]

    @property
    def value(self) -> str:
        """The body without the blank line that parts it from the next heading."""
        if self.end == len(self.text):
            return self.body
        body = self.body
        cut = "\r\n\r\n" if body.endswith("\r\n\r\n") else "\n\n"
        return body.removesuffix(cut)

    @property
    def body_line(self) -> int:
        return self.lines.first + 1


@dataclass(frozen=True, slots=True)
class _Found:
    """A heading and the best run of headings that ends with it."""

    at: int
    end: int
    title: str
    length: int
    before: _Found | None


def split_known(
    text: str,
    titles: Sequence[str],
    *,
    start: int = 0,
    hidden: tuple[int, int] = (0, 0),
) -> tuple[KnownSection, ...]:
    """Return the listed sections of a text in order, from `start` on.

    Headings between the two offsets `hidden` do not count.
    """
    chain = _longest_run(text, titles, start, hidden)
    ends = [*(found.at for found in chain[1:]), len(text)]
    sections: list[KnownSection] = []
    line, counted = 1, 0
    for found, end in zip(chain, ends[: len(chain)], strict=True):
        line += text.count("\n", counted, found.at)
        counted = found.at
        last = line + text[found.at : end].rstrip().count("\n")
        place = Lines(line, last)
        sections.append(
            KnownSection(text, found.title, found.at, found.end, end, place)
        )
    return tuple(sections)


def _longest_run(
    text: str, titles: Sequence[str], start: int, hidden: tuple[int, int]
) -> list[_Found]:
    """Choose the headings: the longest increasing run, the first of equal ones."""
    best: list[_Found | None] = [None] * len(titles)
    for at, end, index in _listed(text, titles):
        if at < start or hidden[0] <= at < hidden[1]:
            continue
        before = max(best[:index], key=_length, default=None)
        length = _length(before) + 1
        if length > _length(best[index]):
            best[index] = _Found(at, end, titles[index], length, before)
    chain: list[_Found] = []
    last = max(best, key=_length, default=None)
    while last:
        chain.append(last)
        last = last.before
    return chain[::-1]


def _length(found: _Found | None) -> int:
    return found.length if found else 0


def _listed(text: str, titles: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    places = {title.casefold(): index for index, title in enumerate(titles)}
    short = {title.partition(" (")[0]: index for title, index in places.items()}
    for found in _HEADING.finditer("\n" + text):
        name = found[1].strip(" \t\r#:").casefold()
        index = places.get(name, short.get(name, -1))
        if index >= 0:
            yield found.start(), min(found.end(), len(text)), index
