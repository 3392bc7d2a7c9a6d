"""What waits for a person in a workspace: one query, on every page of it.

Every row is something the person can act on; a normal wait of one agent for another
is none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from django.core.cache import cache
from django.db import connection

from memoryhub.compaction.breaker import Breaker, breakers_of
from memoryhub.events.rules.waiting import Wait, cycles_of
from memoryhub.formats.optimizer import error_log
from memoryhub.formats.text.decoding import decode
from memoryhub.formats.text.source import first_sentence
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.waiting import deadlocks
from memoryhub.journal.blobs import bytes_by_id
from memoryhub.journal.models import Workspace
from memoryhub.journal.ownership import is_person
from memoryhub.journal.page_cache import kept
from memoryhub.journal.problems import GONE_AT_ONCE
from memoryhub.journal.sql import moment_of
from memoryhub.timeline.queries.events import Count
from memoryhub.timeline.queries.turn_sources import (
    HANDOFFS,
    LIMIT,
    conflicts_sql,
    turns_sql,
)
from snapshots.models import Snapshot
from topics.models import Topic
from topics.queries.topics import topic_state

#: A failure is news for so long; then it is on the board, and no longer one's turn.
FAILED_FOR = timedelta(days=7)
#: In the order of their urgency, as people are asked.
KINDS = (
    "sign-off",
    "question",
    "deadlock",
    "breaker",
    "blocked",
    "failed",
    "conflict",
    "unreadable",
    "gone",
)


class OpenHandoff(NamedTuple):
    """A handoff that is not done."""

    id: int
    task_id: str
    sender: str
    recipient: str
    type: str
    state: str
    context: str
    result: str
    topic: str
    topic_slug: str
    at: datetime
    last_at: datetime
    #: A coordinator has signed the decision off, or sent it back.
    answered: bool = False

    @property
    def title(self) -> str:
        """Its first sentence."""
        return first_sentence(self.context) or self.task_id

    @property
    def to_person(self) -> bool:
        return is_person(self.recipient)

    @property
    def for_person(self) -> bool:
        """Whether a person is who has to act: to answer, or to sign off."""
        return self.to_person or self.to_sign

    @property
    def to_sign(self) -> bool:
        return self.type == Handoff.Type.DECISION and not self.answered


class BlockedTopic(NamedTuple):
    """A topic whose newest snapshot says that it is blocked."""

    snapshot: int
    snapshot_id: str
    agent: str
    reason: str
    topic: str
    topic_slug: str
    at: datetime


@dataclass(frozen=True, slots=True)
class TurnFacts:
    """What waits in a workspace, for whomever."""

    handoffs: tuple[OpenHandoff, ...] = ()
    blocked: tuple[BlockedTopic, ...] = ()
    #: Files that could not be read, and files changed here and on disk.
    unreadable: tuple[str, ...] = ()
    #: The first files of those that are gone together and not accepted as deleted.
    gone_at_once: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()
    breakers: tuple[Breaker, ...] = ()
    #: Who wait for each other, where more wait than `handoffs` names.
    circles: tuple[tuple[str, ...], ...] = ()

    @property
    def is_whole(self) -> bool:
        """Nothing was left out because there is too much of it."""
        return self._unfinished < HANDOFFS and len(self.blocked) < LIMIT

    @property
    def unfinished(self) -> str:
        """How many handoffs are not finished, as far as they are looked at."""
        n = self._unfinished
        return f"{n}+" if n >= HANDOFFS else str(n or "")

    @property
    def _unfinished(self) -> int:
        return sum(h.state != Handoff.State.FAILED for h in self.handoffs)


@dataclass(frozen=True, slots=True)
class Turn:
    """One thing that waits for a person; `handoff` and `blocked` are what it is."""

    kind: str
    at: datetime | None
    handoff: OpenHandoff | None = None
    blocked: BlockedTopic | None = None
    breaker: Breaker | None = None
    names: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """What it is, the same as long as it waits for the same reason."""
        if self.blocked:
            return repr((self.kind, self.blocked.topic_slug, self.blocked.reason))
        about = self.handoff.id if self.handoff else self.names
        if self.breaker:
            about = (self.breaker.agent,)
        return repr((self.kind, about, self.at.isoformat() if self.at else ""))


def turns_of(facts: TurnFacts, now: datetime) -> tuple[Turn, ...]:
    """Return what waits for a person: by urgency, then the oldest first."""
    found = [
        *_handoff_turns(facts, now),
        *(Turn("deadlock", None, names=cycle) for cycle in _deadlocks(facts)),
        *(Turn("breaker", b.at, breaker=b) for b in facts.breakers),
        *_blocked_turns(facts),
        *(Turn("conflict", None, names=(path,)) for path in facts.conflicts),
    ]
    if facts.unreadable:
        found.append(Turn("unreadable", None, names=facts.unreadable))
    if facts.gone_at_once:
        found.append(Turn("gone", None, names=facts.gone_at_once))
    found.sort(key=lambda turn: (KINDS.index(turn.kind), turn.at or now))
    return tuple(found[:LIMIT])


def count_of(turns: Sequence[Turn]) -> Count:
    """Return how many there are; where that is as many as are shown, or more."""
    return Count(len(turns), len(turns) >= LIMIT)


def _handoff_turns(facts: TurnFacts, now: datetime) -> Iterator[Turn]:
    """Return sign-offs, questions to people and what failed lately."""
    for handoff in facts.handoffs:
        if handoff.state == Handoff.State.FAILED:
            if now - handoff.last_at <= FAILED_FOR:
                yield Turn("failed", handoff.last_at, handoff)
        elif handoff.to_sign:
            yield Turn("sign-off", handoff.at, handoff)
        elif handoff.to_person:
            yield Turn("question", handoff.at, handoff)


def _blocked_turns(facts: TurnFacts) -> Iterator[Turn]:
    """Return what is blocked; a topic and the handoff that is stuck in it are one."""
    stuck = [
        h
        for h in facts.handoffs
        if h.state == Handoff.State.BLOCKED and not h.for_person
    ]
    by_topic = {h.topic: h for h in reversed(stuck) if h.topic}
    told = {blocked.topic for blocked in facts.blocked}
    for blocked in facts.blocked:
        yield Turn("blocked", blocked.at, by_topic.get(blocked.topic), blocked)
    for handoff in stuck:
        if handoff.topic not in told:
            yield Turn("blocked", handoff.last_at, handoff)


def _deadlocks(facts: TurnFacts) -> tuple[tuple[str, ...], ...]:
    return facts.circles or cycles_of(waits_of(facts.handoffs))


def waits_of(handoffs: Iterable[OpenHandoff]) -> list[Wait]:
    """Return who waits for whom: a sender for the recipient, while it is not done.

    What waits for a person waits for nobody by name.
    """
    return [
        Wait(
            h.sender,
            "" if h.for_person else h.recipient,
            h.task_id,
            h.type,
            h.state,
            h.at,
        )
        for h in handoffs
        if h.sender and h.recipient and h.state != Handoff.State.FAILED
    ]


def turn_facts(workspace: Workspace) -> TurnFacts:
    """Return what waits in a workspace, in one query.

    Of what was kept, conflicts are asked for anew: withdrawing a staged edit is no
    journal entry.
    """
    made = list[TurnFacts]()
    facts = kept_facts(workspace, made.append)
    if made:
        return facts
    return replace(facts, conflicts=conflicts_in([workspace])[workspace.pk])


def kept_facts(
    workspace: Workspace, tell: Callable[[TurnFacts], None] = lambda _: None
) -> TurnFacts:
    """Return what waited when the journal last grew; `tell` hears of what is new."""

    def look() -> TurnFacts:
        facts = _all_facts(workspace)
        tell(facts)
        return facts

    return kept(workspace, ("turns", workspace.time_zone), look)


def conflicts_in(workspaces: Sequence[Workspace]) -> Mapping[int, tuple[str, ...]]:
    """Return by the workspaces' keys which files were changed here and on disk."""
    found: dict[int, list[str]] = {one.pk: [] for one in workspaces}
    with connection.cursor() as cursor:
        cursor.execute(conflicts_sql(len(found)), list(found))
        for key, path in cursor.fetchall():
            found[key].append(path)
    return {key: tuple(paths) for key, paths in found.items()}


def _all_facts(workspace: Workspace) -> TurnFacts:
    with connection.cursor() as cursor:
        cursor.execute(turns_sql(), [workspace.pk] * 7)
        rows = cursor.fetchall()
    said: dict[str, list[Sequence[Any]]] = {}
    for what, *row in rows:
        said.setdefault(what, []).append(row)
    facts = TurnFacts(
        handoffs=tuple(map(_handoff, said.get("handoff", ()))),
        blocked=tuple(map(_blocked, filter(_is_blocked, said.get("blocked", ())))),
        unreadable=tuple(row[1] for row in said.get("unreadable", ())),
        gone_at_once=tuple(row[1] for row in said.get(GONE_AT_ONCE, ())),
        conflicts=tuple(row[1] for row in said.get("conflict", ())),
        breakers=tuple(_open_breakers(said.get("errors", ()), workspace)),
    )
    if facts.is_whole:
        return facts
    waits = (row[2:6] for row in said.get("wait", ()))
    return replace(facts, circles=deadlocks(waits))


def _open_breakers(
    files: Iterable[Sequence[Any]], workspace: Workspace
) -> Iterator[Breaker]:
    """Return the breakers that logs of errors leave open; a log is read once."""
    for blob_id, _, sha, *_ in files:
        key = f"breakers:{sha}"
        told: tuple[Breaker, ...] | None = cache.get(key)
        if told is None:
            data = bytes_by_id([blob_id]).get(blob_id, b"")
            told = breakers_of(error_log.parse(decode(data).text).errors)
            cache.set(key, told, timeout=None)
        for breaker in told:
            if breaker.is_open:
                yield replace(breaker, at=_in_zone(breaker.at, workspace.time_zone))


def _in_zone(at: datetime | None, zone: str) -> datetime | None:
    """Return a time; without a zone of its own it is one of the workspace's."""
    return at.replace(tzinfo=ZoneInfo(zone)) if at and at.tzinfo is None else at


def _handoff(row: Sequence[Any]) -> OpenHandoff:
    *texts, answered, at, last_at = row
    times = moment_of(at), moment_of(last_at or at)
    return OpenHandoff._make([*texts, *times, bool(answered)])


def _blocked(row: Sequence[Any]) -> BlockedTopic:
    row_id, snapshot_id, agent, reason, _, _, _, _, topic, slug, _, at, _ = row
    return BlockedTopic(row_id, snapshot_id, agent, reason, topic, slug, moment_of(at))


def _is_blocked(row: Sequence[Any]) -> bool:
    """Tell whether the topic's status, if it is newer, still says so."""
    *_, kind, _, _, status, _, _, _, at, updated = row
    day = moment_of(updated).date() if updated else None
    topic = Topic(kind=kind, status=status, updated_on=day)
    return topic_state(topic, Snapshot(blocked=True, occurred_at=moment_of(at))) == (
        "blocked"
    )
