"""Time and owner of a file's rows, derived from the file itself."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from memoryhub.dialects.auto_memory import AutoMemory
from memoryhub.dialects.daily_log import DailyLog, date_of, time_of
from memoryhub.dialects.file_days import day_of_note
from memoryhub.dialects.plain import Plain
from memoryhub.events.importers import add_event
from memoryhub.formats.openclaw.session_key import parse_session_key
from memoryhub.formats.text.dates import (
    ClockTime,
    heading_time,
    parse_date,
    zone_offset,
)
from memoryhub.formats.text.days import day_in
from memoryhub.journal.changes import Change
from memoryhub.journal.day_sources import Precision
from memoryhub.journal.importers.agents import AgentImporter
from memoryhub.journal.lifetimes import Matched
from memoryhub.journal.ownership import Owner
from topics.importers.bindings import BindingImporter

#: Enums are slow to ask for a value, entries many.
_SECOND, _MINUTE, _DAY, _NONE = Precision.values
#: Documents of notes, which may name their day anywhere at the start.
_UNDATED = (Plain, AutoMemory)
_DAY_FIRST = re.compile(r"\W{0,4}(\d{4}-\d\d-\d\d)(?![\d.-])")
_BRACKETS = re.compile(r"\([^()]*\)|（[^（）]*）|\[[^\[\]]*\]")
#: Up to so long after it was read, a stated time may be right: clocks differ.
_AHEAD = timedelta(days=1)


class Timestamp(NamedTuple):
    """A moment in the file's precision."""

    at: datetime
    precision: str

    @property
    def columns(self) -> dict[str, Any]:
        return {"occurred_at": self.at, "precision": self.precision}


class Owners(NamedTuple):
    """The agent and the topic of a row, each with the rule that decided it."""

    agent: Owner
    topic: Owner

    @property
    def columns(self) -> dict[str, Any]:
        return {
            "agent_id": self.agent.id,
            "agent_rule": self.agent.rule,
            "topic_id": self.topic.id,
            "topic_rule": self.topic.rule,
        }


@dataclass(frozen=True, slots=True)
class Provenance:
    """Provides time and owner for the rows of one revision."""

    change: Change
    agents: AgentImporter
    bindings: BindingImporter
    day: date | None
    clock: time | None

    @classmethod
    def of(
        cls, change: Change, agents: AgentImporter, bindings: BindingImporter
    ) -> Provenance:
        path, day = change.pure_path, date_of(change.pure_path)
        if day is None and isinstance(change.document, _UNDATED):
            day = day_of_note(path, change.text)
        return cls(change, agents, bindings, day, time_of(path))

    def of_entry(self, title: str, clock: ClockTime | None) -> Timestamp:
        """Return the time of an entry, on the day that its heading states.

        A day after the reading is one that the heading plans for.
        """
        day = _day_of_heading(title)
        latest = (self.change.recorded_at + _AHEAD).date()
        return self.when(clock, None if self.day and day and day > latest else day)

    def when(
        self, clock: ClockTime | None = None, day: date | None = None
    ) -> Timestamp:
        """Return the time of an entry: its own, the file name's, the file's day."""
        stated, day = day, day or self.day
        if day is None:
            return Timestamp(self.change.changed_at, _NONE)
        if clock is not None:
            moment = datetime(day.year, day.month, day.day, clock.hour, clock.minute)
            at = self.change.local(_in_zone(moment, clock.zone, self._zone))
            return Timestamp(at, _MINUTE)
        if self.clock is not None and stated in (None, self.day):
            moment = datetime.combine(day, self.clock)
            return Timestamp(self.change.local(moment), _MINUTE)
        return self.on(day)

    @property
    def _zone(self) -> str:
        """The zone that a log states for its own times."""
        document = self.change.document
        return document.zone if isinstance(document, DailyLog) else ""

    def on(self, day: date) -> Timestamp:
        """Return a day stated in a file, without a time."""
        return Timestamp(self.change.start_of(day), _DAY)

    def at(self, moment: datetime | None, zone: str = "") -> Timestamp:
        """Return a time stated in a file to the second, in a zone of any kind."""
        if moment is None:
            return self.when()
        if moment.tzinfo is None:
            moment = _in_zone(moment, zone)
        return Timestamp(self.change.local(moment), _SECOND)

    def past(self, when: Timestamp) -> Timestamp:
        """Return a stated time; none if it is well after the time of reading."""
        if when.at <= self.change.recorded_at + _AHEAD:
            return when
        return Timestamp(self.change.changed_at, _NONE)

    def author(self, name: str) -> str:
        """Return the author that a note names, as its agent was declared."""
        return self.agents.as_declared(name)

    def author_of_entry(self, log: DailyLog, title: str) -> str:
        """Return the author of an entry: the agent of its heading, else of the log."""
        return self.agents.author_in(title) or self.author(log.agent)

    def owners(
        self,
        session_keys: Sequence[str] = (),
        *,
        agent: str = "",
        topic_id: int | None = None,
    ) -> Owners:
        """Return agent and topic of a row; markers in the row itself decide."""
        listed = list(session_keys)
        agents = {parse_session_key(key).agent for key in listed}
        key = listed[0] if len(agents) == 1 else ""
        owner = self.agents.owner(self.change, marker=agent, session_key=key)
        if topic_id is not None:
            return Owners(owner, Owner(topic_id, "marker"))
        # An agent that writes here could have named the topic: it is not guessed.
        guess = self.change.acting_id is None
        return Owners(owner, self.bindings.topic_of(key, owner.id, guess=guess))


def add_row_event(
    change: Change,
    matched: Matched,
    kind: str,
    title: str,
    detail: str = "",
    data: dict[str, Any] | None = None,
) -> None:
    """Add the event of a row, at its time if new."""
    values, is_new = matched.fact.values, matched.verb == "added"
    add_event(
        change,
        kind,
        matched.verb,
        title,
        target_id=matched.row_id,
        detail=detail,
        occurred_at=values["occurred_at"] if is_new else None,
        precision=values["precision"] if is_new else _NONE,
        agent_id=values["agent_id"],
        topic_id=values["topic_id"],
        line=matched.fact.lines.first,
        data=data,
    )


def _day_of_heading(title: str) -> date | None:
    """Return the day at the start of a heading, or beside a time in its brackets."""
    if found := _DAY_FIRST.match(title):
        return parse_date(found[1])
    inside = (found[0][1:-1] for found in _BRACKETS.finditer(title))
    return next((day_in(text) for text in inside if heading_time(text)), None)


def _in_zone(moment: datetime, *zones: str) -> datetime:
    """Return a wall-clock time in the first known zone word or IANA name, if any."""
    for zone in filter(None, zones):
        at = _at(moment, zone)
        if at.tzinfo:
            return at
    return moment


def _at(moment: datetime, zone: str) -> datetime:
    try:
        if (minutes := zone_offset(zone)) is not None:
            return moment.replace(tzinfo=UTC) - timedelta(minutes=minutes)
        return moment.replace(tzinfo=ZoneInfo(zone))
    except (KeyError, ValueError, OSError, OverflowError):
        return moment
