"""Writing what a record remembers in the canonical form of any dialect."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from memoryhub.formats.big_memory import task_snapshot
from memoryhub.formats.big_memory.snapshot_draft import (
    SnapshotDraft,
    SnapshotHeader,
    bodies_of,
    next_snapshot_id,
    render_block,
)
from memoryhub.formats.ccw import session_compact
from memoryhub.formats.ccw.session_analysis import SessionAnalysis, render_session
from memoryhub.formats.hub import handoff
from memoryhub.formats.hub.handoff_blocks import MAX_CONTEXT, Task
from memoryhub.formats.optimizer import memory_index
from memoryhub.formats.optimizer.decision_text import DecisionText, render_decision
from memoryhub.formats.optimizer.memory_index_rendering import (
    PointerLine,
    render_task_line,
)
from memoryhub.formats.snap_memory import topic_context
from memoryhub.formats.snap_memory.topic_lines import plain_status
from memoryhub.formats.text.dates import parse_timestamp
from memoryhub.formats.text.line_edits import folded
from memoryhub.formats.translation.values import Pairs, Remembered

_UNNAMED = "untitled"


@dataclass(frozen=True, slots=True)
class Frame:
    """What a new record needs that the old one may not say; `at` is the wall clock's.

    What is empty is taken from the record, or made up as its dialect does.
    """

    at: datetime.datetime
    record_id: str = ""
    topic: str = ""
    recipient: str = ""
    type: str = ""
    place: str = ""


def written(memory: Remembered, dialect: str, frame: Frame) -> str:
    """Return a record in a dialect's canonical form, as far as that has a place.

    Raises `FormatError` as the dialect's own renderer does.
    """
    return _WRITERS[dialect](memory, frame)


def _as_topic(memory: Remembered, frame: Frame) -> str:
    when = parse_timestamp(memory.time) or frame.at
    meta = {"created": when.date().isoformat(), **dict(memory.meta)}
    if memory.session:
        meta["session"] = folded(memory.session)
    meta["updated"] = when.date().isoformat()
    return topic_context.render_topic(
        folded(frame.topic or memory.topic or _UNNAMED),
        {key: folded(value) for key, value in meta.items() if folded(value)},
        plain_status(memory.goal.strip()),
        [folded(render_decision(decision)) for decision in memory.decisions],
        _lines(memory.history),
    )


def _as_snapshot(memory: Remembered, frame: Frame) -> str:
    at = parse_timestamp(memory.time) or frame.at
    record_id = frame.record_id or _own_id(memory, task_snapshot.NAME)
    header = SnapshotHeader(
        at,
        record_id or next_snapshot_id(at.date(), ()),
        agent=folded(memory.agent),
        topic=folded(frame.topic or memory.topic),
    )
    draft = SnapshotDraft(
        header,
        goal=memory.goal,
        phase=folded(memory.phase),
        branch=folded(memory.branch),
        blocked=bool(memory.blocked),
        blocked_by="" if memory.blocked == "yes" else folded(memory.blocked),
        progress=folded(memory.progress),
        files=_paired(memory.files),
        decisions=_choices(memory.decisions),
        code=memory.code,
        key_names=_paired(memory.key_names),
        blockers=_lines(memory.blockers),
        next_steps=_lines(memory.next_steps),
    )
    held = dict(memory.other) if memory.dialect == task_snapshot.NAME else {}
    return render_block(header, {**bodies_of(draft), **held})


def _as_session(memory: Remembered, frame: Frame) -> str:
    return render_session(
        SessionAnalysis(
            session_id=folded(memory.session),
            project_root=folded(memory.project_root),
            objective=memory.goal.strip(),
            plan_source=folded(memory.plan_source) or "inferred",
            plan=memory.plan,
            working_files=_paired(memory.files),
            reference_files=_paired(memory.reference_files),
            last_action=memory.last_action.strip(),
            decisions=_choices(memory.decisions),
            constraints=_lines(memory.constraints),
            dependencies=_lines(memory.dependencies),
            known_issues=_lines(memory.blockers),
            changes_made=_lines(memory.history),
            pending=_lines(memory.next_steps),
            notes=memory.notes.strip(),
        )
    )


def _as_pointer(memory: Remembered, frame: Frame) -> str:
    place = frame.place or memory.place or "memories/context.md"
    words = memory.goal.strip().partition("\n")[0] or memory.topic or _UNNAMED
    return render_task_line(PointerLine(words, folded(place), memory.phase)) + "\n"


def _as_handoff(memory: Remembered, frame: Frame) -> str:
    record_id = frame.record_id or _own_id(memory, handoff.NAME)
    task = Task(
        task_id=folded(record_id or f"{frame.at:%Y%m%d}-01"),
        sender=folded(memory.agent),
        recipient=folded(frame.recipient or memory.recipient),
        type=frame.type or memory.type or "write",
        context=memory.last_action.strip()[:MAX_CONTEXT],
        input=memory.goal.strip(),
        expected_output=_bullets(memory.next_steps),
        constraints=_bullets(memory.constraints),
    )
    topic = folded(frame.topic or memory.topic)
    return handoff.render_handoff(task, handoff.Fields(topic=topic))


def _own_id(memory: Remembered, dialect: str) -> str:
    return memory.record_id if memory.dialect == dialect else ""


def _choices(decisions: Iterable[DecisionText]) -> Pairs:
    """Return decisions and reasons; a rejected one would read as one that holds."""
    held = (decision for decision in decisions if not decision.rejected)
    return tuple((folded(one.text), folded(one.reason)) for one in held)


def _paired(pairs: Pairs) -> Pairs:
    return tuple((folded(first), folded(second)) for first, second in pairs)


def _bullets(items: Iterable[str]) -> str:
    return "\n".join(f"- {item}" for item in _lines(items))


def _lines(items: Iterable[str]) -> tuple[str, ...]:
    return tuple(line for item in items if (line := folded(item)))


_WRITERS: Mapping[str, Callable[[Remembered, Frame], str]] = {
    topic_context.NAME: _as_topic,
    task_snapshot.NAME: _as_snapshot,
    session_compact.NAME: _as_session,
    memory_index.NAME: _as_pointer,
    handoff.NAME: _as_handoff,
}
