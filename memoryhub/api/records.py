"""Response models of records read from files, documented in the API."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from typing import Any, Self, TypeVar

from pydantic import BaseModel, Field

from memoryhub.handoffs.exporters import ties_of
from memoryhub.handoffs.models import Handoff
from memoryhub.journal.day_sources import DaySource, day_source
from memoryhub.journal.models import Agent, Span
from memoryhub.timeline.queries.events import EventRow, event_author
from memoryhub.tools.handoff_answers import EvidenceAnswer, MessageAnswer
from memoryhub.values.identity import code_of
from snapshots.models import AuthoredSpan, LogEntry, OpenItem, Snapshot, SnapshotSection
from snapshots.queries.open_items import OwnedItem
from topics.models import Decision, Directive, Topic

Record = TypeVar("Record", bound=BaseModel)


def _record(model: type[Record], row: object, **others: Any) -> Record:
    """Return a record with the attributes of a row, and `others` given here."""
    names = model.model_fields.keys() - others.keys()
    return model(**{name: getattr(row, name) for name in names}, **others)


class SourceRecord(BaseModel):
    """A place in a file: its path, and lines counted from 1."""

    path: str
    first_line: int
    last_line: int
    present: bool = Field(description="Whether the file still says it")

    @classmethod
    def of(cls, span: Span) -> SourceRecord:
        return cls(
            path=span.file.path,
            first_line=span.first_line,
            last_line=span.last_line,
            present=span.last_seq is None,
        )


class TopicRecord(BaseModel):
    """Something agents work on."""

    code: str
    slug: str
    name: str
    kind: str
    status: str
    path: str
    created_on: date | None
    updated_on: date | None
    present: bool

    @classmethod
    def of(cls, topic: Topic) -> TopicRecord:
        present = topic.last_seq is None
        return _record(TopicRecord, topic, path=topic.file.path, present=present)


class AuthoredRecord(BaseModel):
    """Fields of every record by agents: time, agent, topic and source."""

    code: str
    occurred_at: datetime
    precision: str
    day_from: DaySource = Field(
        description="Where its day comes from: its text, the name of its file, or when"
        " the file was changed"
    )
    agent: str | None
    topic: str | None = Field(description="The topic's slug")
    source: SourceRecord


def _authored_fields(row: AuthoredSpan) -> dict[str, Any]:
    return {
        "code": row.code,
        "occurred_at": row.occurred_at,
        "precision": row.precision,
        "day_from": day_source(row.file.path, row.occurred_at, row.precision),
        "agent": name_of(row.agent),
        "topic": slug_of(row.topic),
        "source": SourceRecord.of(row),
    }


class SnapshotRecord(AuthoredRecord):
    """A task's state at one moment."""

    snapshot_id: str
    goal: str
    phase: str
    blocked: bool | None
    percent: int | None
    next_step: str

    @classmethod
    def of(cls, row: Snapshot) -> SnapshotRecord:
        return cls(**_authored_fields(row), **_own_fields(row, SnapshotRecord))


class SectionRecord(BaseModel):
    """A section of a snapshot."""

    title: str
    body: str


class SnapshotDetail(SnapshotRecord):
    """A snapshot with its sections, in the order of the file."""

    sections: list[SectionRecord]

    @classmethod
    def with_sections(
        cls, row: Snapshot, sections: list[SnapshotSection]
    ) -> SnapshotDetail:
        said = [SectionRecord(title=part.title, body=part.body) for part in sections]
        return cls(
            **_authored_fields(row), **_own_fields(row, SnapshotRecord), sections=said
        )


#: Fields of a handoff that are read from lists in its block.
_COMPUTED = ("reason", "waits", "lease_until", "silent", "evidence", "messages")
_TIES = ("after", "parent", "repository", "paths", "priority", "review")


class HandoffRecord(AuthoredRecord):
    """A task that one agent gave to another."""

    task_id: str
    sender: str
    recipient: str
    type: str
    state: str
    context: str
    input: str
    expected_output: str
    constraints: str
    due_at: datetime | None
    last_at: datetime | None
    result_status: str
    result: str
    #: Who must act: an agent, "person", or empty for nobody.
    acts: str
    #: Whether it is a write that is in progress, next or held in this workspace.
    in_lane: bool
    overdue: bool
    after: list[str] = Field(description="Tasks that have to be done before")
    parent: str = Field(description="The task that it is part of")
    repository: str
    paths: list[str] = Field(description="What its write can touch; empty for all")
    priority: str
    review: str = Field(description="Who accepts its result; empty for nobody")
    standing: str = Field(description="The `base` of a change by a tool")
    reason: str = Field(description="Of the newest move")
    signed_by: str
    taken_by: str
    waits: str = Field(description="Why it cannot be taken now; empty if it can")
    lease_until: datetime | None = Field(description="Of one in progress")
    silent: bool = Field(description="Whether its holder let the lease end")

    @classmethod
    def waiting(
        cls, row: Handoff, waits: str, lease: datetime | None, now: datetime
    ) -> Self:
        """Return the record of a row; `waits` says why it cannot be taken now."""
        own = _own_fields(row, cls, without=(*_COMPUTED, *_TIES))
        fields = _authored_fields(row) | own | ties_of(row)
        silent = lease is not None and lease < now
        return cls(
            **fields,
            reason=row.last_reason,
            waits=waits,
            lease_until=lease,
            silent=silent,
        )


class HandoffDetail(HandoffRecord):
    """A handoff with the side effects of its newest result."""

    side_effects: str
    memory_update: str
    evidence: EvidenceAnswer | None = None
    messages: list[MessageAnswer] = []


class DecisionRecord(BaseModel):
    """One decision, however many files contain it."""

    code: str
    text: str
    reason: str
    state: str = Field(description="unsigned: a handoff asks for its sign-off")
    signed_off_by: str
    signed_off_on: date | None
    signed_off_at: datetime | None = Field(
        description="When a person signed it off in a handoff"
    )
    handoff: str | None = Field(
        description="The code of the handoff in which it was, or is to be, signed off"
    )
    rejected_on: date | None = Field(description="Day of the line that rejects it")
    rejected_for: str = Field(description="Reason in that line")
    decided_on: date | None
    occurred_at: datetime
    precision: str
    agent: str | None
    topic: str | None = Field(description="The topic's slug")
    grade: str = Field(description="declared, or suggested by words of the text")
    confidence: float = Field(description="1 if its form declares it; else how likely")
    supersedes: str | None = Field(description="The code of what it replaced")
    perhaps_supersedes: str | None = Field(
        description="The code of what it may replace by its words; a person decides"
    )
    present: bool = Field(description="Whether some file still says it")

    @classmethod
    def of(cls, row: Decision) -> DecisionRecord:
        return _record(
            DecisionRecord,
            row,
            handoff=code_of(row.handoff_row) if row.handoff_row else None,
            agent=name_of(row.agent),
            topic=slug_of(row.topic),
            supersedes=code_of(row.supersedes_id) if row.supersedes_id else None,
            present=row.last_seq is None,
        )


class TopicDetail(TopicRecord):
    """A topic with its agents, decisions and newest snapshot."""

    agents: list[str]
    decisions: list[DecisionRecord]
    latest_snapshot: SnapshotRecord | None


class EntryRecord(AuthoredRecord):
    """An entry of a day's log, with its lines."""

    title: str
    text: str

    @classmethod
    def of(cls, row: LogEntry, text: str) -> EntryRecord:
        return cls(**_authored_fields(row), title=row.title, text=text)


class ItemRecord(AuthoredRecord):
    """An open or closed item of a log."""

    text: str
    done: bool

    @classmethod
    def of(cls, row: OpenItem) -> ItemRecord:
        return cls(**_authored_fields(row), text=row.text, done=row.done)


class DirectiveRecord(BaseModel):
    """A rule for agents, in the words of a file."""

    code: str
    text: str
    origin: str = Field(
        description="person: written in the hub, a user turn, USER.md or feedback;"
        " agent; unknown: text on disk, also where it claims to quote a person"
    )
    written_by: str = Field(description="Who wrote it by an operation, else empty")
    grade: str = Field(description="declared, or suggested by words of the text")
    confidence: float = Field(description="1 if its form declares it; else how likely")
    source: SourceRecord

    @classmethod
    def of(cls, row: Directive) -> DirectiveRecord:
        return _record(DirectiveRecord, row, source=SourceRecord.of(row))


class OpenItemRecord(BaseModel):
    """Unfinished work, once however many files repeat it."""

    code: str
    text: str = Field(description="The newest wording")
    state: str = Field(description="open, or done")
    since: datetime | None = Field(
        description="When a file first named it; null if none states a time"
    )
    last_mentioned_at: datetime | None = Field(
        description="When a file last named it; null if none states a time"
    )
    mentions: int = Field(description="How many files name it")
    done_at: datetime | None = Field(description="When a file reported it as done")
    agent: str | None
    topic: str | None = Field(description="The topic's slug")
    grade: str = Field(description="declared, or suggested by words of the text")
    confidence: float = Field(description="1 if its form declares it; else how likely")
    source: SourceRecord = Field(description="The place that names it last")

    @classmethod
    def of(cls, found: OwnedItem) -> OpenItemRecord:
        work, closing = found.work, found.work.closing
        return cls(
            code=work.code,
            text=work.text,
            state=work.state,
            since=work.since if work.is_dated else None,
            last_mentioned_at=work.last if work.is_dated else None,
            mentions=work.times,
            done_at=closing.at if closing and closing.is_dated else None,
            agent=name_of(found.agent),
            topic=slug_of(found.topic),
            grade=found.row.grade,
            confidence=found.row.confidence,
            source=SourceRecord.of(found.row),
        )


class DayRecord(BaseModel):
    """The entries of all agents on a day."""

    date: date
    entries: list[EntryRecord]
    snapshots: list[SnapshotRecord]
    items: list[ItemRecord]
    directives: list[DirectiveRecord]
    complete: bool = Field(description="False where there is more than is given")


class EventRecord(BaseModel):
    """Something that happened."""

    code: str
    kind: str
    verb: str
    occurred_at: datetime | None = Field(description="None if nobody knows when")
    precision: str
    recorded_at: datetime
    seq: int
    actor: str
    agent: str | None
    changed_by: str = Field(
        description="In words: whose it is; of a file, who changed it, else the disk"
        " and who owns it"
    )
    topic: str | None = Field(description="The topic's slug")
    path: str | None
    line: int
    title: str
    detail: str

    @classmethod
    def of(cls, row: EventRow, owner: Callable[[str], str]) -> EventRecord:
        who = event_author(row, owner)
        return _record(
            EventRecord,
            row,
            code=code_of(row.id),
            topic=row.topic_slug,
            occurred_at=row.occurred_at if row.has_time else None,
            changed_by=who,
        )


def name_of(agent: Agent | None) -> str | None:
    """Return an agent's name, or None."""
    return agent.name if agent else None


def slug_of(topic: Topic | None) -> str | None:
    """Return a topic's slug, or None."""
    return topic.slug if topic else None


def _own_fields(
    row: AuthoredSpan, model: type[AuthoredRecord], without: tuple[str, ...] = ()
) -> dict[str, Any]:
    """Return the fields that a record adds to `AuthoredRecord`, from its row."""
    own = {*model.model_fields}.difference(AuthoredRecord.model_fields, without)
    return {name: getattr(row, name) for name in own}
