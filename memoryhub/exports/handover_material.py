"""What is handed over, whatever dialect says it: one value for each thing picked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from typing import TypeVar
from zoneinfo import ZoneInfo

from memoryhub.formats.big_memory.task_snapshot import TaskSnapshot, find_snapshots
from memoryhub.formats.ccw import session_compact
from memoryhub.formats.ccw.session_compact import SessionCompact
from memoryhub.formats.optimizer.decision_text import DecisionText, parse_decision
from memoryhub.formats.snap_memory import topic_context
from memoryhub.formats.text.decoding import decode
from memoryhub.formats.text.line_edits import folded
from memoryhub.journal.blobs import bytes_by_id
from memoryhub.journal.models import (
    DerivedModel,
    Revision,
    Source,
    SourceFile,
    Workspace,
)
from snapshots.models import SessionMemory, Snapshot
from topics.models import Decision, Topic

Pairs = tuple[tuple[str, str], ...]
Row = TypeVar("Row", bound=DerivedModel)
#: More things than this of each kind are not handed over at once.
MOST = 50


@dataclass(frozen=True, slots=True)
class Picked:
    """The ids of what is to be handed over."""

    topics: tuple[int, ...] = ()
    snapshots: tuple[int, ...] = ()
    decisions: tuple[int, ...] = ()
    memories: tuple[int, ...] = ()

    def __bool__(self) -> bool:
        return any((self.topics, self.snapshots, self.decisions, self.memories))


@dataclass(frozen=True, slots=True)
class Material:
    """One thing that is handed over; a value it does not have is empty.

    `exact` is its text as its file says it, `bodies` are the sections of a snapshot.
    """

    kind: str
    row_id: int
    name: str
    path: str
    at: datetime
    topic: str = ""
    agent: str = ""
    exact: str = ""
    bodies: Mapping[str, str] = field(default_factory=dict)
    snapshot_id: str = ""
    memory_id: str = ""
    session_id: str = ""
    project_root: str = ""
    goal: str = ""
    status: str = ""
    phase: str = ""
    branch: str = ""
    blocked_by: str = ""
    progress: str = ""
    files: Pairs = ()
    reference_files: Pairs = ()
    decisions: tuple[DecisionText, ...] = ()
    code: str = ""
    key_names: Pairs = ()
    blockers: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    dependencies: tuple[str, ...] = ()
    last_action: str = ""
    history: tuple[str, ...] = ()
    next_steps: tuple[str, ...] = ()
    plan_source: str = ""
    plan: str = ""
    notes: str = ""

    def lost(self, carried: Iterable[str]) -> tuple[str, ...]:
        """Return the names of the values that a form carrying these leaves out."""
        kept = {*_FRAME, *carried}
        return tuple(
            each.name
            for each in fields(self)
            if each.name not in kept and getattr(self, each.name)
        )


#: What says where a thing is from, rather than what it says.
_FRAME = frozenset(
    {"kind", "row_id", "name", "path", "at", "topic", "agent", "exact", "bodies"}
    | {"snapshot_id", "memory_id", "plan_source"}
)


def materials(workspace: Workspace, picked: Picked) -> list[Material]:
    """Return what was picked and is there, in the order topics to memories."""
    told = ("topic", "agent", "file")
    topics = _rows(Topic, workspace, picked.topics, "file")
    snapshots = _rows(Snapshot, workspace, picked.snapshots, *told)
    decisions = _rows(Decision, workspace, picked.decisions, "topic", "agent")
    memories = _rows(SessionMemory, workspace, picked.memories, *told)
    texts = _Texts(workspace, [*topics, *snapshots, *memories])
    places = _places(decisions)
    zone = ZoneInfo(workspace.time_zone)
    return [
        *(_of_topic(row, texts, zone) for row in topics),
        *(_of_snapshot(row, texts, zone) for row in snapshots),
        *(_of_decision(row, places.get(row.pk, ""), zone) for row in decisions),
        *(_of_memory(row, texts, zone) for row in memories),
    ]


def _rows(
    model: type[Row], workspace: Workspace, ids: Sequence[int], *related: str
) -> list[Row]:
    if not ids:
        return []
    rows = model._default_manager.filter(workspace=workspace, pk__in=ids[:MOST])
    found = {row.pk: row for row in rows.select_related(*related)}
    return [found[row_id] for row_id in dict.fromkeys(ids) if row_id in found]


class _Texts:
    """The texts of the files of some rows, all read at once."""

    def __init__(
        self, workspace: Workspace, rows: Iterable[Topic | Snapshot | SessionMemory]
    ) -> None:
        self._blobs: dict[int, int] = {}
        for row in rows:
            file: SourceFile = row.file
            if row.last_seq is None and file.blob_id:
                self._blobs[row.pk] = file.blob_id
            elif blob_id := _last_blob(workspace, file.path, row.last_seq):
                self._blobs[row.pk] = blob_id
        data = bytes_by_id(set(self._blobs.values()))
        self._texts = {key: decode(found).text for key, found in data.items()}

    def of(self, row: Topic | Snapshot | SessionMemory) -> str:
        return self._texts.get(self._blobs.get(row.pk, 0), "")


def _last_blob(workspace: Workspace, path: str, below: int | None) -> int | None:
    rows = Revision.objects.filter(workspace=workspace, path=path, blob__isnull=False)
    if below is not None:
        rows = rows.filter(seq__lt=below)
    return rows.order_by("-seq").values_list("blob_id", flat=True).first()


def _places(decisions: Iterable[Decision]) -> dict[int, str]:
    sources = Source.objects.filter(
        target_kind=Source.Target.DECISION,
        target_id__in=[row.pk for row in decisions],
    ).order_by("-last_seq", "first_seq")
    return dict(sources.values_list("target_id", "file__path"))


def _of_topic(row: Topic, texts: _Texts, zone: ZoneInfo) -> Material:
    text = texts.of(row)
    decisions: tuple[DecisionText, ...]
    if row.kind == Topic.Kind.CONTEXT:
        document = topic_context.parse(text)
        decisions = tuple(parse_decision(item.text) for item in document.decisions)
        history = tuple(item.text for item in document.history)
    else:
        said = row.decisions.filter(last_seq__isnull=True).order_by("occurred_at", "id")
        decisions = tuple(_decision_text(each) for each in said)
        told = row.history.filter(last_seq__isnull=True).order_by("position")
        history = tuple(folded(entry.text) for entry in told)
        text = ""
    return Material(
        kind="topic",
        row_id=row.pk,
        name=row.name,
        path=row.file.path,
        at=_latest(row, zone),
        topic=row.name,
        exact=text,
        status=row.status,
        decisions=decisions,
        history=history,
    )


def _latest(row: Topic, zone: ZoneInfo) -> datetime:
    day = row.updated_on or row.created_on
    if day is None:
        return row.file.recorded_at.astimezone(zone).replace(tzinfo=None)
    return datetime(day.year, day.month, day.day)


def _of_snapshot(row: Snapshot, texts: _Texts, zone: ZoneInfo) -> Material:
    read = _block(row, texts.of(row))
    at = row.occurred_at.astimezone(zone).replace(tzinfo=None)
    material = Material(
        kind="snapshot",
        row_id=row.pk,
        name=row.snapshot_id or row.goal,
        path=row.file.path,
        at=at,
        topic=row.topic.name if row.topic else "",
        agent=row.agent.name if row.agent else "",
        snapshot_id=row.snapshot_id,
        goal=row.goal,
    )
    return _with_block(material, read) if read else material


def _block(row: Snapshot, text: str) -> TaskSnapshot | None:
    lines = text.split("\n")[max(0, row.first_line - 1) : row.last_line]
    return next(iter(find_snapshots("\n".join(lines))), None)


def _with_block(material: Material, read: TaskSnapshot) -> Material:
    return replace(
        material,
        at=read.timestamp.replace(tzinfo=None) if read.timestamp else material.at,
        exact=read.block,
        bodies={part.title: part.body.strip("\r\n") for part in read.sections},
        phase=read.phase,
        branch=read.branch,
        blocked_by=read.blocked_by,
        progress=read.progress,
        files=tuple((file.path, file.purpose) for file in read.files),
        decisions=tuple(
            DecisionText(None, folded(c.text), folded(c.reason)) for c in read.decisions
        ),
        code=read.code,
        key_names=tuple((name.kind, name.value) for name in read.key_names),
        blockers=tuple(point.text for point in read.blockers),
        next_steps=tuple(step.text for step in read.next_steps),
    )


def _of_decision(row: Decision, path: str, zone: ZoneInfo) -> Material:
    return Material(
        kind="decision",
        row_id=row.pk,
        name=row.text,
        path=path,
        at=row.occurred_at.astimezone(zone).replace(tzinfo=None),
        topic=row.topic.name if row.topic else "",
        agent=row.agent.name if row.agent else "",
        decisions=(_decision_text(row),),
    )


def _decision_text(row: Decision) -> DecisionText:
    return DecisionText(
        row.decided_on,
        folded(row.text),
        folded(row.reason),
        folded(row.supersedes_text),
        folded(row.signed_off_by),
        row.signed_off_on,
        row.state == Decision.State.REJECTED,
    )


def _of_memory(row: SessionMemory, texts: _Texts, zone: ZoneInfo) -> Material:
    document = session_compact.parse(texts.of(row))
    return Material(
        kind="memory",
        row_id=row.pk,
        name=row.memory_id or row.objective,
        path=row.file.path,
        at=row.occurred_at.astimezone(zone).replace(tzinfo=None),
        topic=row.topic.name if row.topic else "",
        agent=row.agent.name if row.agent else "",
        exact=document.content,
        memory_id=row.memory_id,
        session_id=document.session_id,
        project_root=document.project_root,
        goal=document.objective,
        files=_paths(document, "working"),
        reference_files=_paths(document, "reference"),
        decisions=tuple(
            DecisionText(None, folded(c.text), folded(c.reasoning))
            for c in document.decisions
        ),
        blockers=tuple(_texts_of(document.known_issues)),
        constraints=tuple(_texts_of(document.constraints)),
        dependencies=tuple(_texts_of(document.dependencies)),
        last_action=document.last_action,
        history=tuple(_texts_of(document.changes_made)),
        next_steps=tuple(_texts_of(document.pending)),
        plan_source=document.plan_source,
        plan=document.plan,
        notes=document.notes,
    )


def _paths(document: SessionCompact, which: str) -> Pairs:
    held = document.working_files if which == "working" else document.reference_files
    return tuple((file.path, file.role) for file in held)


def _texts_of(items: Iterable[object]) -> Iterator[str]:
    for item in items:
        yield folded(str(getattr(item, "text", item)))
