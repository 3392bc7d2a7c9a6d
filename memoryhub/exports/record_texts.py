"""Records of a workspace as values for translation into forms.

Shared by the export page and the tool `translate`, so that their results are equal.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from django.db.models import OuterRef, Q, QuerySet, Subquery

from memoryhub.dialects import handoff, session_compact, task_snapshot, topic_context
from memoryhub.dialects.decision_log import (
    normalise,
    render_decision,
    settled,
)
from memoryhub.dialects.task_snapshot import next_snapshot_id
from memoryhub.dialects.translation import (
    DECISION,
    Frame,
    Lost,
    Remembered,
    Translation,
    day_of,
    lost_in,
    remembered,
    translate,
    written,
)
from memoryhub.formats.base import FormatError, Lines
from memoryhub.handoffs.exporters import handoff_text
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.sides import of_sides
from memoryhub.journal.grades import declared
from memoryhub.journal.models import Workspace
from memoryhub.journal.untimed import UNDATED_LAST
from memoryhub.values.identity import id_of
from snapshots.exporters import file_text, lines_of, snapshot_text, span_text
from snapshots.models import NEWEST_FIRST, SessionMemory, Snapshot
from topics.models import Decision, Topic
from topics.queries.decisions import (
    decision_text,
    history_lines,
    lapsed_decisions,
    rejection_text,
    statements_of,
)
from topics.queries.topics import topic_ids_named

Kind = Literal["topic", "snapshot", "memory", "handoff"]
Record = Topic | Snapshot | SessionMemory | Handoff

#: The rows of each kind, and the field that people and agents name them by.
_MODELS: Mapping[Kind, tuple[type[Record], str]] = {
    "topic": (Topic, "name"),
    "snapshot": (Snapshot, "snapshot_id"),
    "memory": (SessionMemory, "memory_id"),
    "handoff": (Handoff, "task_id"),
}


#: Forms in which a topic and its newest snapshot are one record.
_MERGED = (session_compact.NAME, handoff.NAME)


@dataclass(frozen=True, slots=True)
class SourceRecord:
    """A record to translate: its content, its file, and the topic the hub assigned.

    `task` is the newest snapshot of a topic, which is exported with the topic.
    """

    kind: str
    name: str
    memory: Remembered
    path: str = ""
    topic: str = ""
    task: SourceRecord | None = None
    error: FormatError | None = None


class SnapshotIds:
    """Ids unavailable to new snapshots, and those that moved ones must not keep.

    `known` are those of the source; a snapshot of it keeps its own, unless it is taken
    in the target, or was assigned already.
    """

    def __init__(self, known: Iterable[str], there: Iterable[str] = ()) -> None:
        self._there = set(there)
        self._known = {*known, *self._there}

    def assign(self, memory: Remembered, frame: Frame) -> str:
        """Return and reserve a snapshot's own id, or the next free one of its day."""
        own = memory.record_id if memory.dialect == task_snapshot.NAME else ""
        if not own or own in self._there:
            own = next_snapshot_id(day_of(memory, frame), self._known)
        self._there.add(own)
        self._known.add(own)
        return own


def records_named(workspace: Workspace, kind: Kind, name: str) -> list[Record]:
    """Return the records of a name or code: current ones, else former ones."""
    model, field = _MODELS[kind]
    rows: QuerySet[Any]
    named = _named(field, name)
    if kind == "handoff":
        rows = of_sides(Handoff.objects.filter(named), [workspace])
    else:
        if kind == "topic":
            named = Q(pk__in=topic_ids_named(workspace, name))
        rows = declared(model).filter(named, workspace=workspace)
    related = rows.select_related("workspace", "file__blob")
    found = [row for row in related if getattr(row, "copy_of_id", None) is None]
    return [row for row in found if row.last_seq is None] or found


def _named(field: str, name: str) -> Q:
    try:
        return Q(pk=id_of(name))
    except ValueError:
        return Q(**{field: name})


def source_records(
    workspace: Workspace, rows: Sequence[Record | Decision]
) -> list[SourceRecord]:
    """Return the current or last content of rows, with lapsed decisions marked."""
    lapsed = lapsed_decisions(workspace)
    tasks = _newest_snapshots([row for row in rows if isinstance(row, Topic)])
    found = []
    for row in rows:
        one = _source_record(row, lapsed)
        if isinstance(row, Topic) and (task := tasks.get(row.pk)):
            one = replace(one, task=_source_record(task, lapsed))
        found.append(one)
    return found


def _newest_snapshots(topics: Sequence[Topic]) -> dict[int, Snapshot]:
    """Return the newest snapshots of topics by the topics' ids, in one query."""
    if not topics:
        return {}
    newest = Snapshot.objects.filter(topic=OuterRef("pk"), copy_of__isnull=True)
    newest = newest.order_by(*NEWEST_FIRST)
    ids = Topic.objects.filter(pk__in=[topic.pk for topic in topics])
    wanted = ids.annotate(task=Subquery(newest.values("pk")[:1])).values("task")
    rows = Snapshot.objects.filter(pk__in=wanted)
    related = rows.select_related("workspace", "file__blob", "topic", "agent")
    return {row.topic_id: row for row in related if row.topic_id is not None}


def _source_record(row: Record | Decision, lapsed: Mapping[str, str]) -> SourceRecord:
    about = row.name if isinstance(row, Topic) else row.topic.name if row.topic else ""
    if isinstance(row, Decision):
        is_rejected = row.state == Decision.State.REJECTED
        text = rejection_text(row) if is_rejected else decision_text(row)
        topic = row.topic.name if row.topic else ""
        line = f"- {render_decision(text)}"
        memory = Remembered(DECISION, line, topic=topic, decisions=(text,))
        decided = replace(memory, decisions=settled(memory.decisions, lapsed))
        return SourceRecord("decision", row.text, decided, topic=about)
    kind = next(kind for kind, (model, _) in _MODELS.items() if type(row) is model)
    name = str(getattr(row, _MODELS[kind][1])) or str(row)
    try:
        memory = _memory(row)
    except FormatError as error:
        return SourceRecord(
            kind, name, Remembered(""), row.file.path, about, error=error
        )
    memory = replace(memory, decisions=settled(memory.decisions, lapsed))
    return SourceRecord(kind, name, memory, row.file.path, about)


def _memory(row: Record) -> Remembered:
    if isinstance(row, Topic):
        if row.kind != Topic.Kind.CONTEXT:
            return remembered(plain_topic(row), topic_context.NAME)
        return remembered(span_text(row), topic_context.NAME)
    if isinstance(row, Snapshot):
        return remembered(snapshot_text(row), task_snapshot.NAME)
    text = span_text(row)
    if isinstance(row, SessionMemory):
        found = remembered(text, session_compact.NAME)
        return replace(found, record_id=row.memory_id or found.record_id)
    lines = Lines(row.first_line, row.last_line)
    task = remembered(lines_of(text, lines), handoff.NAME)
    whole = remembered(handoff_text(row, with_sent=False), handoff.NAME)
    return replace(task, other=whole.other)


def plain_topic(topic: Topic) -> str:
    """Return a topic's file: its own values, or those of another dialect."""
    if topic.kind == Topic.Kind.CONTEXT:
        document = topic_context.parse(file_text(topic.file))
        return topic_context.render_values(document).replace("\r", "")
    said = Decision.objects.filter(topic=topic, last_seq__isnull=True)
    said = said.order_by(UNDATED_LAST, "occurred_at", "id")
    rows = said.select_related("workspace")
    texts = [text for row in rows for text in statements_of(row, has_successor=True)]
    told = topic.history.filter(last_seq__isnull=True).order_by("position")
    memory = Remembered(
        topic_context.NAME,
        topic=topic.name,
        goal=topic.status,
        time=topic.updated_on.isoformat() if topic.updated_on else "",
        decisions=settled(texts, lapsed_decisions(topic.workspace)),
        history=tuple(history_lines(told.select_related("workspace"))),
        meta=(("created", topic.created_on.isoformat()),) if topic.created_on else (),
    )
    return written(memory, topic_context.NAME)


def translation_of(
    record: SourceRecord, to: str, frame: Frame, ids: SnapshotIds
) -> Translation:
    """Return a record in a form; a topic as a snapshot is its newest one, unchanged.

    Raises `FormatError` as `translate` does, and for a record that is gone.
    """
    if record.error:
        raise record.error
    if record.task and to == task_snapshot.NAME:
        made = translation_of(record.task, to, Frame(frame.at, zone=frame.zone), ids)
        not_in_it = lost_in(made.text, to, memory_for(record, to, frame))
        return replace(made, lost=(*made.lost, *not_in_it))
    memory = memory_for(record, to, frame)
    as_it_is = memory.dialect == to and not memory.record_id
    if to == task_snapshot.NAME and not (frame.record_id or as_it_is):
        frame = replace(frame, record_id=ids.assign(memory, frame))
    made = translate(memory, to, replace(frame, place=frame.place or record.path))
    return replace(made, lost=(*made.lost, *_other_reasons(record, to)))


def memory_for(record: SourceRecord, to: str, frame: Frame) -> Remembered:
    """Return a record's content for a form; for forms of other dialects, completed.

    Added are its topic, and to a topic the task of its newest snapshot.
    """
    memory = record.memory
    if record.topic and memory.dialect != to:
        memory = replace(memory, topic=frame.topic or record.topic)
    if record.task and to in _MERGED:
        memory = _with_task(memory, record.task.memory)
    return memory


def _other_reasons(record: SourceRecord, to: str) -> Iterator[Lost]:
    """Yield the reasons of a snapshot for decisions of which its topic has another."""
    if not record.task or to not in _MERGED:
        return
    reasons = {normalise(one.text): one.reason for one in record.memory.decisions}
    for one in record.task.memory.decisions:
        kept = reasons.get(normalise(one.text), one.reason)
        if one.reason and one.reason != kept:
            yield Lost("decisions, reason", f"{one.text}: {one.reason}")


def _with_task(topic: Remembered, task: Remembered) -> Remembered:
    """Return a topic with its newest snapshot's task; its status becomes a note."""
    said = {normalise(one.text) for one in topic.decisions}
    more = [one for one in task.decisions if normalise(one.text) not in said]
    return replace(
        task,
        dialect=topic.dialect,
        source=topic.source,
        record_id="",
        topic=topic.topic,
        goal=task.goal or topic.goal,
        notes=topic.goal if task.goal else "",
        session=topic.session,
        decisions=(*topic.decisions, *more),
        history=topic.history,
        meta=topic.meta,
    )
