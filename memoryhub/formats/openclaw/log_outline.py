"""Which headings of a log begin an entry, and which lines below a heading do.

A heading with a time begins an entry, and what lies below it is part of it. Without
times the headings that name what happened do; a summary with the usual parts of a
session is one entry. Lists of decisions and of work, and headings over entries, are
none. `memoryhub.formats.openclaw.log_titles` knows the headings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Literal, NamedTuple

from memoryhub.formats.openclaw.log_titles import (
    Role,
    names_a_log,
    names_a_session,
    names_work,
    role_of,
)
from memoryhub.formats.text.dates import heading_time
from memoryhub.formats.text.growing import Growing
from memoryhub.formats.text.source import Section

#: entry: with all below it; part: of the entry before; over: its own lines may hold
#: entries; before: the same, but other text of it is no entry; none: neither.
Place = Literal["entry", "part", "over", "before", "none"]

#: The first written line is a list item.
_ITEM = re.compile(r"\s*(?:[-*+•–]|\d{1,3}[.)、])[ \t]")


#: The title of a saved conversation, whose headings are of what was said.
_TRANSCRIPT = re.compile(r"session[ \t]*:", re.IGNORECASE)
_PART: Place = "part"
#: So many headings that name what happened are no parts of one session.
_EVENTS = 3


class _Heading(NamedTuple):
    """A section with the kind of its title and the end of its subsections."""

    section: Section
    role: Role
    timed: bool
    end: int
    #: A heading below it has a time.
    over_times: bool


#: Roles of sections and whether they are timed, found again in the next versions.
_READ: Growing[tuple[Role, bool]] = Growing()


def places_of(sections: Sequence[Section]) -> list[Place]:
    """Return for each section of a log whether it begins an entry."""
    headings = _headings(sections)
    outline = _Outline(headings)
    outline.visit(range(len(headings)))
    return outline.places


def places_of_one(sections: Sequence[Section], places: Sequence[Place]) -> list[Place]:
    """Return the places in a log without entries: its text is one, or its parts are."""
    changed: list[Place] = list(places)
    for number, section in enumerate(sections):
        if section.level < 2 and places[number] == "before":
            changed[number] = "over"
        elif section.level and _heads_a_part(section):
            changed[number] = "entry"
            changed[number + 1 :] = [_PART] * (len(sections) - number - 1)
            break
    return changed


def places_of_session(sections: Sequence[Section]) -> list[Place]:
    """Return the places in a file of one session: its first heading, else its text."""
    if not sections:
        return []
    headed = (n for n, section in enumerate(sections) if section.level)
    first = next(headed, 0)
    places: list[Place] = ["none"] * first
    places.append("entry")
    places += [_PART] * (len(sections) - first - 1)
    return places


def _heads_a_part(section: Section) -> bool:
    return role_of(section.title) in ("part", "summary") and bool(section.body.strip())


def _headings(sections: Sequence[Section]) -> list[_Heading]:
    """Return the sections with their roles, found from the last to the first."""
    found: list[_Heading] = []
    later: list[tuple[int, int, bool]] = []
    parts = _READ.parts_of(sections[0].text if sections else "")
    for number in reversed(range(len(sections))):
        section = sections[number]
        part = (section.start, section.body_start, section.end)
        role, timed = parts.value(part, partial(_read, section))
        over_times = False
        while later and later[-1][0] > section.level > 0:
            over_times = later.pop()[2] or over_times
        end = later[-1][1] if later else len(sections)
        if not section.level:
            end = number + 1
        later.append((section.level, number, timed or over_times))
        found.append(_Heading(section, role, timed, end, over_times))
    return found[::-1]


def _read(section: Section) -> tuple[Role, bool]:
    """Return the role of a section, and whether its heading has a time."""
    if not section.level:
        return "own", False
    role, timed = role_of(section.title), heading_time(section.title) is not None
    if role == "own" and not timed and _ITEM.match(section.body):
        role = "work" if names_work(section.title) else role
    return role, timed


class _Outline:
    """Decides the places of headings, from the outermost inwards."""

    def __init__(self, headings: Sequence[_Heading]) -> None:
        self.headings = headings
        self.places: list[Place] = ["none"] * len(headings)
        self.is_timed = any(heading.timed for heading in headings)

    def visit(self, scope: range) -> None:
        """Decide the places of headings that no entry holds yet."""
        group = list(self._outermost(scope))
        if group and not self.headings[group[0]].section.level:
            self.places[group[0]] = "before" if len(group) > 1 else "over"
            group = group[1:]
        if self._is_session(group):
            self._cut_sessions(group, scope.stop)
            return
        over = any(self._is_over(number) for number in group)
        for number in group:
            self._decide(number, alone=len(group) == 1, among_over=over)

    def _outermost(self, scope: range) -> Iterator[int]:
        number = scope.start
        while number < scope.stop:
            yield number
            number = self.headings[number].end

    def _is_session(self, group: Sequence[int]) -> bool:
        """Return whether headings are the parts of sessions, each after a summary."""
        if len(group) < 2 or self.headings[group[0]].role != "summary":
            return False
        if any(self.headings[n].timed or self.headings[n].over_times for n in group):
            return False
        # A summary over events: more headings name what happened than parts.
        roles = [self.headings[n].role for n in group]
        own = roles.count("own")
        return own < _EVENTS or own <= roles.count("part") or "summary" in roles[1:]

    def _cut_sessions(self, group: Sequence[int], stop: int) -> None:
        outermost = frozenset(group)
        for number in range(group[0], stop):
            begins = number in outermost and self.headings[number].role == "summary"
            self.places[number] = "entry" if begins else "part"

    def _is_over(self, number: int) -> bool:
        heading = self.headings[number]
        return heading.role == "over" and bool(heading.section.body.strip())

    def _decide(self, number: int, *, alone: bool, among_over: bool) -> None:
        heading = self.headings[number]
        is_list = heading.role == "work" and _ITEM.match(heading.section.body)
        if heading.timed and is_list and not heading.over_times:
            return
        if heading.timed and not (alone and self._is_title_over_times(heading)):
            self._take(number)
        elif heading.over_times:
            self.places[number] = "before"
            self.visit(range(number + 1, heading.end))
        elif heading.section.level == 1:
            self._decide_title(number, alone=alone)
        elif heading.role in ("over", "day"):
            self.places[number] = "over"
            self.visit(range(number + 1, heading.end))
        elif among_over:
            self.places[number] = "before"
        elif heading.role == "own" or (alone and heading.role == "summary"):
            self._take(number)
        elif heading.role not in ("list", "work"):
            self.places[number] = "before"

    def _is_title_over_times(self, heading: _Heading) -> bool:
        is_title = heading.section.level == 1 and heading.over_times
        return is_title and not _TRANSCRIPT.match(heading.section.title)

    def _decide_title(self, number: int, *, alone: bool) -> None:
        heading = self.headings[number]
        below = range(number + 1, heading.end)
        if heading.role in ("list", "work"):
            return
        if not below:
            is_one = heading.role == "own" and self._names_one(heading)
            self.places[number] = "entry" if is_one else "over" if alone else "before"
        elif self._holds_one(number):
            self._take(number)
        else:
            self.places[number] = "before"
            self.visit(below)

    def _names_one(self, heading: _Heading) -> bool:
        """Return whether a title names one event, not a log of several."""
        title = heading.section.title
        return names_a_session(title) or not names_a_log(title)

    def _holds_one(self, number: int) -> bool:
        """Return whether a title names one session, with its parts below."""
        heading = self.headings[number]
        if heading.role == "day" and names_a_session(heading.section.title):
            return True
        if heading.role != "own":
            return False
        if names_a_session(heading.section.title):
            return True
        group = self._outermost(range(number + 1, heading.end))
        return all(self.headings[n].role != "own" for n in group)

    def _take(self, number: int) -> None:
        self.places[number] = "entry"
        for below in range(number + 1, self.headings[number].end):
            self.places[below] = "part"
