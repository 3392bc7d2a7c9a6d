"""Tool that lists decisions with the state that pages show."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime
from typing import Literal

from django.db.models import Count
from pydantic import Field

from memoryhub.formats.injection import quoted
from memoryhub.journal.grades import mark_of
from memoryhub.journal.scopes import Scope
from memoryhub.people.callers import Caller
from memoryhub.recall.texts import decision_line
from memoryhub.tools.base import Answer, LeastConfidence, OfGrade, Request, tool
from memoryhub.tools.quoting import with_notice
from topics.models import Decision
from topics.queries.decisions import (
    newest_first,
    readable_decisions,
    wanted_decisions,
    with_perhaps,
)

State = Literal[
    "", "stated", "unsigned", "signed_off", "rejected", "superseded", "gone"
]


class DecisionsRequest(Request):
    """Filter of decisions; empty fields match all."""

    text: str = Field("", max_length=200, description="Words of decision or reason")
    topic: str = Field("", max_length=300, description="Only of this topic")
    agent: str = Field("", max_length=200, description="Only of this agent")
    state: State = Field(
        "",
        description="stated: recorded, no sign-off requested; unsigned: a handoff"
        " requests its sign-off; gone: in no file any more",
    )
    grade: OfGrade = "declared"
    confidence: LeastConfidence = 0.0
    limit: int = Field(20, ge=1, le=500, description="How many at most")


class DecisionListed(Answer):
    """A decision; `handoff` is where it was signed off, or is to be."""

    code: str
    text: str
    reason: str
    state: str
    decided_on: date | None
    topic: str
    agent: str
    signed_off_by: str
    signed_off_on: date | None
    signed_off_at: datetime | None
    rejected_on: date | None
    rejected_for: str
    perhaps_supersedes: str | None = Field(
        description="The code of what it may replace by its words; a person decides"
    )
    grade: str
    confidence: float
    handoff: str
    line: str = Field(description="As a line of a topic's Key Decisions")


class DecisionList(Answer):
    """The newest matching decisions, undated ones last, and the number per state."""

    total: int
    states: dict[str, int]
    decisions: list[DecisionListed]

    def as_text(self) -> str:
        """Return a quoted line per decision, with its state."""
        if not self.decisions:
            return "There are no such decisions."
        lines = [f"{row.line} [{', '.join(_remarks(row))}]" for row in self.decisions]
        more = self.total - len(self.decisions)
        return with_notice(
            quoted("\n".join(lines)), f"There are {more} more." * bool(more)
        )


def _remarks(row: DecisionListed) -> Iterator[str]:
    yield row.state + mark_of(row.grade, row.confidence)
    if row.perhaps_supersedes:
        yield f"perhaps supersedes {row.perhaps_supersedes}"


@tool("What was decided, and what of it is signed off", Scope.READ)
def decisions(caller: Caller, request: DecisionsRequest) -> DecisionList:
    """List decisions: text, reason, state, and who signed them off when.

    Use it before you decide something again, or act on a decision: one that is
    rejected, superseded or unsigned is not to be acted on.
    """
    wanted = wanted_decisions(
        caller.workspace,
        text=request.text,
        topic=request.topic,
        agent=request.agent,
        state=request.state,
        grade=request.grade,
        confidence=request.confidence,
    )
    rows = readable_decisions(wanted.rows(), private=caller.private)
    counts = dict(rows.order_by().values_list("state").annotate(n=Count("pk")))
    newest = newest_first(rows.select_related("topic", "agent"))
    return DecisionList(
        total=sum(counts.values()),
        states=counts,
        decisions=[
            _listed(row)
            for row in with_perhaps(caller.workspace, [*newest[: request.limit]])
        ],
    )


def _listed(row: Decision) -> DecisionListed:
    return DecisionListed.of(
        row,
        topic=row.topic.name if row.topic else "",
        agent=row.agent.name if row.agent else "",
        handoff=row.handoff_name,
        line=decision_line(row),
    )


TOOLS = (decisions,)
