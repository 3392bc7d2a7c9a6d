"""Entries of a daily log, cut as a reader would.

Splitting only: decisions and open work in an entry are extracted by
`memoryhub.formats.statements`. `memoryhub.formats.openclaw.log_outline` chooses the
headings that begin an entry, `memoryhub.formats.openclaw.log_lines` the lines.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Literal, NamedTuple

from memoryhub.formats.base import Lines
from memoryhub.formats.openclaw.log_cuts import Cut, cuts_of
from memoryhub.formats.openclaw.log_lines import (
    holds_entries,
    is_list,
    is_list_of_work,
)
from memoryhub.formats.openclaw.log_outline import (
    Place,
    places_of,
    places_of_one,
    places_of_session,
)
from memoryhub.formats.openclaw.log_titles import closes_a_day, is_idle, own_title
from memoryhub.formats.text.dates import ClockTime, heading_time, leading_time
from memoryhub.formats.text.growing import Growing
from memoryhub.formats.text.source import Section, split_sections

EntryKind = Literal["section", "item", "text", "dreaming"]

_RULE = re.compile(
    r"[ \t]*(?:-[ \t]*){3,}|[ \t]*(?:\*[ \t]*){3,}|[ \t]*(?:_[ \t]*){3,}"
)
#: A time is looked for so far into an entry.
_LINE = 200
_TRAILING = re.compile(
    r"[(（\[@]~?[ ]?\d{1,2}[:：hH.][^()（）\[\]\n]{1,16}[)）\]]?[.。]?\Z"
)
_RULE_MARKS = frozenset("-*_")
#: A line that repeats the date of the file, and nothing else.
_DATE_LINE = re.compile(
    r"\W*(?:date|day|日期|fecha|data|datum|дата)?\W*"
    r"\d{4}[-/.年]\d{1,2}[-/.月]\d{1,2}日?\W*\w{0,12}\W*",
    re.IGNORECASE,
)
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

    `kind` is the rule that delimited it: a heading (section), a list item, a paragraph
    (text), or a block managed by OpenClaw's dreaming.
    """

    title: str
    level: int
    kind: EntryKind
    time: ClockTime | None
    start: int
    body_start: int
    end: int
    lines: Lines
    #: Its heading as `own_title` gives it.
    own_title: str = ""


#: Kinds of pieces that are entries.
_FORMS = ("section", "item", "text", "dreaming")
#: Entries, found again in the next versions of their logs.
_ENTRIES: Growing[Entry | None] = Growing()


class _Inner(NamedTuple):
    """The cuts in a piece and their entries; none is modified."""

    cuts: list[Cut]
    entries: list[Entry | None]


#: Headings that may begin an entry, classified by the text below them.
_PLACES: Growing[Place] = Growing()
#: Entries in pieces, continued in the next versions of their logs.
_INNER: Growing[_Inner] = Growing()


class _Piece(NamedTuple):
    """The start of a piece; one without a kind only ends the piece before it.

    The lines of one that is `over` entries, or `before` them, are cut in turn; what is
    `behind` a hidden span is of the kind of the piece that the span is in.
    """

    start: int
    body_start: int
    first_line: int
    level: int = 0
    title: str = ""
    kind: EntryKind | Literal["over", "before", "behind", ""] = "text"


#: A piece and its end offset.
_Stretch = tuple[_Piece, int]


def cut_entries(
    text: str,
    sections: Sequence[Section],
    hidden: Sequence[Span],
    fenced: frozenset[int],
) -> tuple[Entry, ...]:
    """Return the entries of a log in file order.

    Hidden spans, given in order, are excluded from these entries; a managed one is an
    entry of its own. Lines that are `fenced`, by number, begin none.
    """
    seen = _visible(sections, hidden) if hidden else sections
    places = places_of(seen)
    cutter = _Cutter(text, seen, hidden, fenced)
    entries = cutter.cut(places)
    if not any(entry.kind != "dreaming" for entry in entries):
        entries = cutter.cut(places_of_one(seen, places))
    return entries


def cut_session(
    text: str,
    sections: Sequence[Section],
    hidden: Sequence[Span],
    fenced: frozenset[int],
) -> tuple[Entry, ...]:
    """Return the one entry of a session's file; a file with times is cut at them."""
    seen = _visible(sections, hidden) if hidden else sections
    timed = [section for section in seen if heading_time(section.title)]
    if len(timed) > 1 or holds_entries(text, 0, len(text), 1, fenced):
        return cut_entries(text, sections, hidden, fenced)
    cutter = _Cutter(text, seen, hidden, fenced)
    return cutter.cut(places_of_session(seen))


def _visible(sections: Sequence[Section], hidden: Sequence[Span]) -> Sequence[Section]:
    seen, spans = [], iter(hidden)
    span = next(spans, None)
    for section in sections:
        while span and span.end <= section.start:
            span = next(spans, None)
        if not span or section.start < span.start:
            seen.append(section)
    return seen


class _Cutter:
    """Cuts one log into entries, by the places of its headings."""

    def __init__(
        self,
        text: str,
        sections: Sequence[Section],
        hidden: Sequence[Span],
        fenced: frozenset[int],
    ) -> None:
        self.text = text
        self.sections = sections
        self.hidden = hidden
        self.fenced = fenced
        self._fenced = sorted(fenced)
        self.known = _ENTRIES.parts_of(text)

    def cut(self, places: Sequence[Place]) -> tuple[Entry, ...]:
        """Return the entries of the log."""
        cuts = list(self._heading_cuts(places))
        if self.hidden:
            # Stable: where a hidden span ends at a heading, the text is the heading's.
            hidden = _hidden_cuts(self.text, self.hidden)
            cuts = sorted([*hidden, *cuts], key=lambda cut: cut.start)
        stretches = _stretches(self.text, list(_behind_hidden(cuts)))
        entries = (one for stretch in stretches for one in self._entries(*stretch))
        return tuple(entry for entry in entries if entry)

    def _heading_cuts(self, places: Sequence[Place]) -> Iterator[_Piece]:
        known = _PLACES.parts_of(self.text)
        for number, (section, place) in enumerate(
            zip(self.sections, places, strict=True)
        ):
            if place == "part":
                continue
            if place == "entry":
                parts = places[number + 1 : number + 2] == ["part"]
                make = partial(self._place_by_text, section, has_parts=parts)
                key = (section.start, section.end, parts, *self._fenced_in(number))
                place = known.value(key, make)
            if place == "entry":
                yield _section_piece(section)
                continue
            yield _Piece(section.start, section.start, section.first_line, kind="")
            if place in ("over", "before"):
                start = section.body_start
                yield _Piece(start, start, section.body_line, kind=place)

    def _fenced_in(self, number: int) -> Sequence[int]:
        """Return the fenced lines from a section on, up to the next one seen."""
        if not self.fenced:
            return ()
        lines = [one.first_line for one in self.sections[number : number + 2]]
        ends = [bisect_left(self._fenced, line) for line in lines]
        return self._fenced[slice(*ends)] if len(ends) > 1 else self._fenced[ends[0] :]

    def _place_by_text(self, section: Section, *, has_parts: bool) -> Place:
        """Classify a heading that may begin an entry, by the text below it."""
        if not has_parts and is_list_of_work(section.body):
            return "none"
        if closes_a_day(section.title) and is_list(section.body):
            return "none"
        if is_idle(section.title, section.body):
            return "none"
        if section.level and heading_time(section.title) is None:
            inside = (section.body_start, section.end, section.body_line)
            if holds_entries(self.text, *inside, self.fenced):
                return "over"
        return "entry"

    def _entries(self, piece: _Piece, end: int) -> Sequence[Entry | None]:
        """Return the entries in a piece; those without text are None."""
        if piece.kind not in ("over", "before"):
            return [self._entry(piece, end)]
        if not self.text[piece.start : end].strip():
            return []
        inside, timed_only = (
            (piece.start, end, piece.first_line),
            piece.kind == "before",
        )
        cuts = cuts_of(self.text, *inside, self.fenced, timed_only=timed_only)
        parts, part = _INNER.parts_of(self.text), (piece.start, timed_only)
        known = parts.before(part) or _Inner([], [])
        # The last one may go on.
        same = max(len(known.cuts) - 1, 0)
        entries = known.entries[:same] if cuts[: same + 1] == known.cuts else []
        ends = [*(cut.start for cut in cuts[len(entries) + 1 :]), end]
        for cut, cut_end in zip(cuts[len(entries) :], ends, strict=False):
            inner = _Piece(cut.start, cut.body_start, cut.line, kind=cut.kind)
            entries.append(self._entry(inner, cut_end))
        parts.note(part, _Inner(cuts, entries))
        return entries

    def _entry(self, piece: _Piece, end: int) -> Entry | None:
        """Return the entry of a stretch; None if it has no text of its own."""
        if not piece.level and piece.kind not in ("section", "item", "text"):
            return None
        form = piece.level * len(_FORMS) + _FORMS.index(piece.kind)
        part = (piece.start, piece.body_start, end, form)
        make = _headed_entry if piece.level else _plain_entry
        return self.known.value(part, partial(make, self.text, piece, end))


def _stretches(text: str, cuts: Sequence[_Piece]) -> Iterator[_Stretch]:
    ends = [cut.start for cut in cuts[1:]]
    ends.append(len(text))
    return zip(cuts, ends if cuts else (), strict=True)


def _section_piece(section: Section) -> _Piece:
    return _Piece(
        section.start,
        section.body_start,
        section.first_line,
        section.level,
        section.title,
        "section",
    )


def _behind_hidden(cuts: Sequence[_Piece]) -> Iterator[_Piece]:
    """Give the text behind each hidden span the kind of the piece around it."""
    around: EntryKind | Literal["over", "before", ""] = "over"
    for cut in cuts:
        if cut.kind == "behind":
            yield cut._replace(kind=around)
            continue
        if cut.kind != "dreaming" and cut.first_line > 0:
            around = "text" if cut.kind == "section" else cut.kind
        yield cut


def _hidden_cuts(text: str, hidden: Sequence[Span]) -> Iterator[_Piece]:
    line, counted = 1, 0
    for span in hidden:
        line += text.count("\n", counted, span.start)
        yield _hidden_piece(text, span, line)
        line += text.count("\n", span.start, span.end)
        counted = span.end
        yield _Piece(span.end, span.end, line, kind="behind")


def _hidden_piece(text: str, span: Span, line: int) -> _Piece:
    if not span.is_managed:
        return _Piece(span.start, span.start, -line, kind="")
    heading = split_sections(text[span.start : span.end])[0]
    body_start = span.start + heading.body_start
    return _Piece(
        span.start, body_start, line, heading.level, heading.title, "dreaming"
    )


def _headed_entry(text: str, piece: _Piece, end: int) -> Entry:
    start, body_start, line, level, title, kind = piece
    kind = "dreaming" if kind == "dreaming" else "section"
    end = _end_of_text(text, body_start, end)
    if end == body_start:
        end = body_start = start + len(text[start:body_start].rstrip("\r\n"))
    lines = Lines(line, line + text.count("\n", start, end))
    time = heading_time(title)
    own = own_title(title)
    return Entry(title, level, kind, time, start, body_start, end, lines, own)


def _plain_entry(text: str, piece: _Piece, end: int) -> Entry | None:
    end = _end_of_text(text, piece.body_start, end)
    start = _start_of_text(text, piece.start, end)
    if end <= start or not _says_something(text[start:end]):
        return None
    line = piece.first_line + text.count("\n", piece.start, start)
    lines = Lines(line, line + text.count("\n", start, end))
    body_start = max(piece.body_start, start)
    first = text[body_start : min(end, body_start + _LINE)].partition("\n")[0]
    time = leading_time(first) or _trailing_time(first.rstrip())
    kind: EntryKind = "item" if piece.kind == "item" else "text"
    return Entry("", 0, kind, time, start, body_start, end, lines)


def _trailing_time(line: str) -> ClockTime | None:
    """Return the time in brackets that ends a line."""
    found = _TRAILING.search(line)
    return heading_time(found[0]) if found else None


def _end_of_text(text: str, start: int, end: int) -> int:
    """Return the end of the last line with text (no blank, no rule), or `start`."""
    while end > start:
        line = max(text.rfind("\n", start, end) + 1, start)
        written = text[line:end].rstrip()
        if written and not _is_rule(written):
            return line + len(written)
        end = line - 1
    return start


def _start_of_text(text: str, start: int, end: int) -> int:
    """Return the start of the first line with text (no blank, no rule), or `end`."""
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
