"""Chunking of texts as by the agents' own programs, for equal search results.

`clawdbot_chunks` is the chunking of Clawdbot 2026.1, `openclaw_chunks` that of
OpenClaw 2026.9. The hub's own index has blocks instead, see `index_blocks`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import NamedTuple

from memoryhub.formats.base import Lines


@dataclass(frozen=True, slots=True)
class Chunk:
    """A line range of a file as a chunk of another program's index.

    `entry` is its list item, without heading lines.
    """

    first_line: int
    last_line: int
    text: str
    entry: Lines | None = None

    @property
    def hash(self) -> str:
        return sha256(self.text.encode("utf-8", "replace")).hexdigest()


class _Piece(NamedTuple):
    """A line, or a part of a long one, in UTF-16 units; `size` is its weight."""

    text: str
    line: int
    size: int


def clawdbot_chunks(text: str, *, tokens: int = 400, overlap: int = 80) -> list[Chunk]:
    """Return the chunks of a text by Clawdbot's chunkMarkdown.

    Whole pieces are carried over until they reach the overlap, which can therefore be
    larger than requested.
    """
    limit, carried = max(32, tokens * 4), max(0, overlap * 4)
    pieces = [
        _Piece(part, number, len(part) + 1)
        for number, line in enumerate(_units(text).split("\n"), 1)
        for part in _slices(line, limit)
    ]
    return list(_packed(pieces, limit, lambda kept, _: _tail(kept, carried)))


def openclaw_chunks(
    text: str, *, tokens: int = 400, overlap: int = 80, per_entry: bool = False
) -> list[Chunk]:
    """Return the chunks of a text by OpenClaw 2026.9.

    A CJK character weighs as much as four others, and the carry-over stays within the
    overlap and leaves room for the next piece. With `per_entry`, as for MEMORY.md and
    USER.md, every list item and heading starts a new chunk.
    """
    limit, carried = max(32, tokens * 4), max(0, overlap * 4)

    def tail(kept: list[_Piece], room: int) -> list[_Piece]:
        return _capped_tail(kept, min(carried, room))

    return [
        replace(chunk, entry=_item_lines(lines) if per_entry else None)
        for lines in _entries(_units(text).split("\n"), per_entry)
        for chunk in _packed(_weighed(lines, limit), limit, tail)
    ]


_Lines = list[tuple[int, str]]
_ENTRY = re.compile(r"- |#{1,6}[ \t]")


def _entries(lines: list[str], per_entry: bool) -> Iterator[_Lines]:
    """Yield the numbered lines, all at once or entry by entry."""
    entry: _Lines = []
    for number, line in enumerate(lines, 1):
        if per_entry and entry and _ENTRY.match(line):
            yield entry
            entry = []
        entry.append((number, line))
    yield entry


def _item_lines(lines: _Lines) -> Lines | None:
    """Return the line range of a list item; None for a heading or other text."""
    if not lines[0][1].startswith("- "):
        return None
    return Lines(lines[0][0], lines[-1][0])


def _packed(
    pieces: list[_Piece],
    limit: int,
    tail: Callable[[list[_Piece], int], list[_Piece]],
) -> Iterator[Chunk]:
    """Combine pieces up to a limit; `tail` returns the pieces to repeat next."""
    current: list[_Piece] = []
    size = 0
    for piece in pieces:
        if current and size + piece.size > limit:
            yield _chunk(current)
            current = tail(current, limit - piece.size)
            size = sum(kept.size for kept in current)
        current.append(piece)
        size += piece.size
    if current:
        yield _chunk(current)


def _tail(pieces: list[_Piece], carried: int) -> list[_Piece]:
    """Return the last pieces that together reach the overlap."""
    size, first = 0, len(pieces)
    while size < carried and first > 0:
        first -= 1
        size += pieces[first].size
    return pieces[first:]


def _capped_tail(pieces: list[_Piece], room: int) -> list[_Piece]:
    """Return the last pieces that fit; if none does, the end of the last one."""
    size, first = 0, len(pieces)
    while first > 0 and size + pieces[first - 1].size <= room:
        first -= 1
        size += pieces[first].size
    if first < len(pieces):
        return pieces[first:]
    end = _end_of(pieces[-1].text, room - 1)
    return [_Piece(end, pieces[-1].line, _weight(end) + 1)] if end else []


def _end_of(text: str, room: int) -> str:
    """Return as much of the end of a text as weighs no more than `room`."""
    start = len(text)
    for letter in reversed(_LETTER.findall(text[-max(room, 1) :])):
        if "\udc00" <= letter <= "\udfff":
            break  # half a character, of which the other half did not fit
        room -= _weight(letter)
        if room < 0:
            break
        start -= len(letter)
    return text[start:]


def _weighed(lines: _Lines, limit: int) -> list[_Piece]:
    return [
        _Piece(part, number, _weight(part) + 1)
        for number, line in lines
        for coarse in _whole_slices(line, limit)
        for part in _light(coarse, limit)
    ]


def _light(text: str, limit: int) -> Iterator[str]:
    """Split a text into parts within the weight limit."""
    if _weight(text) <= limit:
        yield text
        return
    start, weight = 0, 0
    for letter in _LETTER.finditer(text):
        more = _weight(letter[0])
        if weight + more > limit:
            yield text[start : letter.start()]
            start, weight = letter.start(), 0
        weight += more
    yield text[start:]


def _weight(text: str) -> int:
    """Return how much a text weighs: a CJK character, also of two units, four."""
    heavy = _HEAVY.findall(text)
    return len(text) + 4 * len(heavy) - sum(map(len, heavy))


def _chunk(pieces: list[_Piece]) -> Chunk:
    text = "\n".join(piece.text for piece in pieces)
    return Chunk(pieces[0].line, pieces[-1].line, _characters(text))


def _units(text: str) -> str:
    """Return a text with a character for every UTF-16 unit, as JavaScript counts."""
    if max(text, default="") < "\U00010000":
        return text
    units = memoryview(text.encode("utf-16-le", "surrogatepass")).cast("H")
    return "".join(map(chr, units))


def _characters(units: str) -> str:
    """Reverse `_units`; an unpaired surrogate stays one."""
    data = units.encode("utf-16-le", "surrogatepass")
    return data.decode("utf-16-le", "surrogatepass")


def _slices(line: str, size: int) -> Iterator[str]:
    if not line:
        yield ""
    for start in range(0, len(line), size):
        yield line[start : start + size]


def _whole_slices(line: str, size: int) -> Iterator[str]:
    """Split a line as `_slices` does, but never between the halves of a character."""
    start = 0
    while len(line) - start > size:
        end = start + size
        if "\ud800" <= line[end - 1] <= "\udbff" and end - start > 1:
            end -= 1
        yield line[start:end]
        start = end
    yield line[start:]


#: Characters that OpenClaw counts as a whole token instead of a quarter.
_HEAVY = re.compile(
    "[\u2e80-\u9fff\ua000-\ua4ff\uac00-\ud7af\uf900-\ufaff]"
    "|[\ud840-\ud87e][\udc00-\udfff]"
)
_LETTER = re.compile("[\ud800-\udbff][\udc00-\udfff]|.", re.DOTALL)
