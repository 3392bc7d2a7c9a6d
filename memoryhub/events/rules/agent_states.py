"""Rules for an agent's state: the first that holds decides; pure.

Silence of the importer is not silence of an agent: times are measured against the last
scan of the files, and with old data nobody is at work.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise
from statistics import median

#: Age of the last event, at the last scan, up to which an agent is working.
WORKING = timedelta(minutes=30)
#: Age of the last scan beyond which nobody is shown as working.
STALE_DATA = timedelta(hours=1)
#: Open work is quiet after this silence, or after three usual gaps.
QUIET, USUAL_GAPS = timedelta(hours=2), 3

#: States in order of urgency.
STATES = ("turn", "blocked", "waiting", "working", "quiet", "idle")


@dataclass(frozen=True, slots=True)
class Work:
    """Facts about an agent; unknown ones are None or empty."""

    last_at: datetime | None = None
    #: The same by the time in its files, even if later than they were read.
    last_said_at: datetime | None = None
    #: Task id of its unsigned decision or question to a person.
    asks: str = ""
    snapshot_at: datetime | None = None
    snapshot_blocked: bool = False
    blocked_by: str = ""
    #: Time and task id of its last result with the status blocked.
    result_blocked_at: datetime | None = None
    result_blocked: str = ""
    #: Its newest unfinished handoff: time and recipient.
    sent_at: datetime | None = None
    sent_to: str = ""
    open_work: bool = False
    #: Median time between two events of its topic.
    usual_gap: timedelta | None = None


@dataclass(frozen=True, slots=True)
class AgentState:
    """A state, the rule that decided, and the rule's parameters."""

    kind: str
    rule: str
    parameters: Mapping[str, object] = field(default_factory=dict)

    @property
    def is_active(self) -> bool:
        """Whether it has open work or waits, and is not quiet."""
        return self.kind not in ("quiet", "idle") or self.rule == "open-work"


def state_of(work: Work, looked_at: datetime | None, now: datetime) -> AgentState:
    """Return the state of an agent by the first rule that holds."""
    return (
        _needs_you(work)
        or _blocked(work)
        or _waiting(work)
        or _working(work, looked_at, now)
        or _quiet(work, looked_at)
        or _awaiting(work)
        or AgentState("idle", "open-work" if work.open_work else "nothing-open")
    )


def _needs_you(work: Work) -> AgentState | None:
    if not work.asks:
        return None
    return AgentState("turn", "asks-person", {"task": work.asks})


def _blocked(work: Work) -> AgentState | None:
    """Return "blocked" by a newer result, else by its snapshot, else None."""
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


def _awaiting(work: Work) -> AgentState | None:
    """Return "waiting" if it went on since it sent work, and has none itself."""
    if not work.sent_to or work.open_work:
        return None
    return AgentState("waiting", "awaits-handoff", {"agent": work.sent_to})


def quiet_after(usual_gap: timedelta | None) -> timedelta:
    """Return the silence after which open work is quiet."""
    return max(QUIET, USUAL_GAPS * usual_gap) if usual_gap else QUIET


def usual_gap(moments: Iterable[datetime]) -> timedelta | None:
    """Return the median time between events; None for fewer than three."""
    at = sorted(set(moments))
    if len(at) < 3:
        return None
    gaps = [after - before for before, after in pairwise(at)]
    return timedelta(seconds=median(gap.total_seconds() for gap in gaps))


def active_at(
    occurred_at: datetime, recorded_at: datetime, precision: str, *, acted: bool
) -> datetime | None:
    """Return when an agent was active, by one of its events; None if unknown.

    When the hub learned of what it did itself by an operation or a hook (`acted`). Of
    what changed on disk only the time that the text states tells something, of a day
    its start, and no later than the hub learned of it: anybody can have saved the file.
    """
    if acted:
        return recorded_at
    return None if precision == "none" else min(occurred_at, recorded_at)
