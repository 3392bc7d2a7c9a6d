"""Handoffs from one agent to another, sent minutes after noon, for tests of queries."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from memoryhub.dialects.handoff import Task
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.services.sending import Author, Terms, send
from memoryhub.journal.models import Workspace

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


def at(minutes: int, noon: datetime = NOON) -> datetime:
    return noon + timedelta(minutes=minutes)


def by(
    actor: str, minutes: int = 0, *, lead: bool = False, noon: datetime = NOON
) -> Author:
    return Author(actor, lead, at=at(minutes, noon))


def sent(
    workspace: Workspace,
    pair: str = "ann bob",
    kind: str = "read_only",
    *,
    minutes: int = 0,
    due: int | datetime | None = None,
    topic: str = "",
    noon: datetime = NOON,
    **more: Any,
) -> Handoff:
    """Send a task from the first of a pair to the second; `more` are its fields."""
    sender, to = pair.split()
    told: dict[str, Any] = {"context": "Mend the door", "input": "Hinge"} | more
    task = Task(told.pop("task_id", ""), "", to, kind, **told)
    until = at(due, noon) if isinstance(due, int) else due
    terms = Terms(until, topic=topic)
    return send(workspace, task, by(sender, minutes, noon=noon), terms).handoff
