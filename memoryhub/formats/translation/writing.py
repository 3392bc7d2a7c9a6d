"""Rendering of `Remembered` in the canonical form of any dialect."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from memoryhub.formats.base import FormatError
from memoryhub.formats.big_memory import task_snapshot
from memoryhub.formats.big_memory.task_snapshot import (
    STATE,
    SnapshotDraft,
    SnapshotHeader,
    bodies_of,
    led,
    next_snapshot_id,
    render_block,
)
from memoryhub.formats.ccw import session_compact
from memoryhub.formats.ccw.session_compact import SessionAnalysis, render_session
from memoryhub.formats.hub import handoff
from memoryhub.formats.hub.handoff import MAX_CONTEXT, Task
from memoryhub.formats.optimizer import memory_index
from memoryhub.formats.optimizer.decision_log import (
    DecisionText,
    normalise,
    outcomes,
    parse_decision,
    render_decision,
)
from memoryhub.formats.optimizer.memory_index import (
    PointerLine,
    render_task_line,
)
from memoryhub.formats.snap_memory import topic_context
from memoryhub.formats.snap_memory.topic_context import plain_status
from memoryhub.formats.text.dates import parse_date, parse_timestamp
from memoryhub.formats.text.line_edits import folded
from memoryhub.formats.text.source import split_lines
from memoryhub.formats.translation.reading import Pairs, Remembered

_UNNAMED = "untitled"
#: A single decision; no file is of that dialect.
DECISION = "decision"


@dataclass(frozen=True, slots=True)
class Frame:
    """Values for a new record that the old one may lack; `at` is wall-clock time.

    Empty values are taken from the record; only ids and places are made up. `zone`:
    of the clock of forms that state none.
    """

    at: datetime.datetime
    record_id: str = ""
    topic: str = ""
    recipient: str = ""
    type: str = ""
    place: str = ""
    zone: datetime.tzinfo | None = None


def time_of(memory: Remembered, frame: Frame) -> datetime.datetime | None:
    """Return a record's time on the clock of the frame's zone, naive; None without."""
    at = parse_timestamp(memory.time)
    if at is not None and at.tzinfo and frame.zone:
        at = at.astimezone(frame.zone)
    return at.replace(tzinfo=None) if at is not None else None


def written(memory: Remembered, dialect: str, frame: Frame | None = None) -> str:
    """Return a record in a dialect's canonical form, as far as that has a place.

    Raises `FormatError` as the dialect's own renderer does.
    """
    return _WRITERS[dialect](memory, frame or Frame(datetime.datetime.min))


def as_it_is(memory: Remembered, dialect: str, frame: Frame) -> str:
    """Return the record's own text if it is of this very form; empty otherwise.

    Only decisions that lapsed elsewhere are marked in it, or taken out.
    """
    asked = {
        (frame.topic, memory.topic),
        (frame.recipient, memory.recipient),
        (frame.type, memory.type),
    }
    if dialect != task_snapshot.NAME or not memory.record_id:
        asked.add((frame.record_id, memory.record_id))
    other = any(new and new != own for new, own in asked)
    if other or memory.dialect != dialect or not memory.source.strip():
        return ""
    said = outcomes(memory.decisions)
    lapsed = {
        normalise(one.text): one
        for one in memory.decisions
        if one.lapsed and normalise(one.text) not in said
    }
    if dialect == task_snapshot.NAME:
        return _snapshot_as_it_is(memory, frame.record_id, lapsed)
    if not lapsed:
        return memory.source
    return _topic_as_it_is(memory, lapsed) if dialect == topic_context.NAME else ""


def _snapshot_as_it_is(
    memory: Remembered, record_id: str, lapsed: Mapping[str, DecisionText]
) -> str:
    """Return a block with its heading, with lapsed decisions marked."""
    (found,) = task_snapshot.find_snapshots(memory.source)[:1]
    lines = split_lines(memory.source)
    for choice in found.decisions:
        if one := lapsed.get(normalise(choice.text)):
            at = choice.lines.first - 1
            why = "" if choice.reason else " -- no longer holds"
            mark = f"{one.lapsed.capitalize()}: {choice.text}{why}"
            lines[at] = lines[at].replace(choice.text, mark, 1)
    text = "".join(lines)
    if record_id:
        own = f"snapshot-id: {memory.record_id}"
        text = text.replace(own, f"snapshot-id: {record_id}", 1)
    when = found.timestamp.replace(tzinfo=None) if found.timestamp else None
    return led(text, when, terminated=found.terminated)


def _topic_as_it_is(memory: Remembered, lapsed: Mapping[str, DecisionText]) -> str:
    """Return a topic's file with rejections marked and superseded decisions removed."""
    document = topic_context.parse(memory.source)
    for item in reversed(document.decisions):
        one = lapsed.get(normalise(parse_decision(item.text).text))
        if one and one.lapsed == "rejected":
            rejection = DecisionText(None, one.text, rejected=True)
            document = document.with_item(item.lines, render_decision(rejection))
        elif one:
            document = document.without_item(item.lines)
    return document.text


def _as_topic(memory: Remembered, frame: Frame) -> str:
    day = _stated_day(memory, frame)
    meta = {
        **dict(memory.meta),
        "session": memory.session,
        "updated": day.isoformat() if day else "",
    }
    return topic_context.render_topic(
        folded(frame.topic or memory.topic or _UNNAMED),
        {key: folded(value) for key, value in meta.items() if folded(value)},
        plain_status(memory.goal.strip()),
        decision_lines(memory),
        _lines(memory.history),
    )


def decision_lines(memory: Remembered) -> list[str]:
    """Return the decisions as lines of a topic; lapsed ones never look valid.

    A superseded one is left out, unless the superseding line is included too.
    """
    said = outcomes(memory.decisions)
    found = []
    for one in memory.decisions:
        if not one.lapsed or normalise(one.text) in said:
            found.append(folded(render_decision(one)))
        elif one.lapsed == "rejected":
            rejection = DecisionText(None, one.text, rejected=True)
            found.append(folded(render_decision(rejection)))
    return found


def _as_snapshot(memory: Remembered, frame: Frame) -> str:
    at = time_of(memory, frame)
    record_id = frame.record_id or _own_id(memory, task_snapshot.NAME)
    header = SnapshotHeader(
        at or frame.at.replace(tzinfo=None),
        record_id or next_snapshot_id(day_of(memory, frame), ()),
        agent=folded(memory.agent),
        topic=folded(frame.topic or memory.topic),
        timed=at is not None,
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
    return render_block(header, {**bodies_of(draft), STATE: _state(draft), **held})


def _state(draft: SnapshotDraft) -> str:
    """Return the known lines of a state."""
    known = (draft.phase, draft.branch, draft.blocked, draft.progress)
    lines = bodies_of(draft)[STATE].split("\n")
    return "\n".join(line for line, said in zip(lines, known, strict=True) if said)


def day_of(memory: Remembered, frame: Frame) -> datetime.date:
    """Return the day for a new record's id: the record's own, else today."""
    return _stated_day(memory, frame) or frame.at.date()


def _stated_day(memory: Remembered, frame: Frame) -> datetime.date | None:
    at = time_of(memory, frame)
    return at.date() if at else parse_date(memory.time[:10])


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
    return render_task_line(pointer_line(memory, frame)) + "\n"


def pointer_line(memory: Remembered, frame: Frame) -> PointerLine:
    """Return the line of an index that points to a record's file.

    Raises `FormatError` ``place-missing`` where none is known.
    """
    place = folded(frame.place or memory.place)
    if not place:
        raise FormatError("place-missing")
    first = memory.goal.strip().partition("\n")[0] or memory.topic
    decided = next((one.text for one in memory.decisions if one.stands), "")
    return PointerLine(first or decided or _UNNAMED, place, memory.phase or None)


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
    """Return valid decisions with reasons; lapsed ones would read as valid."""
    held = (decision for decision in decisions if decision.stands)
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
    DECISION: lambda memory, frame: "\n".join(decision_lines(memory)),
}
