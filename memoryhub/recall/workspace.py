"""Input of a recall without a known topic: the newest facts of a workspace."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from django.db.models import Model, QuerySet

from memoryhub.handoffs.queries.sides import handoffs_of, is_of_agent, seen_from
from memoryhub.journal.models import Workspace
from memoryhub.recall.facts import CLOSED, DECISIONS, HANDOFFS, HOLDS, NOTES, HubFacts
from memoryhub.recall.texts import (
    Passage,
    TextAt,
    decision_line,
    handoff_line,
    memory_passage,
    note_line,
    snapshot_passage,
    texts_at,
)
from snapshots.models import LogEntry, SessionMemory, Snapshot
from topics.models import Decision

Row = TypeVar("Row", bound=Model)

_NO_TOPIC = Passage("Topic", "")


def workspace_facts(workspace: Workspace, agent: str) -> HubFacts:
    """Return the newest facts of an agent, or of all: snapshot, handoffs, decisions."""
    snapshot = _newest_snapshot(workspace, agent)
    fallback, passage = _snapshot_passage(workspace, snapshot)
    return HubFacts(
        _NO_TOPIC,
        workspace.root,
        snapshot=snapshot,
        fallback=fallback,
        snapshot_text=passage,
        handoffs=_handoffs(workspace, agent),
        decisions=_decisions(workspace),
    )


def _newest_snapshot(workspace: Workspace, agent: str) -> Snapshot | None:
    """Return the agent's newest snapshot, else the newest of all."""
    rows = _newest(
        Snapshot.objects.filter(workspace=workspace, copy_of__isnull=True)
    ).select_related("file", "agent", "workspace")
    return rows.filter(agent__name=agent).first() or rows.first()


def _snapshot_passage(
    workspace: Workspace, snapshot: Snapshot | None
) -> tuple[str, Passage | None]:
    """Return the fallback of a missing snapshot, and its text."""
    if snapshot is not None:
        (text,) = texts_at(workspace, [TextAt(snapshot.file, snapshot.last_seq)])
        return "", snapshot_passage(snapshot, text, "Newest snapshot", then=False)
    memories = SessionMemory.objects.filter(workspace=workspace)
    memory = _newest(memories).select_related("file").first()
    if memory is not None:
        (text,) = texts_at(workspace, [TextAt(memory.file, memory.last_seq)])
        return "session-memory", memory_passage(memory, text)
    entries = _newest(LogEntry.objects.filter(workspace=workspace, last_seq=None))
    notes = [note_line(e) for e in entries.select_related("file", "workspace")[:NOTES]]
    passage = _listed("No snapshot; the newest notes", notes)
    return "notes" if passage else "none", passage


def _handoffs(workspace: Workspace, agent: str) -> Passage | None:
    rows = handoffs_of(workspace)
    if agent:
        rows = rows.filter(is_of_agent(agent, workspace))
    newest = _newest(rows.exclude(state__in=CLOSED))[:HANDOFFS]
    open_ones = seen_from([workspace], newest)
    return _listed("Open handoffs", [handoff_line(row, row.state) for row in open_ones])


def _decisions(workspace: Workspace) -> Passage | None:
    holding = Decision.objects.filter(workspace=workspace, state__in=HOLDS)
    rows = _newest(holding).select_related("workspace")
    return _listed("Recent decisions", [decision_line(row) for row in rows[:DECISIONS]])


def _newest(rows: QuerySet[Row]) -> QuerySet[Row]:
    return rows.order_by("-occurred_at", "-first_seq", "-pk")


def _listed(heading: str, lines: Sequence[str]) -> Passage | None:
    return Passage(f"{heading} ({len(lines)})", "\n".join(lines)) if lines else None
