"""The text of one record of a workspace, found by its kind and its name or code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from django.db.models import Q

from memoryhub.exports.canonical import topic_text
from memoryhub.formats.base import Lines
from memoryhub.formats.big_memory import task_snapshot
from memoryhub.formats.ccw import session_compact
from memoryhub.formats.hub import handoff
from memoryhub.formats.snap_memory import topic_context
from memoryhub.handoffs.models import Handoff
from memoryhub.journal.models import Workspace
from memoryhub.journal.versions import text_of, version_at
from memoryhub.values.identity import id_of
from snapshots.exporters import lines_of, snapshot_text, span_text
from snapshots.models import SessionMemory, Snapshot
from topics.models import Topic

Kind = Literal["topic", "snapshot", "memory", "handoff"]
Record = Topic | Snapshot | SessionMemory | Handoff

#: The rows of each kind, and the field that people and agents name them by.
_MODELS: Mapping[Kind, tuple[type[Record], str]] = {
    "topic": (Topic, "name"),
    "snapshot": (Snapshot, "snapshot_id"),
    "memory": (SessionMemory, "memory_id"),
    "handoff": (Handoff, "task_id"),
}


@dataclass(frozen=True, slots=True)
class RecordText:
    """A record's text in its dialect; `topic` is what it is about, if that is known."""

    text: str
    dialect: str
    path: str
    topic: str


def records_named(workspace: Workspace, kind: Kind, name: str) -> list[Record]:
    """Return the records a name or a code can mean: those still said, if any are."""
    model, field = _MODELS[kind]
    rows = model._default_manager.filter(_named(field, name), workspace=workspace)
    related = rows.select_related("workspace", "file__blob")
    found = [row for row in related if getattr(row, "copy_of_id", None) is None]
    return [row for row in found if row.last_seq is None] or found


def _named(field: str, name: str) -> Q:
    try:
        return Q(pk=id_of(name))
    except ValueError:
        return Q(**{field: name})


def record_text(record: Record) -> RecordText:
    """Return what a record's file says of it, or said last.

    A topic of another dialect than snap-memory's is given in that one.
    """
    path = record.file.path
    if isinstance(record, Topic):
        return RecordText(_topic(record), topic_context.NAME, path, record.name)
    about = record.topic.name if record.topic else ""
    if isinstance(record, Snapshot):
        return RecordText(snapshot_text(record), task_snapshot.NAME, path, about)
    text = span_text(record)
    if isinstance(record, SessionMemory):
        return RecordText(text, session_compact.NAME, path, about)
    lines = Lines(record.first_line, record.last_line)
    return RecordText(lines_of(text, lines), handoff.NAME, path, about)


def _topic(topic: Topic) -> str:
    if topic.kind != Topic.Kind.CONTEXT:
        return topic_text(topic)
    version = version_at(topic.workspace, topic.file.path)
    return text_of(version) if version else ""
