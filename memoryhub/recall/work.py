"""The newest work of a recall: a snapshot, else what is most like one."""

from __future__ import annotations

from typing import NamedTuple, TypeVar

from django.db.models import Model, QuerySet

from memoryhub.journal.models import Workspace
from memoryhub.recall.request import RecallRequest
from memoryhub.recall.texts import (
    Passage,
    TextAt,
    memory_passage,
    note_line,
    snapshot_passage,
    texts_at,
)
from memoryhub.sync.edit.gate import PRIVATE
from snapshots.models import NEWEST_FIRST, LogEntry, SessionMemory, Snapshot
from topics.models import SessionBinding, Topic

Row = TypeVar("Row", bound=Model)

#: Most notes that stand for a missing snapshot.
_NOTES = 5
_LOOSE = "No snapshot names this topic; the newest of its agent"


class Work(NamedTuple):
    """The newest snapshot, its text, and the name of a substitute; "" for none."""

    snapshot: Snapshot | None
    passage: Passage | None
    fallback: str


def newest_work(
    workspace: Workspace, topic: Topic | None, request: RecallRequest
) -> Work:
    """Return the newest snapshot of a topic, or of an agent if it is of none.

    In its place: a session memory, for a topic then a snapshot of an agent bound to it
    that names no topic, and its newest notes.
    """
    snapshots = newest_first(Snapshot, workspace, request).filter(copy_of__isnull=True)
    memories = newest_first(SessionMemory, workspace, request)
    if topic is None:
        own = snapshots.filter(agent__name=request.agent).first() or snapshots.first()
    else:
        if request.agent:
            snapshots = snapshots.filter(agent__name=request.agent)
            memories = memories.filter(agent__name=request.agent)
        memories = memories.filter(topic=topic)
        own = snapshots.filter(topic=topic).first()
    if own is not None:
        return Work(own, _quoted(own, request, "Newest snapshot"), "")
    if memory := memories.first():
        (text,) = texts_at(workspace, [_then(memory, request)])
        return Work(None, memory_passage(memory, text), "session-memory")
    if topic is None:
        return Work(None, None, "none")
    bound = SessionBinding.objects.filter(topic=topic, last_seq__isnull=True)
    loose = snapshots.filter(topic__isnull=True, agent__in=bound.values("agent"))
    if stand_in := loose.first():
        return Work(None, _quoted(stand_in, request, _LOOSE), "agent-snapshot")
    notes = newest_first(LogEntry, workspace, request).filter(topic=topic)
    if request.agent:
        notes = notes.filter(agent__name=request.agent)
    if lines := [note_line(note) for note in notes[:_NOTES]]:
        heading = "No snapshot; the newest notes of this topic"
        return Work(None, Passage(heading, "\n".join(lines)), "notes")
    return Work(None, None, "none")


def newest_first(
    model: type[Row], workspace: Workspace, request: RecallRequest
) -> QuerySet[Row]:
    """Return rows of files that the request may read, so far as known at its moment."""
    rows = model._default_manager.filter(workspace=workspace)
    if request.seq is not None:
        rows = rows.filter(first_seq__lte=request.seq)
    if not request.private:
        rows = rows.exclude(file__path__iexact=PRIVATE)
    return rows.select_related("file", "agent", "workspace").order_by(*NEWEST_FIRST)


def _quoted(snapshot: Snapshot, request: RecallRequest, label: str) -> Passage:
    (text,) = texts_at(snapshot.workspace, [_then(snapshot, request)])
    return snapshot_passage(snapshot, text, label, then=request.seq is not None)


def _then(row: Snapshot | SessionMemory, request: RecallRequest) -> TextAt:
    return TextAt(row.file, row.last_seq, request.seq)
