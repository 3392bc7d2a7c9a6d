"""The entries of a daily log: its sections, else its list items, else its text.

Splitting only: decisions and open work in an entry are extracted by
`memoryhub.formats.statements`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from memoryhub.formats.base import Lines
from memoryhub.formats.text.dates import ClockTime, heading_time
from memoryhub.formats.text.source import Section, fenced_lines, split_sections

EntryKind = Literal["section", "item", "text", "preamble", "dreaming"]

#: Levels of headings in the order in which they are tried; level 1 comes third
#: and only counts where there are several: one alone is the title.
_LEVELS = (2, 3, 1, 4, 5, 6)

_RULE = re.compile(
    r"[ \t]*(?:-[ \t]*){3,}|[ \t]*(?:\*[ \t]*){3,}|[ \t]*(?:_[ \t]*){3,}"
)
_RULE_MARKS = frozenset("-*_")
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


class Span(NamedTuple):
    """A range of whole lines, as offsets, that is not part of the log's own notes.

    Front matter and snapshots are stored elsewhere; a block managed by dreaming is
    shown as such.
    """

    start: int
    end: int
    is_managed: bool = False


class Entry(NamedTuple):
    """One note of a log; offsets into the log's text, trailing blanks left out.

    `kind` is the rule that delimited it: a heading (section), a list item, plain text,
    the text before the first of these (preamble), or a block managed by OpenClaw's
    dreaming.
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
    """The start of a piece; one without a kind only ends the piece before it."""

    start: int
    body_start: int
    first_line: int
    level: int = 0
    title: str = ""
    kind: EntryKind | Literal[""] = "text"


#: A piece and its end offset.
_Stretch = tuple[_Piece, int]


def cut_entries(
    text: str, sections: Sequence[Section], hidden: Sequence[Span]
) -> tuple[Entry, ...]:
    """Return the entries of a log in file order.

    The log is split at headings of level 2, else of level 3, else at several of level
    1, else at deeper ones; without headings, at list items in the first column, else
    not. Hidden spans, given in order, are excluded from these entries; a managed one is
    an entry of its own.
    """
    seen = _visible(sections, hidden) if hidden else sections
    level = _entry_level(seen)
    stretches = _stretches(text, _cuts(text, seen, hidden, level))
    if not level:
        stretches = _item_stretches(text, list(stretches))
    entries = (_entry(text, piece, end) for piece, end in stretches)
    return tuple(entry for entry in entries if entry)


def _visible(sections: Sequence[Section], hidden: Sequence[Span]) -> Sequence[Section]:
    seen, spans = [], iter(hidden)
    span = next(spans, None)
    for section in sections:
        while span and span.end <= section.start:
            span = next(spans, None)
        if not span or section.start < span.start:
            seen.append(section)
    return seen


def _entry_level(sections: Sequence[Section]) -> int:
    levels = [section.level for section in sections]
    for level in _LEVELS:
        if levels.count(level) > (level == 1):
            return level
    return 0


def _cuts(
    text: str, sections: Sequence[Section], hidden: Sequence[Span], level: int
) -> list[_Piece]:
    """Return starts of entries: at headings, below the title, after hidden spans."""
    first = _Piece(0, 0, 1, kind="preamble")
    cuts = [first, *_hidden_cuts(text, hidden), *_heading_cuts(sections, level)]
    if hidden:
        # Stable: where a hidden span ends at a heading, the text is the heading's.
        cuts.sort(key=lambda cut: cut.start)
    return cuts


def _stretches(text: str, cuts: Sequence[_Piece]) -> Iterator[_Stretch]:
    ends = [cut.start for cut in cuts[1:]]
    ends.append(len(text))
    return zip(cuts, ends, strict=True)


def _heading_cuts(sections: Sequence[Section], level: int) -> Iterator[_Piece]:
    titled = False
    for section in sections:
        if level and section.level == level:
            yield _section_piece(section)
        elif section.level == 1 and not titled:
            titled = True
            yield _Piece(section.start, section.start, 0, kind="")
            start = section.body_start
            yield _Piece(start, start, section.body_line, kind="preamble")
        elif section.level == 1:
            yield _later_title(section)


def _section_piece(section: Section) -> _Piece:
    return _Piece(
        section.start,
        section.body_start,
        section.first_line,
        section.level,
        section.title,
        "section",
    )


def _later_title(section: Section) -> _Piece:
    """Return the piece of a further title: an entry only if text follows it."""
    piece = _section_piece(section)
    if _end_of_text(section.text, section.body_start, section.end) > piece.body_start:
        return piece
    return piece._replace(kind="")


def _hidden_cuts(text: str, hidden: Sequence[Span]) -> Iterator[_Piece]:
    line, counted = 1, 0
    for span in hidden:
        line += text.count("\n", counted, span.start)
        yield _hidden_piece(text, span, line)
        line += text.count("\n", span.start, span.end)
        counted = span.end
        yield _Piece(span.end, span.end, line)


def _hidden_piece(text: str, span: Span, line: int) -> _Piece:
    if not span.is_managed:
        return _Piece(span.start, span.start, line, kind="")
    heading = split_sections(text[span.start : span.end])[0]
    body_start = span.start + heading.body_start
    return _Piece(
        span.start, body_start, line, heading.level, heading.title, "dreaming"
    )


def _item_stretches(text: str, stretches: list[_Stretch]) -> Iterator[_Stretch]:
    fenced = fenced_lines(text)
    for piece, end in stretches:
        inner = [(piece, end)]
        if piece.kind in ("text", "preamble"):
            inner = list(_cut_at_items(text, piece, end, fenced))
        if len(inner) == 1 and piece.kind == "preamble":
            plain = _says_something(text[piece.start : end])
            inner = [(piece._replace(kind="text" if plain else ""), end)]
        yield from inner


def _cut_at_items(
    text: str, piece: _Piece, end: int, fenced: frozenset[int]
) -> Iterator[_Stretch]:
    """Cut a piece at list items, and at paragraphs that follow a list."""
    blank = True
    for start, number in _line_starts(text, piece, end):
        if _BLANK.match(text, start):
            blank = True
            continue
        after_list = blank and piece.kind == "item" and text[start] not in " \t"
        blank = False
        if number not in fenced and (after_list or _ITEM.match(text, start)):
            yield piece, start
            piece = _item_piece(text, start, number)
    yield piece, end


def _item_piece(text: str, start: int, number: int) -> _Piece:
    marker = _ITEM.match(text, start)
    if not marker:
        return _Piece(start, start, number)
    return _Piece(start, marker.end(), number, kind="item")


def _line_starts(text: str, piece: _Piece, end: int) -> Iterator[tuple[int, int]]:
    start, number = piece.start, piece.first_line
    while start < end:
        yield start, number
        start = text.find("\n", start) + 1 or end
        number += 1


def _entry(text: str, piece: _Piece, end: int) -> Entry | None:
    """Return the entry of a stretch; None if it has no text of its own."""
    if not piece.kind:
        return None
    if piece.level:
        return _headed_entry(text, piece, end)
    return _plain_entry(text, piece, end)


def _headed_entry(text: str, piece: _Piece, end: int) -> Entry:
    start, body_start, line, level, title, kind = piece
    end = _end_of_text(text, body_start, end)
    if end == body_start:
        end = body_start = start + len(text[start:body_start].rstrip("\r\n"))
    lines = Lines(line, line + text.count("\n", start, end))
    time = heading_time(title)
    return Entry(title, level, kind or "text", time, start, body_start, end, lines)


def _plain_entry(text: str, piece: _Piece, end: int) -> Entry | None:
    end = _end_of_text(text, piece.body_start, end)
    start = _start_of_text(text, piece.start, end)
    if end <= start:
        return None
    if piece.kind == "preamble" and not _says_something(text[start:end]):
        return None
    line = piece.first_line + text.count("\n", piece.start, start)
    lines = Lines(line, line + text.count("\n", start, end))
    body_start = max(piece.body_start, start)
    time = _leading_time(text[body_start : min(end, body_start + 40)])
    return Entry("", 0, piece.kind or "text", time, start, body_start, end, lines)


def _leading_time(opening: str) -> ClockTime | None:
    found = _LEADING_TIME.match(opening)
    return heading_time(opening.partition("\n")[0]) if found else None


def _end_of_text(text: str, start: int, end: int) -> int:
    """Return the end of the last line that is neither blank nor a rule, or `start`."""
    while end > start:
        line = max(text.rfind("\n", start, end) + 1, start)
        written = text[line:end].rstrip()
        if written and not _is_rule(written):
            return line + len(written)
        end = line - 1
    return start


def _start_of_text(text: str, start: int, end: int) -> int:
    """Return the start of the first line that is neither blank nor a rule, or `end`."""
    while start < end:
        after = text.find("\n", start, end) + 1 or end
        line = text[start:after].rstrip()
        if line and not _is_rule(line):
            return start
        start = after
    return end


def _is_rule(line: str) -> bool:
    return line[-1:] in _RULE_MARKS and _RULE.fullmatch(line) is not None


def _says_something(text: str) -> bool:
    return any(
        line.strip(" \t\r\ufeff")
        and not _is_rule(line.rstrip())
        and not _COMMENT.fullmatch(line)
        and not (len(line) < 60 and _DATE_LINE.fullmatch(line))
        for line in text.split("\n")
    )
