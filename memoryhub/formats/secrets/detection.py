"""Detection of probable secrets in a text: a help, never a guarantee.

Two sources: the rules of Kingfisher, a scanner that is kept up to date with the key
formats of services, and the hub's own rules.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache
from importlib import import_module
from itertools import chain
from typing import Any, NamedTuple

from ahocorasick import Automaton

from memoryhub.formats.base import Lines
from memoryhub.formats.secrets import MASK
from memoryhub.formats.secrets.rules import RULES, Span
from memoryhub.formats.secrets.values import is_scanned

_PIECE = 32_768


class Secret(NamedTuple):
    """Position of a probable secret, as offsets into a text."""

    start: int
    end: int


def find_secrets(text: str, *, scan: bool = True) -> list[Secret]:
    """Return the probable secrets, in order and without overlaps.

    Without `scan` only those that the hub's own rules find.
    """
    found: list[Secret] = []
    for start, end in sorted(chain(_ruled(text), _scanned(text) if scan else ())):
        if found and start < found[-1].end:
            found[-1] = Secret(found[-1].start, max(found[-1].end, end))
        else:
            found.append(Secret(start, end))
    return found


def lines_of_secrets(text: str) -> list[Lines]:
    """Return the lines of each probable secret, in order.

    A text is searched piece by piece: of one that grew only the last piece is searched
    again.
    """
    found: list[Lines] = []
    line = 1
    for _, piece in _pieces(text):
        for first, last in _numbers_in(piece):
            found.append(Lines(line + first, line + last))
        line += piece.count("\n")
    return found


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """Yield runs of lines and their places in a text, cut at blank lines if any."""
    start = 0
    while start < len(text):
        least, most = start + _PIECE // 2, start + _PIECE
        end = text.find("\n\n", least, most) + 2
        end = end if end > 1 else text.find("\n", most) + 1 or len(text)
        yield start, text[start:end]
        start = end


@lru_cache(maxsize=256)
def _numbers_in(piece: str) -> tuple[tuple[int, int], ...]:
    """Return the first and last line of each secret, counted from 0."""
    return tuple(
        (piece.count("\n", 0, start), piece.count("\n", 0, end))
        for start, end in find_secrets(piece)
    )


def prepare() -> None:
    """Load the scanner, so that no page waits for it: half a second, once five."""
    _scanner()


def masked(text: str, *, scan: bool = True) -> tuple[str, int]:
    """Return a text with all probable secrets masked, and their number.

    Line counts stay: a secret over several lines is masked in each of them.
    """
    parts, place = [], 0
    secrets = find_secrets(text, scan=scan)
    for start, end in secrets:
        lines = text[start:end].count("\n")
        parts += [text[place:start], "\n".join([MASK] * (lines + 1))]
        place = end
    return "".join([*parts, text[place:]]), len(secrets)


def _ruled(text: str) -> Iterator[Span]:
    """Yield the findings of the hub's own rules, unordered; they may overlap."""
    folded = text.lower()
    if len(folded) != len(text):
        # A few letters become two in lower case: offsets would be wrong.
        folded = "".join(c if len(c.lower()) > 1 else c.lower() for c in text)
    starts: dict[int, dict[int, None]] = {}
    start = end = -1
    for place, rules in _words().iter(folded):
        if place >= end:
            start, end = text.rfind("\n", 0, place) + 1, _line_end(text, place)
        for rule in rules:
            starts.setdefault(rule, {})[start] = None
    for number, lines in starts.items():
        rule, end = RULES[number], -1
        for start in lines:
            if start >= end:
                end = start
                for _ in range(rule.lines):
                    end = _line_end(text, end)
                yield from rule.find(text, start, end)


@cache
def _words() -> Automaton:
    """Return an automaton that finds the words of all rules in one pass."""
    automaton = Automaton()
    for number, rule in enumerate(RULES):
        for word in rule.words:
            automaton.add_word(word, [*automaton.get(word, ()), number])
    automaton.make_automaton()
    return automaton


def _line_end(text: str, place: int) -> int:
    """Return the place behind a line and its end."""
    return text.find("\n", place) + 1 or len(text)


def _scanned(text: str) -> Iterator[Span]:
    """Yield the scanner's findings; some of its rules take square time of a text."""
    for start, lines in _pieces(text):
        for at in range(0, len(lines), 2 * _PIECE):
            data = lines[at : at + 2 * _PIECE].encode("utf-8", "replace")
            for finding in _scanner().scan(data):
                if is_scanned(finding.secret):
                    first, last = _place_of(finding, data)
                    before = start + at + len(data[:first].decode("utf-8", "replace"))
                    length = len(data[first:last].decode("utf-8", "replace"))
                    yield before, before + length


def _place_of(finding: Any, data: bytes) -> Span:
    """Return the byte range of the secret within the range matched by a rule."""
    start, end = finding.location["start_offset"], finding.location["end_offset"]
    secret = finding.secret.encode()
    at = data.find(secret, start, end)
    return (at, at + len(secret)) if at >= 0 else (start, end)


@cache
def _scanner() -> Any:
    """Return the scanner: its rules are compiled once and read from a cache later.

    Loaded here, because most commands mask nothing and loading takes half a second.
    """
    kingfisher = import_module("kingfisher_sdk")
    return kingfisher.Scanner(kingfisher.Rules(), base64=False)
