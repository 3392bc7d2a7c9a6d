"""Times and owners of a file's rows, resolved from its facts."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from memoryhub.dialects.facts import Entry, Time
from memoryhub.dialects.file_days import date_of, time_of
from memoryhub.events.importers import add_event
from memoryhub.formats.base import NOWHERE
from memoryhub.formats.openclaw.session_key import parse_session_key
from memoryhub.formats.text.dates import zone_offset
from memoryhub.journal.changes import Change
from memoryhub.journal.day_sources import Precision
from memoryhub.journal.fold import Fact
from memoryhub.journal.importers.agents import AgentImporter
from memoryhub.journal.ownership import Owner, is_agent
from memoryhub.journal.rows import Row
from topics.importers.topics import BindingImporter

#: Enums are slow to ask for a value, entries many.
_SECOND, _MINUTE, _DAY, _NONE = Precision.values
#: Up to so long after it was read, a stated time may be right: clocks differ.
_AHEAD = timedelta(days=1)
_OF_FILE, _FILE = Time(), Entry("", "", NOWHERE)


class Provenance:
    """Gives the columns of time and owner to the rows of one revision."""

    def __init__(
        self, change: Change, agents: AgentImporter, bindings: BindingImporter
    ) -> None:
        self._change, self._agents, self._bindings = change, agents, bindings
        self._facts = change.said
        path = change.pure_path
        self._day = date_of(path) or self._facts.day_of(path)
        self._clock = time_of(path)
        self._owners: dict[tuple[object, ...], Row] = {}

    def when(self, time: Time = _OF_FILE, *, past: bool = False) -> Row:
        """Return the columns of a stated time, else of the file's: by name, by disk.

        One that has to be `past` counts as none if it is well after the reading.
        """
        at, precision = self._when(time)
        if past and at > self._change.recorded_at + _AHEAD:
            at, precision = self._change.changed_at, _NONE
        return {"occurred_at": at, "precision": precision}

    def _when(self, time: Time) -> tuple[datetime, str]:
        change = self._change
        match time.at:
            case datetime() as moment:
                return change.local(_in_zone(moment, time.zone)), _SECOND
            case date() as day_stated:
                return change.start_of(day_stated), _DAY
        stated = time.day
        if stated and self._day and stated > (change.recorded_at + _AHEAD).date():
            # It is the day that a heading plans for.
            stated = None
        day, clock = stated or self._day, time.clock
        if day is None:
            return change.changed_at, _NONE
        if clock is not None:
            moment = datetime(day.year, day.month, day.day, clock.hour, clock.minute)
            zoned = _in_zone(moment, clock.zone, self._facts.zone)
            return change.local(zoned), _MINUTE
        if self._clock is not None and stated in (None, self._day):
            return change.local(datetime.combine(day, self._clock)), _MINUTE
        return change.start_of(day), _DAY

    def when_at(self, line: int) -> Row:
        """Return the columns of the time of a line."""
        return self.when(self._facts.entry_at(line).time)

    def day_at(self, line: int) -> Row:
        """Return the columns of the time of a line, without a heading's time of day."""
        entry = self._facts.entry_at(line)
        return self.when(entry.time._replace(clock=None))

    def owners(
        self,
        sessions: Sequence[str] = (),
        *,
        agent: str = "",
        topic_id: int | None = None,
    ) -> Row:
        """Return the columns of owners; markers in the row itself decide."""
        asked = (*sessions, agent, topic_id)
        if asked not in self._owners:
            agents = {parse_session_key(key).agent for key in sessions}
            key = sessions[0] if len(agents) == 1 else ""
            owner = self._agents.owner(self._change, marker=agent, session_key=key)
            topic = Owner(topic_id, "marker")
            if topic_id is None:
                # An agent that writes here could have named the topic: no guess.
                guess = self._change.acting_id is None
                topic = self._bindings.topic_of(key, owner.id, guess=guess)
            self._owners[asked] = owner_columns(owner, topic)
        return self._owners[asked]

    def owners_of(self, entry: Entry = _FILE, topic_id: int | None = None) -> Row:
        """Return the columns of an entry's owners; without one, of the file's."""
        if is_agent(entry.agent):
            return self.owners(agent=self._agents.as_declared(entry.agent))
        name = self._agents.author_in(entry.signed) if entry.signed else ""
        if not name:
            authors = [
                one
                for one in self._facts.authors
                if not one or not self._facts.names_people or is_agent(one)
            ]
            if not authors:
                return owner_columns(Owner(), Owner())
            name = self._agents.as_declared(authors[0])
        return self.owners(self._facts.sessions, agent=name, topic_id=topic_id)

    def agent_at(self, line: int) -> int | None:
        """Return the id of the agent that wrote a line."""
        entry = self._facts.entry_at(line)
        agent_id: int | None = self.owners_of(entry)["agent_id"]
        return agent_id

    def assigned_to(self, agent: str) -> Row:
        """Return the columns of the agent to whom something is assigned."""
        row = self.owners(agent=self._agents.as_declared(agent))
        return {name: row[name] for name in ("agent_id", "agent_rule")}


def owner_columns(agent: Owner, topic: Owner) -> Row:
    """Return the columns of owners, each with the rule that decided it."""
    return {
        "agent_id": agent.id,
        "agent_rule": agent.rule,
        "topic_id": topic.id,
        "topic_rule": topic.rule,
    }


def add_row_event(
    change: Change,
    fact: Fact,
    kind: str,
    title: str,
    detail: str = "",
    data: dict[str, Any] | None = None,
) -> None:
    """Add the event of a row, at its time if new."""
    values, is_new = fact.values, fact.verb == "added"
    add_event(
        change,
        kind,
        fact.verb,
        title,
        target_id=fact.id,
        detail=detail,
        occurred_at=values["occurred_at"] if is_new else None,
        precision=values["precision"] if is_new else _NONE,
        agent_id=values["agent_id"],
        topic_id=values["topic_id"],
        line=fact.lines.first,
        data=data,
    )


def _in_zone(moment: datetime, *zones: str) -> datetime:
    """Return a wall-clock time in the first known zone word or IANA name, if any."""
    if moment.tzinfo is not None:
        return moment
    for zone in filter(None, zones):
        try:
            if (minutes := zone_offset(zone)) is not None:
                return moment.replace(tzinfo=UTC) - timedelta(minutes=minutes)
            return moment.replace(tzinfo=ZoneInfo(zone))
        except (KeyError, ValueError, OSError, OverflowError):
            continue
    return moment
