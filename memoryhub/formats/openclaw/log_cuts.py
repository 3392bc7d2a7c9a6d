"""Where entries begin and end among the lines of running text.

Lines are read once, in their order. A log that grew is read on from where the version
before it ended.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from memoryhub.formats.openclaw.log_lines import (
    TIMED,
    Line,
    begins,
    goes_on,
    heads_a_list,
    is_aside,
    is_titled,
    lines_of,
    lists_in_line,
)
from memoryhub.formats.text.days import is_day_line
from memoryhub.formats.text.growing import Growing

#: item, text: it begins an entry; "": it ends the one before, and begins none.
Start = Literal["item", "text", ""]
#: timed: at lines with a time; text: at items and paragraphs, of which those without a
#: title begin none where most are titled; diary: all is one entry; none: no cuts.
_Way = Literal["timed", "text", "titled", "diary", "none"]
#: So many paragraphs with a title make it the rule.
_RUN_INS = 3


class Cut(NamedTuple):
    """An offset where an entry begins or ends, and where its words begin."""

    start: int
    body_start: int
    line: int
    kind: Start


@dataclass(slots=True)
class _Reading:
    """The lines of a stretch up to an offset, and the cuts among them.

    `number` and `blank` are of the line at that offset; `fenced` were the lines of
    fences.
    """

    at: int
    number: int
    timed_only: bool
    fenced: frozenset[int]
    blank: bool = True
    lines: list[Line] = field(default_factory=list)
    #: Lines with a time; lines that open something, up to the first list of work or of
    #: decisions.
    timed: int = 0
    openings: int = 0
    has_list: bool = False
    #: The first line is a day; the others are one tale: no list, no label, no time.
    has_day: bool = False
    is_tale: bool = True
    paragraphs: int = 0
    titled: int = 0
    #: The cuts of the first lines, and where the cutting stands behind them.
    way: _Way = "none"
    cuts: list[Cut] = field(default_factory=list)
    done: int = 0
    in_list: bool = False
    head: bool = False
    started: bool = False

    def continued(self) -> _Reading:
        """Return a copy to read on from; this one stays as it is."""
        other = copy(self)
        other.lines, other.cuts = [*self.lines], [*self.cuts]
        return other

    def fits(self, end: int, fenced: frozenset[int]) -> bool:
        """Return whether its lines are those of a text with these fences."""
        if self.at > end:
            return False
        return self.fenced == fenced or not any(
            number < self.number for number in self.fenced ^ fenced
        )

    def read(self, text: str, end: int, fenced: frozenset[int]) -> None:
        """Read on to an offset, and cut."""
        before = len(self.lines)
        found = lines_of(text, self.at, end, self.number, fenced, blank=self.blank)
        self.lines += found
        for place in range(before, len(self.lines)):
            self._count(place, self.lines[place])
        self._move(text, end)
        self.fenced = fenced
        way = self._way()
        if way != self.way:
            self.way, self.cuts, self.done = way, [], 0
            self.in_list = self.head = self.started = False
        self._cut()

    def _move(self, text: str, end: int) -> None:
        """Set the place to an offset behind a line, and whether that line is blank."""
        if end > self.at:
            line = text.rfind("\n", self.at, end - 1) + 1 or self.at
            self.blank = not text[line:end].rstrip()
            self.number += text.count("\n", self.at, end)
            self.at = end

    def _count(self, place: int, line: Line) -> None:
        self.timed += line.timed
        lists = bool(line.traits.list_kind or line.traits.inline_kind)
        self.has_list = self.has_list or lists
        self.openings += line.opens and not self.has_list
        if place == 0 and not line.is_item and is_day_line(line.text):
            self.has_day = True
            return
        if self.has_day and self.is_tale:
            is_part = line.is_item or line.timed or bool(line.traits.list_kind)
            self.is_tale = not (is_part or lists_in_line(line))
        if line.opens and not line.is_item:
            self.paragraphs += 1
            self.titled += is_titled(line.text)

    def _way(self) -> _Way:
        """Return the kind of cut of the lines, which depends on all of them."""
        if self.timed >= TIMED and (self.timed_only or self.timed * 2 >= self.openings):
            return "timed"
        if self.timed_only:
            return "timed" if self.timed else "none"
        if self.has_day and self.is_tale and len(self.lines) > 1:
            return "diary"
        is_rule = self.titled >= _RUN_INS and self.titled * 2 >= self.paragraphs
        return "titled" if is_rule else "text"

    def _cut(self) -> None:
        """Cut the remaining lines."""
        if self.way == "none":
            return
        for place in range(self.done, len(self.lines)):
            line = self.lines[place]
            if self.way == "timed":
                self._cut_timed(line)
            elif place == 0 and self.has_day:
                self._add(line, "text" if self.way == "diary" else "")
            elif self.way != "diary":
                self._cut_text(line)
        self.done = len(self.lines)

    def _cut_timed(self, line: Line) -> None:
        if line.timed:
            self._add(line, "item" if line.is_item else "text")
        elif self.cuts and self.cuts[-1].kind:
            is_list = line.is_item and line.traits.inline_kind
            if line.traits.list_kind or is_list:
                self._add(line, "")

    def _cut_text(self, line: Line) -> None:
        if self.way == "titled" and not line.is_item and is_aside(line.text):
            return
        if not line.opens or (line.is_item and self.head):
            # A list below "these three:" is what the paragraph says.
            self.head = self.head or line.text.endswith((":", "："))
            return
        if self.in_list and line.is_item:
            return
        self.in_list = bool(line.traits.list_kind)
        is_entry = not self.in_list and begins(line, started=self.started)
        self.head = is_entry and not line.is_item and heads_a_list(line.text)
        if not line.is_item and self.started and goes_on(line.text):
            return
        self.started = self.started or is_entry
        kind: Start = "item" if line.is_item else "text"
        self._add(line, kind if is_entry else "")

    def _add(self, line: Line, kind: Start) -> None:
        self.cuts.append(Cut(line.start, line.body_start, line.number, kind))


#: Stretches as read, continued in the next versions of their texts.
_READ: Growing[_Reading] = Growing()


def cuts_of(
    text: str,
    start: int,
    end: int,
    number: int,
    fenced: frozenset[int],
    *,
    timed_only: bool,
) -> list[Cut]:
    """Return where entries begin and end in a stretch of lines, in order.

    With `timed_only`, and where most lines have a time, lines without one begin none.
    """
    parts, part = _READ.parts_of(text), (start, number, timed_only)
    known = parts.before(part)
    if known is None or not known.fits(end, fenced):
        known = _Reading(start, number, timed_only, fenced)
    reading = known.continued()
    last = text.rfind("\n", reading.at, end) + 1
    if last:
        reading.read(text, last, fenced)
        parts.note(part, reading)
    if reading.at < end:
        reading = reading.continued()
        reading.read(text, end, fenced)
    return reading.cuts
