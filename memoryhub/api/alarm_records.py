"""Response models of alarms."""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel, Field

from memoryhub.claims.queries import Overlap
from memoryhub.compaction.breaker import Breaker
from memoryhub.handoffs.queries.alarms import Alarm


class AlarmRecord(BaseModel):
    """A handoff that stands still, and why."""

    kind: str = Field(
        description="deadlock, overlap, silent, stuck, overdue, unknown-recipient,"
        " lane, failed; without a handoff breaker, an agent's that is open, and claims:"
        " files that two agents hold"
    )
    since: datetime | None
    task_id: str
    code: str
    sender: str
    recipient: str
    context: str
    names: list[str] = Field(
        description="The agent that is silent, unknown or failed; the overlapping"
        " tasks or those of the deadlock; or what it comes after"
    )

    @classmethod
    def of(cls, alarm: Alarm) -> AlarmRecord:
        row = alarm.handoff
        return cls(
            kind=alarm.kind,
            since=alarm.at,
            task_id=row.task_id,
            code=row.code,
            sender=row.sender,
            recipient=row.recipient,
            context=row.context,
            names=list(alarm.names),
        )

    @classmethod
    def of_breaker(cls, breaker: Breaker) -> AlarmRecord:
        return cls(
            kind="breaker",
            since=breaker.at,
            task_id="",
            code="",
            sender="",
            recipient=breaker.agent,
            context=breaker.reason,
            names=[breaker.agent],
        )

    @classmethod
    def of_claims(cls, overlap: Overlap) -> AlarmRecord:
        first, second = overlap
        return cls(
            kind="claims",
            since=second.made_at,
            task_id="",
            code="",
            sender=first.agent,
            recipient=second.agent,
            context=second.reason,
            names=list(overlap.names),
        )
