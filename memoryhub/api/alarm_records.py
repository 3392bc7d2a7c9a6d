"""Response models of alarms."""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel, Field

from memoryhub.claims.queries import Overlap
from memoryhub.handoffs.queries.alarms import Alarm


class AlarmRecord(BaseModel):
    """A handoff that stands still, and why."""

    kind: str = Field(
        description="overlap, silent, stuck, overdue, unknown-recipient, lane, or"
        " claims: files that two agents hold, without a handoff"
    )
    since: datetime
    task_id: str
    code: str
    sender: str
    recipient: str
    context: str
    names: list[str] = Field(
        description="The silent or unknown agent, the overlapping tasks, or what it"
        " comes after"
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
