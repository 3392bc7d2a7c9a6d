"""Input of a recall without a known topic: the workspace's files and rows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TypeVar

from django.db.models import Model, QuerySet

from memoryhub.handoffs.queries.sides import handoffs_of, is_of_agent, seen_from
from memoryhub.journal.models import Workspace
from memoryhub.recall import lists
from memoryhub.recall.facts import CLOSED, DECISIONS, HANDOFFS, HOLDS
from memoryhub.recall.files import (
    FilesOfRecall,
    file_passages,
    files_of_recall,
    memory_passages,
    note_passages,
)
from memoryhub.recall.hub import HubFacts
from memoryhub.recall.texts import (
    Passage,
    TextAt,
    handoff_line,
    memory_passage,
    note_line,
    snapshot_passage,
    texts_at,
)
from memoryhub.search.texts import without_numbers
from memoryhub.search.words import term_texts
from memoryhub.sync.edit.gate import PRIVATE
from snapshots.models import NEWEST_FIRST, LogEntry, SessionMemory, Snapshot
from topics.models import Decision

Row = TypeVar("Row", bound=Model)

#: Entries of logs that are given, and how many times as many are looked through.
_ENTRIES, _LOOKED_THROUGH = 8, 4
_NO_TOPIC = Passage("Topic", "")


def workspace_facts(workspace: Workspace, agent: str, *, private: bool) -> HubFacts:
    """Return the content of files, for an agent or for all.

    In order: long-term memory, the newest snapshot, handoffs, directives, decisions,
    open items, entries of logs, notes. Without any of these: the rest of the files.
    """
    snapshot = _newest_snapshot(workspace, agent)
    fallback, passage = _snapshot_passage(workspace, snapshot)
    files = files_of_recall(workspace, agent, private=private)
    directed, noted = lists.directives(workspace, private=private)
    facts = HubFacts(
        _NO_TOPIC,
        workspace.root,
        memory=tuple(memory_passages(files.memory)),
        snapshot=snapshot,
        fallback=fallback,
        snapshot_text=passage,
        handoffs=_handoffs(workspace, agent),
        notes_to_next=_handoff_note(files),
        directives=directed,
        rules=noted,
        decisions=_decisions(workspace, private=private),
        items=lists.open_items(workspace, private=private),
        entries=_entries(workspace, private=private),
        notes=tuple(note_passages(files.notes)),
    )
    if any(facts.passages()):
        return facts
    rest = file_passages(files.rest, "Newest file", "file")
    return replace(facts, notes=tuple(rest))


def _handoff_note(files: FilesOfRecall) -> Passage | None:
    found = [files.handoff] if files.handoff else []
    passages = file_passages(found, "Newest handoff note", "handoff-note")
    return next((passage for _, passage in passages), None)


def _entries(workspace: Workspace, *, private: bool) -> Passage | None:
    rows = _newest(LogEntry.objects.filter(workspace=workspace, last_seq=None))
    if not private:
        rows = rows.exclude(file__path__iexact=PRIVATE)
    newest = rows.select_related("file", "workspace")[: _LOOKED_THROUGH * _ENTRIES]
    lines = _without_repeats(map(note_line, newest))
    return lists.listed("Newest entries of logs", lines[:_ENTRIES])


def _without_repeats(lines: Iterable[str]) -> list[str]:
    """Return the first of lines that differ in numbers alone, marked as such."""
    alike: dict[object, list[str]] = {}
    for line in lines:
        words = without_numbers(tuple(term_texts(line)))
        alike.setdefault(words or line, []).append(line)
    return [
        f"{first}, and more like it" if more else first
        for first, *more in alike.values()
    ]


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
    return "none", None


def _handoffs(workspace: Workspace, agent: str) -> Passage | None:
    rows = handoffs_of(workspace)
    if agent:
        rows = rows.filter(is_of_agent(agent, workspace))
    newest = _newest(rows.exclude(state__in=CLOSED))[:HANDOFFS]
    open_ones = seen_from([workspace], newest)
    return lists.listed(
        "Open handoffs", [handoff_line(row, row.state) for row in open_ones]
    )


def _decisions(workspace: Workspace, *, private: bool) -> Passage | None:
    holding = Decision.objects.filter(workspace=workspace, state__in=HOLDS)
    return lists.decisions(workspace, holding, DECISIONS, private=private)


def _newest(rows: QuerySet[Row]) -> QuerySet[Row]:
    return rows.order_by(*NEWEST_FIRST)
