"""The entries of a daily log: its sections, else its list items, else its text.

Cutting only: what an entry says about decisions and open work is in
`memoryhub.formats.log_items`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from memoryhub.formats.base import Lines
from memoryhub.formats.clock import ClockTime, heading_time
from memoryhub.formats.source import (
    Section,
    fenced_lines,
    lines_between,
    split_sections,
)

EntryKind = Literal["section", "item", "text", "preamble", "dreaming"]

#: Levels of headings in the order in which they are tried; level 1 comes third
#: and only counts where there are several: one alone is the title.
_LEVELS = (2, 3, 1, 4, 5, 6)

_RULE = re.compile(
    r"[ \t]*(?:-[ \t]*){3,}|[ \t]*(?:\*[ \t]*){3,}|[ \t]*(?:_[ \t]*){3,}"
)
#: How an entry without headings begins: a list item or a time in the first column.
_ITEM = re.compile(
    r"(?:[-*+•]|\d{1,3}[.)、])[ \t]+(?=\S)|(?=\*{0,2}\[?~?\d\d?[:：]\d\d)"
)
_LEADING_TIME = re.compile(r"[*_`\[(~]*\d{1,2}(?:[:：]\d\d|[ \t]?[AaPp][Mm]\b)")
#: A line that repeats the date of the file, and nothing else.
_DATE_LINE = re.compile(
    r"\W*(?:date|day|日期|fecha|data|datum|дата)?\W*"
    r"\d{4}[-/.年]\d{1,2}[-/.月]\d{1,2}日?\W*\w{0,12}\W*",
    re.IGNORECASE,
)
_BLANK = re.compile(r"[ \t\r]*(?:\n|\Z)")
_COMMENT = re.compile(r"[ \t]*<!--[^\n]*-->[ \t\r]*")


#: The end of a piece that only ends the one before it.
_NOT_AN_ENTRY = -1


class Span(NamedTuple):
    """A stretch of whole lines, as offsets, that is none of the log's own notes.

    Front matter and snapshots are kept elsewhere; a block managed by dreaming is
    shown as such.
    """

    start: int
    end: int
    is_managed: bool = False


@dataclass(frozen=True, slots=True)
class Entry:
    """One note of a log; offsets into the log's text, trailing blanks left out.

    `kind` is what cut it out: a heading (section), a list item, plain text, the
    text before the first of these (preamble), or a block that OpenClaw's dreaming
    manages.
    """

    title: str
    level: int
    kind: EntryKind
    time: ClockTime | None
    start: int
    body_start: int
    end: int
    lines: Lines


class _Piece(NamedTuple):
    """A stretch that may become an entry."""

    start: int
    body_start: int
    end: int
    first_line: int
    level: int = 0
    title: str = ""
    kind: EntryKind = "text"


def cut_entries(
    text: str, sections: Sequence[Section], hidden: Sequence[Span]
) -> tuple[Entry, ...]:
    """Return the entries of a log in file order.

    Headings of level 2 cut, else of level 3, else several of level 1, else those
    below; without headings, list items in the first column do, else nothing.
    Hidden spans, given in order, are in no entry of these; a managed one is an
    entry of its own.
    """
    seen = _visible(sections, hidden)
    level = _entry_level(seen)
    pieces = _pieces(text, seen, hidden, level)
    if not level:
        pieces = _item_pieces(text, list(pieces))
    return tuple(_entries(text, pieces))


def _visible(sections: Sequence[Section], hidden: Sequence[Span]) -> Sequence[Section]:
    if not hidden:
        return sections
    return [s for s in sections if not _is_inside(s.start, hidden)]


def _is_inside(place: int, spans: Sequence[Span]) -> bool:
    return any(span.start <= place < span.end for span in spans)


def _entry_level(sections: Sequence[Section]) -> int:
    levels = [section.level for section in sections]
    for level in _LEVELS:
        if levels.count(level) > (level == 1):
            return level
    return 0


def _pieces(
    text: str, sections: Sequence[Section], hidden: Sequence[Span], level: int
) -> Iterator[_Piece]:
    """Cut the text at entry headings, at titles and around hidden spans."""
    cuts = [*_heading_cuts(sections, level), *_hidden_cuts(text, hidden)]
    cuts.sort()
    first = _Piece(0, 0, 0, 1, kind="preamble")
    for cut, following in zip([first, *cuts], [*cuts, None], strict=True):
        if cut.end != _NOT_AN_ENTRY:
            yield cut._replace(end=following.start if following else len(text))


def _heading_cuts(sections: Sequence[Section], level: int) -> Iterator[_Piece]:
    titled = False
    for section in sections:
        if level and section.level == level:
            yield _section_piece(section)
        elif section.level == 1 and not titled:
            titled = True
            yield _Piece(section.start, section.start, _NOT_AN_ENTRY, 0)
            start = section.body_start
            yield _Piece(start, start, 0, section.body_line, kind="preamble")
        elif section.level == 1:
            yield _later_title(section)


def _section_piece(section: Section) -> _Piece:
    return _Piece(
        section.start,
        section.body_start,
        0,
        section.first_line,
        section.level,
        section.title,
        "section",
    )


def _later_title(section: Section) -> _Piece:
    """Return the piece of a further title: an entry only with a text of its own."""
    piece = _section_piece(section)
    if _end_of_text(section.text, section.body_start, section.end) > piece.body_start:
        return piece
    return piece._replace(end=_NOT_AN_ENTRY)


def _hidden_cuts(text: str, hidden: Sequence[Span]) -> Iterator[_Piece]:
    line, counted = 1, 0
    for span in hidden:
        line += text.count("\n", counted, span.start)
        yield _hidden_piece(text, span, line)
        line += text.count("\n", span.start, span.end)
        counted = span.end
        yield _Piece(span.end, span.end, 0, line)


def _hidden_piece(text: str, span: Span, line: int) -> _Piece:
    if not span.is_managed:
        return _Piece(span.start, span.start, _NOT_AN_ENTRY, line)
    heading = split_sections(text[span.start : span.end])[0]
    body_start = span.start + heading.body_start
    return _Piece(
        span.start, body_start, 0, line, heading.level, heading.title, "dreaming"
    )


def _item_pieces(text: str, pieces: list[_Piece]) -> Iterator[_Piece]:
    fenced = fenced_lines(text) if "```" in text or "~~~" in text else frozenset()
    for piece in pieces:
        if piece.kind == "dreaming":
            yield piece
            continue
        inner = list(_cut_at_items(text, piece, fenced))
        if any(part.kind == "item" for part in inner):
            yield from inner
        elif _says_something(text[piece.start : piece.end]):
            yield piece._replace(kind="text")


def _cut_at_items(text: str, piece: _Piece, fenced: frozenset[int]) -> Iterator[_Piece]:
    """Cut a piece at list items, and at paragraphs that follow a list."""
    part, blank = piece, True
    for start, number in _line_starts(text, piece):
        if _BLANK.match(text, start):
            blank = True
            continue
        if number not in fenced and _cuts(text, start, blank and part.kind == "item"):
            yield part._replace(end=start)
            part = _item_piece(text, start, number)
        blank = False
    yield part._replace(end=piece.end)


def _cuts(text: str, start: int, after_list: bool) -> bool:
    return bool(_ITEM.match(text, start)) or (after_list and text[start] not in " \t")


def _item_piece(text: str, start: int, number: int) -> _Piece:
    marker = _ITEM.match(text, start)
    if not marker:
        return _Piece(start, start, 0, number)
    return _Piece(start, marker.end(), 0, number, kind="item")


def _line_starts(text: str, piece: _Piece) -> Iterator[tuple[int, int]]:
    start, number = piece.start, piece.first_line
    while 0 <= start < piece.end:
        yield start, number
        start = text.find("\n", start) + 1 or piece.end
        number += 1


def _entries(text: str, pieces: Iterable[_Piece]) -> Iterator[Entry]:
    for piece in pieces:
        trimmed = _trimmed(text, piece)
        if trimmed.level or trimmed.end > trimmed.start:
            yield Entry(
                trimmed.title,
                trimmed.level,
                trimmed.kind,
                _time(text, trimmed),
                trimmed.start,
                trimmed.body_start,
                trimmed.end,
                lines_between(text, trimmed.start, trimmed.end, trimmed.first_line),
            )


def _time(text: str, piece: _Piece) -> ClockTime | None:
    if piece.level:
        return heading_time(piece.title)
    opening = text[piece.body_start : min(piece.end, piece.body_start + 40)]
    if not _LEADING_TIME.match(opening):
        return None
    return heading_time(opening.partition("\n")[0])


def _trimmed(text: str, piece: _Piece) -> _Piece:
    """Take off blanks and rules at the end, and around text without a heading."""
    end = _end_of_text(text, piece.body_start, piece.end)
    if piece.level:
        heading = text[piece.start : piece.body_start].rstrip("\r\n")
        end_of_heading = piece.start + len(heading)
        if end <= piece.body_start:
            return piece._replace(body_start=end_of_heading, end=end_of_heading)
        return piece._replace(end=end)
    if piece.kind == "preamble" and not _says_something(text[piece.start : end]):
        return piece._replace(end=piece.start)
    start = _start_of_text(text, piece.start, end)
    line = piece.first_line + text.count("\n", piece.start, start)
    body_start = max(piece.body_start, start)
    return piece._replace(start=start, body_start=body_start, end=end, first_line=line)


def _end_of_text(text: str, start: int, end: int) -> int:
    """Return the end of the last line that is neither blank nor a rule, or `start`."""
    while end > start:
        line = max(text.rfind("\n", start, end) + 1, start)
        written = text[line:end].rstrip()
        if written and not _RULE.fullmatch(written):
            return line + len(written)
        end = line - 1
    return start


def _start_of_text(text: str, start: int, end: int) -> int:
    """Return where the first line begins that is neither blank nor a rule."""
    while start < end:
        after = text.find("\n", start, end) + 1 or end
        line = text[start:after].rstrip()
        if line and not _RULE.fullmatch(line):
            return start
        start = after
    return end


def _says_something(text: str) -> bool:
    return any(
        line.strip(" \t\r\ufeff")
        and not _RULE.fullmatch(line.rstrip())
        and not _COMMENT.fullmatch(line)
        and not (len(line) < 60 and _DATE_LINE.fullmatch(line))
        for line in text.split("\n")
    )
