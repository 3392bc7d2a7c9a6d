"""Alarms for an agent: those of its handoffs, and for a coordinator every one."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from hashlib import blake2b
from itertools import islice
from typing import NamedTuple

from memoryhub.claims.queries import Overlap
from memoryhub.compaction.breaker import Breaker
from memoryhub.formats.text.source import first_sentence
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.agents import coordinates
from memoryhub.handoffs.queries.alarms import Alarm
from memoryhub.handoffs.queries.standstill import (
    BREAKER,
    CLAIMS,
    FAILURE,
    alarms_and_deadlocks,
    standstill,
    with_files,
)
from memoryhub.journal.models import Workspace

#: Most alarms of an agent, the most urgent ones: a cursor remembers as many.
_MOST = 200
_DIGEST = 4


class Warned(NamedTuple):
    """An alarm for an agent; without a handoff, `agent` is whom it is about.

    `since`: part of the identity of alarms that can come again unchanged.
    """

    kind: str
    at: datetime | None
    reason: str
    handoff: Handoff | None = None
    agent: str = ""
    since: str = ""

    @property
    def digest(self) -> str:
        about = self.handoff.code if self.handoff else self.agent
        names = self.reason.replace(", ", " ") if self.handoff else self.reason
        return digest(f"{self.kind} {about} {names}{self.since}")


def digest(text: str) -> str:
    """Return a short digest of an item, as cursors store it."""
    return blake2b(text.encode("utf-8", "replace"), digest_size=_DIGEST).hexdigest()


def warnings_for(
    workspace: Workspace, agent: str, now: datetime, hidden: str = ""
) -> tuple[Warned, ...]:
    """Return the alarms for an agent, the most urgent first.

    `hidden`: path of the file whose handoffs are left out.
    """
    if coordinates(workspace, agent):
        found = _all(workspace, agent, now)
    else:
        every = with_files(alarms_and_deadlocks(workspace, now))
        found = (_of_handoff(a) for a in every if agent in _concerned(a.handoff))
    return tuple(islice((w for w in found if not _is_at(w, hidden)), _MOST))


def _all(workspace: Workspace, agent: str, now: datetime) -> Iterator[Warned]:
    """Yield every alarm, without the failures of the agent itself."""
    every = standstill(workspace, now)
    yield from map(_of_breaker, every.breakers)
    for alarm in every.alarms:
        if (alarm.kind, *alarm.names) != (FAILURE, agent):
            yield _of_handoff(alarm)
    yield from map(_of_claims, every.claims)


def _of_breaker(breaker: Breaker) -> Warned:
    about = breaker.reason
    return Warned(BREAKER, breaker.at, about, None, breaker.agent, breaker.since)


def _of_handoff(alarm: Alarm) -> Warned:
    names, row = ", ".join(alarm.names), alarm.handoff
    if alarm.kind != FAILURE:
        return Warned(alarm.kind, alarm.at, names, row)
    reason = f"{names}: {first_sentence(row.why)}" if row.why else names
    return Warned(FAILURE, alarm.at, reason, row, since=alarm.at.isoformat())


def _of_claims(overlap: Overlap) -> Warned:
    first, second = overlap
    about = f"{second.name} meets {first.name} of {first.agent}"
    at = second.made_at
    return Warned(CLAIMS, at, about, None, second.agent, at.isoformat())


def _concerned(row: Handoff) -> tuple[str, ...]:
    return row.sender, row.recipient, row.taken_by


def _is_at(warned: Warned, path: str) -> bool:
    row = warned.handoff
    return bool(row and path and row.file.path.casefold() == path.casefold())
