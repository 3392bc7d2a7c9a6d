"""Entries of a daily log, cut by the form of its text alone.

Headings, times at the start of a line, list levels, blank lines and boxes cut; no word
does, but the labels of lists of decisions and of work, which are stated elsewhere.

What is taken out of a title stands at an edge or in brackets: a title never has holes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Literal, NamedTuple

from memoryhub.formats.base import Lines
from memoryhub.formats.text.dates import (
    ClockTime,
    heading_time,
    leading_time,
    title_without_time,
)
from memoryhub.formats.text.days import is_day_line, without_whole_days
from memoryhub.formats.text.source import Section, split_sections
from memoryhub.prose.labels import List, kind_of_label

_BRACKETS = re.compile(r"\([^()]*\)|（[^（）]*）|\[[^\[\]]*\]|【[^【】]*】")
#: Brackets around nothing, or around marks alone.
_EMPTY = re.compile(r"[(（\[【][^\w()（）\[\]【】]*[)）\]】]")
#: Marks between the parts of a heading.
_MARKS = "-–—|,，;:：/·•~≈"
_EDGES = " \t-–—|,，;:：/·•~≈@*_"
#: What separates words from a time behind them.
_BEHIND = re.compile(r"[\W_]*?[-–—|,，;:：/·•~≈@(（\[【]")
#: A full stop behind a word of three letters: not behind `M.`, `Dr.` or `13.`
_SENTENCE_END = re.compile(
    r"(?<=[^\W\d_]{3}[\"'”’»)*_`])[.!?…]+ |(?<=[^\W\d_]{3})[.!?…]+ |。|\n"
)
_WORD = re.compile(r"\w")


def title_of(heading: str) -> str:
    """Return a heading without its time and its whole days; empty if that is all."""
    bare = _without(title_without_time, _without(without_whole_days, heading))
    while (fewer := _EMPTY.sub(" ", bare)) != bare:
        bare = fewer
    if bare.count("**") % 2:
        bare = bare.replace("**", "")
    bare = " ".join(bare.split()).strip(_EDGES)
    return bare if _WORD.search(bare) else ""


def sentence_title(said: str) -> str:
    """Return the first sentence of a note, without a time at its edges."""
    first = _SENTENCE_END.split(said.strip(), maxsplit=1)[0].rstrip(".。 ")
    return title_of(first)


def _without(cut: Callable[[str], str], text: str) -> str:
    """Return a text as it is cut, unless that leaves a hole between words."""
    bare = cut(text)
    all_, left = _words(text), _words(bare)
    if all_ == left or all_.endswith(left):
        return bare
    if all_.startswith(left):
        seen = 0
        for place, sign in enumerate(text):
            if seen == len(left):
                return bare if not left or _BEHIND.match(text, place) else text
            seen += sign.isalnum()
    if _is_aside(text, bare):
        return bare
    in_brackets = _words(_BRACKETS.sub("", text)) == _words(_BRACKETS.sub("", bare))
    return bare if in_brackets else text


def _is_aside(text: str, bare: str) -> bool:
    """Return whether what is cut out begins and ends at marks, as `, 15:20 —` does."""
    start = end = 0
    while start < len(bare) and text[start] == bare[start]:
        start += 1
    while end < len(bare) - start and text[-1 - end] == bare[-1 - end]:
        end += 1
    cut, behind = text[start : len(text) - end].strip(), text[len(text) - end :].strip()
    return cut[:1] in _MARKS and behind[:1] in _MARKS and bool(cut and behind)


def _words(text: str) -> str:
    return "".join(filter(str.isalnum, text))


EntryKind = Literal["section", "item", "text", "dreaming"]
#: entry: with all below it; part: of the entry before; over: its own lines may hold
#: entries; before: the same, if they have a time; none: neither.
_Place = Literal["entry", "part", "over", "before", "none"]

_MARKER = re.compile(
    r"(?:[-*+•–—·▪◦‣→]|\d{1,3}[.)、]|[\u2600-\u27bf\U0001f300-\U0001faff]\ufe0f?)"
    r"[ \t]+(?=\S)"
    r"|\|[ \t]*(?=[*_`~\d(\[]{1,4}\d*[:：hH.])"
)
_BOX = re.compile(r"\[( |x|X)\][ \t]+")
_CATEGORY = re.compile(r"\[([^\]\n]{1,30})\][ \t]")
_BOLD = re.compile(r"(?:\*\*[^*\n]{2,80}\*\*|__[^_\n]{2,80}__)[:：]?")
#: A title at the head of its paragraph.
_RUN_IN = re.compile(
    r"\*\*[^*\n]{2,60}(?:[.:：。!?]\*\*|\*\*[.:：。]|\*\* [–—-])[ \t]*(?=\S)"
)
#: A figure with its name: ``Price: 60``.
_METRIC = re.compile(
    r"[^:：\n]{1,40}[:：=][\s*_`~≈<>]*[-+−±]?[^\w\s]{0,2}\d[^:：\n]{0,16}"
)
#: A key of the file, ``**Created:** 2026-05-03``, ``status: ok``; before its notes also
#: ``Status: ok``.
_FIELD = re.compile(
    r"(?:\*\*[^*\n]{2,30}(?:\*\*[:：]|[:：]\*\*)|[a-z]\w{1,30}:)[ \t]*\S"
)
_HEAD_FIELD = re.compile(r"[*_]?[^\W\d_]\w{1,20}[*_]?[:：][ \t]*\S")
_DIGIT = re.compile(r"\d")
_NOT_PROSE = ("|", "===", "<!--", "---", "***", "___", ">", "```", "~~~", "#", "![")
_RULE = re.compile(
    r"[ \t]*(?:-[ \t]*){3,}|[ \t]*(?:\*[ \t]*){3,}|[ \t]*(?:_[ \t]*){3,}"
)
_TRAILING = re.compile(
    r"[(（\[@]~?[ ]?\d{1,2}[:：hH.][^()（）\[\]\n]{1,16}[)）\]]?[.。]?\Z"
)
#: A line that repeats the date of the file, and nothing else.
_DATE_LINE = re.compile(
    r"\W*(?:\w{1,10}\W{1,6})?\d{4}[-/.年]\d{1,2}[-/.月]\d{1,2}日?\W*\w{0,12}\W*"
)
#: A line of what no page shows.
_UNSEEN = re.compile(
    r"[ \t]*(?:<!--[^\n]*-->|(?:</?(?:details|summary)\b[^<>\n]{0,200}>){1,4})[ \t\r]*",
    re.IGNORECASE,
)
#: A label, a key and a greeting are shorter; a time is looked for so far into a line.
_LABEL, _KEY_SIZE, _GREETING, _LINE = 60, 80, 40, 200
#: Fewer lines with a time among many without are items like the others; so many
#: paragraphs with a title make it the rule.
_TIMED, _RUN_INS = 2, 3


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


class _Line(NamedTuple):
    """A written line in the first column; `opens`: a blank or a list is above it.

    `marker` is the length of its list marker; it `heads` a list of statements as their
    label, or begins with a `label` of that kind.
    """

    start: int
    number: int
    text: str
    marker: int
    opens: bool
    timed: bool
    heads: bool
    label: str


def cut_entries(
    text: str,
    sections: Sequence[Section],
    hidden: Sequence[Span],
    fenced: frozenset[int],
    *,
    is_one: bool = False,
) -> tuple[Entry, ...]:
    """Return the entries of a log in file order.

    Hidden spans, given in order, are excluded from these entries; a managed one is an
    entry of its own. Lines `fenced`, by number, begin none. A file that `is_one`
    piece of work is one entry, except where it has several times.
    """
    seen = [s for s in sections if not any(h.start <= s.start < h.end for h in hidden)]
    if is_one and not _has_times(text, seen, fenced):
        named = (n for n, s in enumerate(seen) if title_of(s.title) or s.body.strip())
        first = next((n for n in named if seen[n].level), 0)
        places: list[_Place] = ["part"] * len(seen)
        for n in range(min(first + 1, len(seen))):
            places[n] = "entry" if n == first else "none"
    else:
        outline = _Outline(seen, fenced)
        outline.visit(range(len(seen)))
        places = outline.places
        if is_one and not any(heading_time(section.title) for section in seen[1:]):
            places = [p if p == "over" else "before" for p in places]
    found = _entries_at(text, seen, places, hidden, fenced)
    if not any(entry.kind != "dreaming" for entry in found):
        # A title over nothing but lists of work: its own text is what there is.
        for n, section in enumerate(seen):
            if section.level < 2 and places[n] == "before":
                places[n] = "over"
        found = _entries_at(text, seen, places, hidden, fenced)
    return found


def _entries_at(
    text: str,
    seen: Sequence[Section],
    places: Sequence[_Place],
    hidden: Sequence[Span],
    fenced: frozenset[int],
) -> tuple[Entry, ...]:
    pieces = list(_headed_pieces(seen, places))
    if hidden:
        # Stable: where a hidden span ends at a heading, the text is the heading's.
        both = [*_hidden_pieces(text, hidden), *pieces]
        pieces = sorted(both, key=lambda piece: piece.start)
    pieces = [*_behind_hidden(pieces), _Piece(len(text), len(text), 0, kind="")]
    return tuple(
        entry
        for piece, following in pairwise(pieces)
        for entry in _entries_in(text, piece, following.start, fenced)
    )


def _has_times(text: str, seen: Sequence[Section], fenced: frozenset[int]) -> bool:
    """Return whether several headings or lines have a time or a category."""
    timed = [n for n, section in enumerate(seen) if heading_time(section.title)]
    return (
        len(timed) > 1
        or sum(timed) > 0
        or _holds_entries(text, 0, len(text), 1, fenced)
    )


class _Outline:
    """The places of headings, decided from the outermost inwards."""

    def __init__(self, sections: Sequence[Section], fenced: frozenset[int]) -> None:
        self.sections, self.fenced = sections, fenced
        self.places: list[_Place] = ["none"] * len(sections)
        self.timed = [heading_time(s.title) is not None for s in sections]
        self.ends = [len(sections)] * len(sections)
        #: A heading below it has a time.
        self.over_times = [False] * len(sections)
        above: list[int] = []
        for number, section in enumerate(sections):
            while above and self.sections[above[-1]].level >= section.level > 0:
                self.ends[above.pop()] = number
            if section.level:
                above.append(number)
            else:
                self.ends[number] = number + 1
            if self.timed[number]:
                for one in above[:-1]:
                    self.over_times[one] = True

    def visit(self, scope: range) -> None:
        """Decide the places of headings that no entry holds yet."""
        group, number = [], scope.start
        while number < scope.stop:
            group.append(number)
            number = self.ends[number]
        if group and not self.sections[group[0]].level:
            self.places[group[0]] = "before" if len(group) > 1 else "over"
            group = group[1:]
        if firsts := self._repeated(group):
            for one in range(group[0], scope.stop):
                self.places[one] = "entry" if one in firsts else "part"
            return
        for one in group:
            self._decide(one, group)

    def _repeated(self, group: Sequence[int]) -> set[int]:
        """Return where a sequence of equal headings begins again, if one does."""
        titles = [title_of(self.sections[n].title).casefold() for n in group]
        if not titles or not titles[0] or titles.count(titles[0]) < 2:
            return set()
        if any(self.timed[n] or self.over_times[n] for n in group):
            return set()
        return {n for n, title in zip(group, titles, strict=True) if title == titles[0]}

    def _decide(self, number: int, group: Sequence[int]) -> None:
        section, alone = self.sections[number], len(group) == 1
        below = range(number + 1, self.ends[number])
        states = bool(_list_kind(title_without_time(section.title)))
        if self.timed[number] and not (
            self.over_times[number] and section.level == 1 and alone
        ):
            self._take(number, group)
        elif self.over_times[number]:
            self._open(number, "before")
        elif states:
            return
        elif section.level == 1 and below:
            self._open(number, "before")
        elif section.level == 1 and _are_metrics(_written(section.body)):
            self.places[number] = "entry"
        elif section.level == 1:
            named = title_of(section.title)
            self.places[number] = "over" if alone else "entry" if named else "before"
        elif is_day_line(section.title):
            self._open(number, "over")
        else:
            self._take(number, group)

    def _open(self, number: int, place: _Place) -> None:
        self.places[number] = place
        self.visit(range(number + 1, self.ends[number]))

    def _take(self, number: int, group: Sequence[int]) -> None:
        below = range(number + 1, self.ends[number])
        self.places[number] = self._place_by_text(number, group)
        for one in below:
            self.places[one] = "part" if self.places[number] == "entry" else "none"

    def _place_by_text(self, number: int, group: Sequence[int]) -> _Place:
        """Classify a heading that may begin an entry, by the text below it."""
        section = self.sections[number]
        lines = _written(section.body)
        if self.ends[number] > number + 1:
            return "entry"
        if lines and _is_work(lines):
            return "none"
        if len(group) > 1 and not self.timed[number] and _are_metrics(lines):
            return "none"
        inside = (section.body_start, section.end, section.body_line)
        if (
            len(group) < 2
            and not self.timed[number]
            and _holds_entries(section.text, *inside, self.fenced)
        ):
            return "over"
        return "entry"


def _is_work(lines: Sequence[str]) -> bool:
    """Return whether lines are boxes alone, or a label and its items."""
    if all(_is_box(line) for line in lines):
        return True
    items = lines[1:]
    heads = bool(items) and _traits_of(lines[0])[2]
    return heads and all(map(_MARKER.match, items))


def _is_box(line: str) -> bool:
    found = _MARKER.match(line)
    return found is not None and _BOX.match(line, found.end()) is not None


def _written(body: str) -> list[str]:
    return [line.strip() for line in body.split("\n") if line.strip()]


def _are_metrics(lines: Sequence[str]) -> bool:
    """Return whether lines are figures with their names, in a list or a table."""
    rows = [line for line in lines if line.strip("|:- ")]
    if all(row.startswith("|") for row in rows):
        figures = len(rows) > 1 and all(map(_DIGIT.search, rows[1:]))
    else:
        figures = len(rows) > 1 and all(map(_is_metric, rows))
    return figures and not any(leading_time(row.lstrip("|-*•+ ")) for row in rows)


def _is_metric(line: str) -> bool:
    found = _MARKER.match(line)
    return _METRIC.fullmatch(line[found.end() if found else 0 :]) is not None


def _holds_entries(
    text: str, start: int, end: int, number: int, fenced: frozenset[int]
) -> bool:
    """Return whether lines below a title are entries: several with a time or a kind."""
    timed = marked = 0
    for line in _lines_of(text, start, end, number, fenced):
        timed += line.timed
        category = _CATEGORY.match(line.text) and not _BOX.match(line.text)
        marked += bool(line.marker and category)
        if _TIMED in (timed, marked):
            return True
    return False


def _headed_pieces(
    sections: Sequence[Section], places: Sequence[_Place]
) -> Iterator[_Piece]:
    for section, place in zip(sections, places, strict=True):
        if place == "entry":
            yield _Piece(
                section.start,
                section.body_start,
                section.first_line,
                section.level,
                section.title,
                "section",
            )
        elif place != "part":
            yield _Piece(section.start, section.start, section.first_line, kind="")
            if place != "none":
                start = section.body_start
                yield _Piece(start, start, section.body_line, kind=place)


def _behind_hidden(pieces: Sequence[_Piece]) -> Iterator[_Piece]:
    """Give the text behind each hidden span the kind of the piece around it."""
    around: EntryKind | Literal["over", "before", "behind", ""] = "over"
    for piece in pieces:
        if piece.kind == "behind":
            yield piece._replace(kind=around)
            continue
        if piece.kind != "dreaming" and piece.first_line > 0:
            around = "text" if piece.kind == "section" else piece.kind
        yield piece


def _hidden_pieces(text: str, hidden: Sequence[Span]) -> Iterator[_Piece]:
    line, counted = 1, 0
    for span in hidden:
        line += text.count("\n", counted, span.start)
        if span.is_managed:
            heading = split_sections(text[span.start : span.end])[0]
            body = span.start + heading.body_start
            named = heading.level, heading.title
            yield _Piece(span.start, body, line, *named, "dreaming")
        else:
            yield _Piece(span.start, span.start, -line, kind="")
        line += text.count("\n", span.start, span.end)
        counted = span.end
        yield _Piece(span.end, span.end, line, kind="behind")


def _entries_in(
    text: str, piece: _Piece, end: int, fenced: frozenset[int]
) -> Iterator[Entry]:
    if piece.kind in ("section", "dreaming") and piece.level:
        yield _headed_entry(text, piece, end)
    elif piece.kind in ("section", "text"):
        yield from _plain_entry(text, piece, end)
    elif piece.kind in ("over", "before"):
        lines = [*_lines_of(text, piece.start, end, piece.first_line, fenced)]
        cuts = [*_cuts_in(lines, timed_only=piece.kind == "before")]
        for cut, following in pairwise([*cuts, _Piece(end, end, 0)]):
            if cut.kind:
                yield from _plain_entry(text, cut, following.start)


def _headed_entry(text: str, piece: _Piece, end: int) -> Entry:
    start, body_start, line, level, title, kind = piece
    end = _end_of_text(text, body_start, end)
    if end == body_start:
        end = body_start = start + len(text[start:body_start].rstrip("\r\n"))
    lines = Lines(line, line + text.count("\n", start, end))
    named: EntryKind = "dreaming" if kind == "dreaming" else "section"
    return Entry(
        title, level, named, heading_time(title), start, body_start, end, lines
    )


def _plain_entry(text: str, piece: _Piece, end: int) -> Iterator[Entry]:
    """Yield the entry of a stretch, if it has text of its own."""
    end = _end_of_text(text, piece.body_start, end)
    start = _start_of_text(text, piece.start, end)
    if end <= start or not _says_something(text[start:end]):
        return
    line = piece.first_line + text.count("\n", piece.start, start)
    lines = Lines(line, line + text.count("\n", start, end))
    body_start = max(piece.body_start, start)
    first = text[body_start : min(end, body_start + _LINE)].partition("\n")[0]
    trailing = _TRAILING.search(first.rstrip())
    time = leading_time(first) or (heading_time(trailing[0]) if trailing else None)
    kind: EntryKind = "item" if piece.kind == "item" else "text"
    yield Entry("", 0, kind, time, start, body_start, end, lines)


def _lines_of(
    text: str, start: int, end: int, number: int, fenced: frozenset[int]
) -> Iterator[_Line]:
    """Yield the written lines in the first column, outside of fences."""
    blank, headed = True, False
    while start < end:
        after = text.find("\n", start, end) + 1 or end
        line = text[start:after].rstrip()
        if line and line[0] not in " \t" and number not in fenced:
            marker, timed, heads, label = _traits_of(line)
            # A list right below a paragraph is what that says.
            headed = not blank and (headed or not marker) if marker else True
            opens = timed or (not headed if marker else blank)
            words = line[marker:]
            yield _Line(start, number, words, marker, opens, timed, heads, label)
        blank = not line
        start, number = after, number + 1


def _list_kind(label: str) -> Literal["", List]:
    """Return the kind of the list that a label heads; empty for any other label."""
    kind = kind_of_label(label)
    return kind if kind in ("open", "decision", "directive") else ""


@lru_cache(maxsize=8192)
def _traits_of(line: str) -> tuple[int, bool, bool, str]:
    """Return the marker, timed, heads and label of a line (see `_Line`).

    Cached: a log that grew has the lines of the version before.
    """
    found = _MARKER.match(line)
    marker = found.end() if found else 0
    words = line[marker:]
    label, colon, rest = words[:_LABEL].replace("：", ":").partition(":")
    # Words behind the colon, or a full stop, make it a note of its own.
    alone = len(words) <= _LABEL and not rest.strip(" *_") and words[-1] not in ".。!！"
    formed = bool(colon) or _BOLD.fullmatch(words) is not None
    heads = alone and (formed or not marker) and bool(_list_kind(words))
    kind = _list_kind(label) if colon and rest.strip(" *_") else ""
    return marker, leading_time(words) is not None, heads, kind


def _cuts_in(lines: Sequence[_Line], *, timed_only: bool) -> Iterator[_Piece]:
    """Yield where entries begin, and without a kind where one ends.

    With `timed_only`, and where most lines have a time, lines without one begin none.
    A day over a tale is one entry, as are figures in a row.
    """
    first_list = next((n for n, line in enumerate(lines) if line.heads), len(lines))
    timed = sum(line.timed for line in lines)
    openings = sum(line.opens for line in lines[:first_list])
    if timed_only or (timed >= _TIMED and timed * 2 >= openings):
        yield from _timed_cuts(lines)
        return
    has_day = bool(lines) and not lines[0].marker and is_day_line(lines[0].text)
    rest = lines[1:] if has_day else lines
    if has_day:
        plain = not any(
            one.marker or one.timed or one.heads or _lists(one) for one in rest
        )
        yield _cut(lines[0], "text" if rest and plain else "")
        if rest and plain:
            return
    yield from _text_cuts(rest)


def _lists(line: _Line) -> bool:
    """Return whether a line has a label and a list of several items."""
    return bool(line.label) and any(mark in line.text for mark in (";", " / ", "、"))


def _timed_cuts(lines: Sequence[_Line]) -> Iterator[_Piece]:
    inside = False
    for line in lines:
        if line.timed:
            yield _cut(line, "item" if line.marker else "text")
            inside = True
        elif inside and (line.heads or (line.marker and line.label)):
            yield _cut(line, "")
            inside = False


def _text_cuts(lines: Sequence[_Line]) -> Iterator[_Piece]:
    paragraphs = [line for line in lines if line.opens and not line.marker]
    titled = [line for line in paragraphs if _is_titled(line.text)]
    by_title = len(titled) >= _RUN_INS and len(titled) * 2 >= len(paragraphs)
    in_list = announces = started = in_metrics = False
    for line in lines:
        item = line.marker > 0
        if by_title and not item and not (_is_titled(line.text) or line.heads):
            continue
        if not line.opens or (item and announces):
            # A list below "these three:" is what the paragraph says.
            announces = announces or line.text.endswith((":", "："))
            continue
        if in_list and item:
            continue
        metric = item and _METRIC.fullmatch(line.text) is not None
        if metric and in_metrics:
            continue
        in_metrics = metric
        in_list = line.heads
        is_entry = not in_list and _begins(line, started=started)
        ends = line.text.endswith((":", "："))
        announces = is_entry and not item and (ends or bool(_BOLD.fullmatch(line.text)))
        goes_on = line.text.startswith(_NOT_PROSE) or _is_field(line.text)
        if not item and started and goes_on:
            continue
        started = started or is_entry or in_list
        yield _cut(line, ("item" if item else "text") if is_entry else "")


def _is_titled(text: str) -> bool:
    return bool(_RUN_IN.match(text) or _BOLD.fullmatch(text))


def _begins(line: _Line, *, started: bool) -> bool:
    """Return whether a list item or a paragraph reports something."""
    if line.label == "open":
        return False
    if line.marker:
        category = _CATEGORY.match(line.text)
        empty = category and not category[1].strip()
        return not (category and (empty or _list_kind(category[1])))
    if line.text.startswith(_NOT_PROSE):
        return False
    above = line.text.endswith((",", "，")) or _HEAD_FIELD.match(line.text)
    is_short = len(line.text) < _GREETING and not line.label
    return started or not ((is_short and above) or _is_field(line.text))


def _is_field(text: str) -> bool:
    return len(text) < _KEY_SIZE and _FIELD.match(text) is not None


def _cut(line: _Line, kind: Literal["item", "text", ""]) -> _Piece:
    return _Piece(line.start, line.start + line.marker, line.number, kind=kind)


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
    return line[-1:] in "-*_" and _RULE.fullmatch(line) is not None


def _says_something(text: str) -> bool:
    return any(
        line.strip(" \t\r\ufeff")
        and not _is_rule(line.rstrip())
        and not _UNSEEN.fullmatch(line)
        and not (len(line) < _LABEL and _DATE_LINE.fullmatch(line))
        for line in text.split("\n")
    )
