"""What a recall is put together from: texts and rows as they are, or were at a seq."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar
from zoneinfo import ZoneInfo

from django.db.models import Q, QuerySet

from memoryhub.formats.decision_text import DecisionText, render_decision
from memoryhub.formats.handoff import STATES
from memoryhub.formats.task_snapshot import find_snapshots
from memoryhub.handoffs.models import Handoff, HandoffStep
from memoryhub.workspaces.models import Source
from memoryhub.workspaces.versions import text_of, version_at
from snapshots.exporters import file_text
from snapshots.models import Compaction, LogEntry, SessionMemory, Snapshot, Told
from topics.models import Decision, Precision, SessionBinding, Topic

Row = TypeVar("Row", bound=Told)

_HANDOFFS, _DECISIONS, _NOTES = 20, 10, 5
_CLOSED = frozenset({"done", "failed"})


@dataclass(frozen=True, slots=True)
class Context:
    """What is asked: for which topic and agent, and as of when."""

    topic: Topic
    agent: str
    text: str | None
    seq: int | None
    now: datetime


@dataclass(frozen=True, slots=True)
class Passage:
    """A text under a heading, with the file it is from and its first line there."""

    heading: str
    text: str
    path: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class HubFacts:
    """What the hub's own form is made of; without a snapshot there is a fallback."""

    topic: Passage
    sessions: int = 0
    snapshot: Snapshot | None = None
    fallback: str = ""
    told: Passage | None = None
    handoffs: Passage | None = None
    decisions: Passage | None = None
    compacted_at: datetime | None = None
    newer_decision: Decision | None = None

    def passages(self) -> Iterator[tuple[str, Passage]]:
        """Give what there is, in the order in which it is given to agents."""
        named = {
            "topic": self.topic,
            "snapshot": self.told,
            "handoffs": self.handoffs,
            "decisions": self.decisions,
        }
        for key, passage in named.items():
            if passage is not None and passage.text.strip():
                yield key, passage


def last_compaction(topic: Topic) -> Compaction | None:
    """Return the newest compaction that a topic's history tells of."""
    rows = Compaction.objects.filter(topic=topic)
    return rows.order_by("-first_seq", "-occurred_at").first()


def hub_facts(context: Context, *, own_only: bool = False) -> HubFacts:
    """Return what is known of a topic; with `own_only` its file and sessions alone."""
    topic = context.topic
    path = topic.file.path
    text = context.text if context.text is not None else _topic_text(context)
    passage = Passage(f"### Topic {topic.name} ({path})", text, path, 1)
    bound = SessionBinding.objects.filter(topic=topic, last_seq__isnull=True)
    if own_only:
        return HubFacts(passage, bound.count())
    snapshot = _known(Snapshot, context).filter(copy_of__isnull=True).first()
    fallback, told = _told(context, snapshot)
    compaction = last_compaction(topic)
    decisions = _decisions(context)
    newest = next(iter(decisions), None)
    late = bool(snapshot and newest and newest.occurred_at > snapshot.occurred_at)
    return HubFacts(
        passage,
        snapshot=snapshot,
        fallback=fallback,
        told=told,
        handoffs=_handoffs_passage(context),
        decisions=_decisions_passage(context, decisions),
        compacted_at=compaction.occurred_at if compaction else None,
        newer_decision=newest if late else None,
    )


def _topic_text(context: Context) -> str:
    return _text_at(context.topic, context.seq)


def _text_at(row: Told | Topic, seq: int | None) -> str:
    """Return the text of a fact's file as it is, or was at a seq, or was last."""
    file = row.file
    if row.last_seq is None and seq is None:
        return file_text(file)
    last = None if row.last_seq is None else row.last_seq - 1
    at = min(n for n in (last, seq) if n is not None)
    version = version_at(row.workspace, file.path, at)
    return text_of(version) if version else ""


def _known(model: type[Row], context: Context) -> QuerySet[Row]:
    """Return rows of the topic, and of the agent if one is asked for, newest first."""
    rows = model._default_manager.filter(topic=context.topic)
    rows = rows.select_related("file__blob", "agent", "workspace")
    if context.agent:
        rows = rows.filter(agent__name=context.agent)
    return _so_far(rows, context).order_by("-occurred_at", "-first_seq", "-pk")


def _so_far(rows: QuerySet[Row], context: Context) -> QuerySet[Row]:
    if context.seq is None:
        return rows
    return rows.filter(first_seq__lte=context.seq)


def _told(context: Context, snapshot: Snapshot | None) -> tuple[str, Passage | None]:
    """Return the newest snapshot, or what stands for it, and the name of that."""
    if snapshot is not None:
        return "", _block(context, snapshot, "Newest snapshot")
    memory = _known(SessionMemory, context).first()
    if memory is not None:
        return "session-memory", _memory(context, memory)
    loose = _loose_snapshot(context)
    if loose is not None:
        label = "No snapshot names this topic; the newest of its agent"
        return "agent-snapshot", _block(context, loose, label)
    notes = list(_known(LogEntry, context)[:_NOTES])
    if notes:
        return "notes", _notes(context, notes)
    return "none", None


def _loose_snapshot(context: Context) -> Snapshot | None:
    """Return the newest snapshot of no topic by an agent that is bound to this one."""
    bound = SessionBinding.objects.filter(topic=context.topic, last_seq__isnull=True)
    rows = Snapshot.objects.filter(
        workspace=context.topic.workspace_id,
        topic__isnull=True,
        copy_of__isnull=True,
        agent__in=bound.values("agent"),
    ).select_related("file__blob", "agent", "workspace")
    if context.agent:
        rows = rows.filter(agent__name=context.agent)
    return _so_far(rows, context).order_by("-occurred_at", "-first_seq").first()


def _block(context: Context, snapshot: Snapshot, label: str) -> Passage:
    text = _text_at(snapshot, context.seq)
    first, last = snapshot.first_line, snapshot.last_line
    if context.seq is not None:
        first, last = _lines_then(text, snapshot)
    lines = text.replace("\r\n", "\n").split("\n")[max(0, first - 1) : last]
    when = f"{_local(snapshot):%Y-%m-%d %H:%M}"
    agent = f" by {snapshot.agent.name}" if snapshot.agent else ""
    path = snapshot.file.path
    heading = f"### {label}: {snapshot.snapshot_id}, {when}{agent} ({path})"
    return Passage(heading, "\n".join(lines), path, first)


def _lines_then(text: str, snapshot: Snapshot) -> tuple[int, int]:
    """Return where a block stood in an earlier version of its file."""
    for found in find_snapshots(text):
        if found.snapshot_id == snapshot.snapshot_id:
            return found.lines.first, found.lines.last
    return snapshot.first_line, snapshot.last_line


def _memory(context: Context, memory: SessionMemory) -> Passage:
    path = memory.file.path
    name = memory.memory_id or path
    heading = f"### No snapshot; the newest session memory: {name} ({path})"
    return Passage(heading, _text_at(memory, context.seq), path, 1)


def _notes(context: Context, notes: Iterable[LogEntry]) -> Passage:
    lines = [
        f"- {_local(entry):%Y-%m-%d}: {' '.join([entry.title, entry.excerpt]).strip()}"
        f" ({entry.file.path})"
        for entry in notes
    ]
    heading = "### No snapshot; the newest notes of this topic"
    return Passage(heading, "\n".join(lines))


def _local(row: Told) -> datetime:
    return row.occurred_at.astimezone(ZoneInfo(row.workspace.time_zone))


def _handoffs_passage(context: Context) -> Passage | None:
    rows = Handoff.objects.filter(topic=context.topic)
    if context.agent:
        rows = Handoff.objects.filter(workspace=context.topic.workspace_id).filter(
            Q(topic=context.topic) | Q(recipient=context.agent)
        )
    rows = _so_far(rows.select_related("file"), context).order_by("-occurred_at", "-pk")
    if context.seq is None:
        rows = rows.exclude(state__in=_CLOSED).filter(last_seq__isnull=True)
    states = _states_then(context, rows)
    found = [row for row in rows[: 10 * _HANDOFFS] if states(row) not in _CLOSED]
    if not found:
        return None
    lines = [_handoff_line(row, states(row)) for row in found[:_HANDOFFS]]
    return Passage(f"### Open handoffs ({len(found)})", "\n".join(lines))


class _States:
    """The states that handoffs had at a seq, by the steps that were known then."""

    def __init__(self, steps: Iterable[tuple[int, str, str]]) -> None:
        self._known: dict[tuple[int, str], str] = {}
        for file_id, task_id, verb in steps:
            if state := STATES.get(verb, ""):
                self._known[file_id, task_id] = state

    def __call__(self, handoff: Handoff) -> str:
        key = handoff.file_id, handoff.task_id
        return self._known.get(key, Handoff.State.OPEN.value)


class _StatesNow:
    def __call__(self, handoff: Handoff) -> str:
        return handoff.state


def _states_then(context: Context, rows: QuerySet[Handoff]) -> _States | _StatesNow:
    if context.seq is None:
        return _StatesNow()
    steps = HandoffStep.objects.filter(
        workspace=context.topic.workspace_id,
        task_id__in=rows.order_by().values("task_id"),
        first_seq__lte=context.seq,
    )
    ordered = steps.order_by("first_seq", "position")
    return _States(ordered.values_list("file_id", "task_id", "verb"))


def _handoff_line(row: Handoff, state: str) -> str:
    words = " ".join(row.context.split()) or "(no context given)"
    expected = " ".join(row.expected_output.split())
    tail = f" Expected: {expected}" if expected else ""
    who = f"{row.sender or '?'} -> {row.recipient or '?'}"
    state = state.replace("_", " ")
    return f"- {row.task_id} ({row.type}, {state}) {who}: {words}{tail}"


def _decisions(context: Context) -> list[Decision]:
    """Return decisions that hold, newest first, of the topic or of none."""
    workspace = context.topic.workspace_id
    holds = Q(state__in=(Decision.State.STATED, Decision.State.SIGNED_OFF))
    rows = Decision.objects.filter(workspace=workspace)
    rows = rows.filter(Q(topic=context.topic) | Q(topic__isnull=True))
    if context.seq is not None:
        holds |= Q(superseded_by__first_seq__gt=context.seq)
        rows = rows.filter(first_seq__lte=context.seq)
    ordered = rows.filter(holds).order_by("-occurred_at", "-first_seq", "pk")
    return list(ordered.distinct()[: 5 * _DECISIONS])


def _decisions_passage(context: Context, rows: list[Decision]) -> Passage | None:
    """Return the newest decisions that the topic's own file does not say."""
    own = Source.objects.filter(
        target_kind=Source.Target.DECISION,
        target_id__in=[row.pk for row in rows],
        file=context.topic.file_id,
    )
    if context.seq is None:
        own = own.filter(last_seq__isnull=True)
    else:
        own = own.filter(first_seq__lte=context.seq).filter(
            Q(last_seq__isnull=True) | Q(last_seq__gt=context.seq)
        )
    said = set(own.values_list("target_id", flat=True))
    lines = [_decision_line(row) for row in rows if row.pk not in said][:_DECISIONS]
    if not lines:
        return None
    heading = f"### Recent decisions that the topic's file does not say ({len(lines)})"
    return Passage(heading, "\n".join(lines))


def _decision_line(row: Decision) -> str:
    day = row.decided_on
    if day is None and row.precision != Precision.NONE:
        day = row.occurred_at.date()
    text = DecisionText(
        day,
        " ".join(row.text.split()),
        " ".join(row.reason.split()),
        signed_off_by=row.signed_off_by,
        signed_off_on=row.signed_off_on,
    )
    return f"- {render_decision(text)}"
