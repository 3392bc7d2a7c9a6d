"""What an agent is doing, by the first rule that holds; pure.

Silence of the importer is not silence of an agent: everything is measured against
when the files were last looked at, and old data shows nobody at work.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise
from statistics import median

#: An agent works if something of it happened so long before the last look.
WORKING = timedelta(minutes=30)
#: Data older than this says nothing of who is working now.
STALE_DATA = timedelta(hours=1)
#: Open work without a word for so long, or three usual gaps, is quiet.
QUIET, USUAL_GAPS = timedelta(hours=2), 3

#: States in the order of need.
STATES = ("turn", "blocked", "waiting", "working", "quiet", "idle")


@dataclass(frozen=True, slots=True)
class Work:
    """What is known of an agent; what nobody told is None or empty."""

    last_at: datetime | None = None
    #: The same as its files say it, even if that is later than they were read.
    last_said_at: datetime | None = None
    #: Its unsigned decision or question to a person: the task's id.
    asks: str = ""
    snapshot_at: datetime | None = None
    snapshot_blocked: bool = False
    blocked_by: str = ""
    #: The last time it gave a task back as blocked, and which.
    result_blocked_at: datetime | None = None
    result_blocked: str = ""
    #: Its newest handoff that is not done: when it was sent, and to whom.
    sent_at: datetime | None = None
    sent_to: str = ""
    open_work: bool = False
    #: The usual time between two events of its topic.
    usual_gap: timedelta | None = None


@dataclass(frozen=True, slots=True)
class AgentState:
    """A state, the rule that fired, and what the rule speaks of."""

    kind: str
    rule: str
    parameters: Mapping[str, object] = field(default_factory=dict)

    @property
    def is_active(self) -> bool:
        """It has open work or waits, and has not gone quiet."""
        return self.kind not in ("quiet", "idle") or self.rule == "open-work"


def state_of(work: Work, looked_at: datetime | None, now: datetime) -> AgentState:
    """Return the state of an agent: the first rule that holds."""
    return (
        _needs_you(work)
        or _blocked(work)
        or _waiting(work)
        or _working(work, looked_at, now)
        or _quiet(work, looked_at)
        or AgentState("idle", "open-work" if work.open_work else "nothing-open")
    )


def _needs_you(work: Work) -> AgentState | None:
    if not work.asks:
        return None
    return AgentState("turn", "asks-person", {"task": work.asks})


def _blocked(work: Work) -> AgentState | None:
    """A snapshot says so; or a result does, and no snapshot is newer."""
    result_at, snapshot_at = work.result_blocked_at, work.snapshot_at
    if result_at and (snapshot_at is None or result_at >= snapshot_at):
        return AgentState("blocked", "result-blocked", {"task": work.result_blocked})
    if work.snapshot_blocked:
        return AgentState("blocked", "snapshot-blocked", {"reason": work.blocked_by})
    return None


def _waiting(work: Work) -> AgentState | None:
    last = work.last_said_at or work.last_at
    if work.sent_at is None or (last and last > work.sent_at):
        return None
    return AgentState("waiting", "sent-handoff", {"agent": work.sent_to})


def _working(
    work: Work, looked_at: datetime | None, now: datetime
) -> AgentState | None:
    if looked_at is None or work.last_at is None or now - looked_at > STALE_DATA:
        return None
    if looked_at - work.last_at > WORKING:
        return None
    return AgentState("working", "recent-event")


def _quiet(work: Work, looked_at: datetime | None) -> AgentState | None:
    if looked_at is None or work.last_at is None or not work.open_work:
        return None
    limit = quiet_after(work.usual_gap)
    silence = looked_at - work.last_at
    if silence <= limit:
        return None
    return AgentState("quiet", "no-event", {"silence": silence, "limit": limit})


def quiet_after(usual_gap: timedelta | None) -> timedelta:
    """Return how long open work may be silent before it is called quiet."""
    return max(QUIET, USUAL_GAPS * usual_gap) if usual_gap else QUIET


def usual_gap(moments: Iterable[datetime]) -> timedelta | None:
    """Return the median time between events; None of fewer than three events."""
    at = sorted(set(moments))
    if len(at) < 3:
        return None
    gaps = [after - before for before, after in pairwise(at)]
    return timedelta(seconds=median(gap.total_seconds() for gap in gaps))


def active_at(
    occurred_at: datetime, recorded_at: datetime, precision: str, *, first_import: bool
) -> datetime | None:
    """Return when an agent was active to tell of an event, as far as that is known.

    No later than when the hub learned of it. A first import reads everything at
    once: there an event without a time of its own says nothing.
    """
    if precision == "none":
        return None if first_import else recorded_at
    latest = occurred_at
    if precision == "day":
        latest = min(occurred_at, recorded_at) + timedelta(days=1)
    return min(latest, recorded_at)
