"""Detection of probable secrets in a text: a help, never a guarantee.

Three sources: the rules of Kingfisher, a scanner that is kept up to date with the key
formats of services; other forms (`forms`); and words such as ``password`` in front of a
value (`names`).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial
from importlib import import_module
from itertools import chain
from typing import Any, NamedTuple

from memoryhub.formats.base import Lines
from memoryhub.formats.secrets import MASK
from memoryhub.formats.secrets.forms import FORMS
from memoryhub.formats.secrets.names import NAMES, secrets_in_lists, secrets_in_tables
from memoryhub.formats.secrets.rules import (
    Span,
    is_random,
    is_stand_in,
    is_uuid,
    spans_by,
)
from memoryhub.formats.text.growing import Growing

_RULES = (*FORMS, *NAMES)
_SHORT, _LONG = 12, 20
_PIECE = 32_768
#: Lines of secrets, by the piece of a text.
_READ: Growing[tuple[tuple[int, int], ...]] = Growing()


class Secret(NamedTuple):
    """Position of a probable secret, as offsets into a text."""

    start: int
    end: int


def find_secrets(text: str, *, scan: bool = True) -> list[Secret]:
    """Return the probable secrets, in order and without overlaps.

    Without `scan` only those that the hub's own rules find.
    """
    spans = chain(
        spans_by(_RULES, text),
        secrets_in_tables(text),
        secrets_in_lists(text),
        _scanned(text) if scan else (),
    )
    found: list[Secret] = []
    for start, end in sorted(spans):
        if found and start < found[-1].end:
            found[-1] = Secret(found[-1].start, max(found[-1].end, end))
        else:
            found.append(Secret(start, end))
    return found


def lines_of_secrets(text: str) -> list[Lines]:
    """Return the lines of each probable secret, in order.

    A text is searched piece by piece, cut at blank lines: of one that grew only the
    last piece is searched again.
    """
    parts, found = _READ.parts_of(text), list[Lines]()
    start, line = 0, 1
    while start < len(text):
        end = _end_of_piece(text, start)
        piece = text[start:end]
        for first, last in parts.value((start, end), partial(_numbers_in, piece)):
            found.append(Lines(line + first, line + last))
        start, line = end, line + piece.count("\n")
    return found


def _end_of_piece(text: str, start: int) -> int:
    least, most = start + _PIECE // 2, start + _PIECE
    for sign, begin, end in (("\n\n", least, most), ("\n", most, None)):
        if (at := text.find(sign, begin, end)) >= 0:
            return at + len(sign)
    return len(text)


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


def _scanned(text: str) -> Iterator[Span]:
    """Yield the scanner's findings."""
    data = text.encode("utf-8", "surrogatepass")
    places = sorted(
        (start + begin, start + end)
        for start, piece in _pieces(data)
        for begin, end in _found_in(piece)
    )
    return iter(places) if len(data) == len(text) else _in_characters(data, places)


def _pieces(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield runs of lines: some of the scanner's rules take square time of a text."""
    start = 0
    while start < len(data):
        end = data.rfind(b"\n", start, start + _PIECE) + 1
        end = end if end > start else start + _PIECE
        yield start, data[start:end]
        start = end


def _found_in(data: bytes) -> Iterator[Span]:
    for finding in _scanner().scan(data):
        if _is_kept(finding.secret):
            yield _place_of(finding, data)


def _is_kept(secret: str) -> bool:
    """Return whether a finding is a secret rather than the account name next to it."""
    is_name = is_stand_in(secret) or is_uuid(secret)
    return (
        not is_name
        and len(secret) >= _SHORT
        and (is_random(secret) or len(secret) >= _LONG)
    )


def _place_of(finding: Any, data: bytes) -> Span:
    """Return the byte range of the secret within the range matched by a rule."""
    start, end = finding.location["start_offset"], finding.location["end_offset"]
    secret = finding.secret.encode()
    at = data.find(secret, start, end)
    return (at, at + len(secret)) if at >= 0 else (start, end)


def _in_characters(data: bytes, places: list[Span]) -> Iterator[Span]:
    """Yield offsets of bytes as offsets of characters; `places` are in order."""
    done = characters = 0
    for start, end in places:
        characters += len(data[done:start].decode("utf-8", "replace"))
        done = start
        yield characters, characters + len(data[start:end].decode("utf-8", "replace"))


@cache
def _scanner() -> Any:
    """Return the scanner: its rules are compiled once and read from a cache later.

    Loaded here, because most commands mask nothing and loading takes half a second.
    """
    kingfisher = import_module("kingfisher_sdk")
    return kingfisher.Scanner(kingfisher.Rules(), base64=False)
