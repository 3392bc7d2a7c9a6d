"""A record of one dialect in the form of another, with the losses of the translation.

A topic, snapshot, session memory, pointer or handoff is read as one value,
`Remembered`, and written in the canonical form of another dialect.

Losses are not declared but found: the new text is parsed again, and all values
missing from it are named.
"""

from __future__ import annotations

import datetime
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from itertools import islice
from pathlib import PurePosixPath

from memoryhub.dialects import (
    handoff,
    memory_index,
    session_compact,
    task_snapshot,
    topic_context,
)
from memoryhub.dialects.decision_log import (
    DecisionText,
    normalise,
    outcomes,
    parse_decision,
    render_decision,
    settled,
)
from memoryhub.dialects.handoff import MAX_CONTEXT, Task
from memoryhub.dialects.memory_index import (
    IN_PROGRESS,
    PointerLine,
    render_task_line,
)
from memoryhub.dialects.session_compact import (
    NONE,
    TITLES,
    SessionAnalysis,
    render_session,
)
from memoryhub.dialects.task_snapshot import (
    STATE,
    SnapshotDraft,
    bodies_of,
    led,
    next_snapshot_id,
    render_block,
)
from memoryhub.dialects.topic_context import plain_status
from memoryhub.formats.base import NO_PATH, FormatError
from memoryhub.formats.text.dates import parse_date, parse_timestamp
from memoryhub.formats.text.line_edits import folded
from memoryhub.formats.text.list_items import Item, Labelled, list_items
from memoryhub.formats.text.source import split_lines, split_sections

Pairs = tuple[tuple[str, str], ...]
#: A field and one of its values.
Facet = tuple[str, str]

_STATUS = " | Status: "


@dataclass(frozen=True, slots=True)
class Remembered:
    """The content of one record, in any dialect; missing values are empty.

    `source` is its text, `record_id` its own id in its own dialect. `blocked` is the
    reason, or ``yes`` where none is given. Pairs are (path, purpose), (kind, value),
    (key, value) and (title, text).
    """

    dialect: str
    source: str = ""
    record_id: str = ""
    topic: str = ""
    goal: str = ""
    agent: str = ""
    recipient: str = ""
    type: str = ""
    session: str = ""
    project_root: str = ""
    time: str = ""
    place: str = ""
    phase: str = ""
    branch: str = ""
    blocked: str = ""
    progress: str = ""
    last_action: str = ""
    plan_source: str = ""
    plan: str = ""
    code: str = ""
    notes: str = ""
    trigger: str = ""
    decisions: tuple[DecisionText, ...] = ()
    history: tuple[str, ...] = ()
    blockers: tuple[str, ...] = ()
    next_steps: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    dependencies: tuple[str, ...] = ()
    files: Pairs = ()
    reference_files: Pairs = ()
    key_names: Pairs = ()
    meta: Pairs = ()
    other: Pairs = ()

    def facets(self) -> Iterator[Facet]:
        """Yield every single value, each with the name of its field."""
        for each in fields(self):
            if each.name in _FRAME:
                continue
            held = getattr(self, each.name)
            if isinstance(held, str):
                yield from [(each.name, held)] if held.strip() else []
                continue
            for item in held:
                if isinstance(item, DecisionText):
                    yield from _decision_facets(item)
                elif isinstance(item, str):
                    yield each.name, item
                else:
                    first, second = item
                    yield each.name, first or second
                    if first and second:
                        yield f"{each.name}, what of it", f"{first}: {second}"


#: Fields on the origin of a record rather than its content.
_FRAME = frozenset({"dialect", "source", "record_id"})


def _decision_facets(decision: DecisionText) -> Iterator[Facet]:
    # Forms differ in what of a line they take for its reason: as one line it is cut
    # in the same way for all.
    line = parse_decision(render_decision(decision))
    decision = replace(line, lapsed=decision.lapsed)
    state = "rejected" if decision.rejected else decision.lapsed
    mark = f"{state.capitalize()}: " if state else ""
    text = f"{mark}{decision.text}"
    yield "decisions", text
    for name in ("date", "reason", "supersedes", "signed_off_by", "signed_off_on"):
        if said := getattr(decision, name):
            yield f"decisions, {name.replace('_', ' ')}", f"{text}: {said}"


def dialect_of(text: str) -> str:
    """Return the dialect of a text without a path.

    Raises `FormatError` ``dialect-unknown`` for one that cannot be translated.
    """
    if task_snapshot.find_snapshots(text):
        return task_snapshot.NAME
    if session_compact.matches(NO_PATH, text):
        return session_compact.NAME
    if topic_context.matches(PurePosixPath("context-x.md"), text) and text.strip():
        return topic_context.NAME
    if handoff.find_tasks(text):
        return handoff.NAME
    if memory_index.parse(text).pointers:
        return memory_index.NAME
    raise FormatError("dialect-unknown")


def remembered(text: str, dialect: str = "") -> Remembered:
    """Return a text's record; of several snapshots the newest, else the first record.

    Raises `FormatError`: ``dialect-unknown``, or ``record-missing`` for a text without
    a record of its dialect.
    """
    found = _READERS[dialect or dialect_of(text)](text)
    return replace(found, decisions=settled(found.decisions))


def _of_topic(text: str) -> Remembered:
    document = topic_context.parse(text)
    meta = {entry.key: entry.value for entry in document.meta}
    return Remembered(
        topic_context.NAME,
        text,
        topic=document.title,
        goal=document.stated_status,
        session=meta.pop("session", ""),
        time=meta.pop("updated", ""),
        decisions=tuple(parse_decision(item.text) for item in document.decisions),
        history=_texts(document.history),
        meta=tuple(meta.items()),
    )


def _of_snapshot(text: str) -> Remembered:
    found = task_snapshot.newest(task_snapshot.find_snapshots(text))
    if found is None:
        raise FormatError("record-missing", dialect=task_snapshot.NAME)
    other = [part for part in found.sections if not part.known and part.value]
    return Remembered(
        task_snapshot.NAME,
        found.block,
        found.snapshot_id,
        topic=found.topic,
        goal=found.goal,
        agent=found.agent,
        time=found.timestamp.isoformat() if found.timestamp else "",
        phase=found.phase,
        branch=found.branch,
        blocked=(found.blocked_by or "yes") if found.blocked else "",
        progress=found.progress,
        code=found.code,
        trigger=found.trigger,
        decisions=tuple(
            _decision(choice.text, choice.reason) for choice in found.decisions
        ),
        blockers=tuple(map(_point, found.blockers)),
        next_steps=_texts(found.next_steps),
        files=tuple((file.path, file.purpose) for file in found.files),
        key_names=tuple((name.kind, name.text) for name in found.key_names),
        other=tuple((part.title, part.value) for part in other),
    )


def _point(point: Labelled) -> str:
    return f"{point.kind.capitalize()}: {point.text}" if point.kind else point.text


def _of_session(text: str) -> Remembered:
    document = session_compact.parse(text)
    said = document.analysis
    preamble = document.preamble.strip()
    return Remembered(
        session_compact.NAME,
        document.content,
        document.memory_id,
        goal=said.objective,
        session=said.session_id,
        project_root=said.project_root,
        time=document.created.isoformat() if document.created else "",
        last_action=said.last_action,
        plan_source=said.plan_source,
        plan=said.plan,
        notes=said.notes,
        decisions=tuple(_decision(*pair) for pair in said.decisions),
        history=said.changes_made,
        blockers=said.known_issues,
        next_steps=said.pending,
        constraints=said.constraints,
        dependencies=said.dependencies,
        files=said.working_files,
        reference_files=said.reference_files,
        other=(("preamble", preamble),) if preamble else (),
    )


def _decision(text: str, reason: str) -> DecisionText:
    return DecisionText(None, text, reason)


def _of_pointer(text: str) -> Remembered:
    document = memory_index.parse(text)
    if not document.pointers:
        raise FormatError("record-missing", dialect=memory_index.NAME)
    pointer = document.pointers[0]
    goal, _, phase = pointer.text.partition(_STATUS)
    line = text.split("\n")[pointer.lines.first - 1]
    return Remembered(
        memory_index.NAME,
        line,
        goal=goal,
        phase="" if phase == IN_PROGRESS else phase,
        place=pointer.target + pointer.anchor,
    )


def _of_handoff(text: str) -> Remembered:
    document = handoff.parse(text)
    if not document.tasks:
        raise FormatError("record-missing", dialect=handoff.NAME)
    task = document.tasks[0]
    lines = text.split("\n")[task.lines.first - 1 : task.lines.last]
    return Remembered(
        handoff.NAME,
        "\n".join(lines),
        task.task_id,
        topic=document.topic,
        goal=task.input,
        agent=task.sender,
        recipient=task.recipient,
        type=task.type,
        last_action=task.context,
        next_steps=_listed(task.expected_output),
        constraints=_listed(task.constraints),
        other=tuple(("", part) for part in _progress(document, task.task_id)),
    )


def _progress(document: handoff.HandoffDocument, task_id: str) -> Iterator[str]:
    """Yield the deadline, log and results of a handoff's file."""
    if document.fields.due:
        yield f"due: {document.fields.due}"
    yield from map(handoff.render_log_line, document.log)
    for result in document.results:
        if result.task_id == task_id:
            parts = (result.output, result.side_effects, result.memory_update)
            yield ": ".join((result.status, *filter(None, parts)))


def _listed(text: str) -> tuple[str, ...]:
    """Return the items of a list; without a list, each line of the text."""
    found = _texts(list_items(text, 1))
    return found or tuple(line.strip() for line in text.split("\n") if line.strip())


def _texts(items: Iterable[Item]) -> tuple[str, ...]:
    return tuple(item.text for item in items)


_READERS: Mapping[str, Callable[[str], Remembered]] = {
    topic_context.NAME: _of_topic,
    task_snapshot.NAME: _of_snapshot,
    session_compact.NAME: _of_session,
    memory_index.NAME: _of_pointer,
    handoff.NAME: _of_handoff,
}

#: The dialects that can be read and written.
DIALECTS = tuple(_READERS)


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
    text = memory.source
    for item in reversed(topic_context.items_of(text, topic_context.DECISIONS)):
        one = lapsed.get(normalise(parse_decision(item.text).text))
        if one and one.lapsed == "rejected":
            rejection = DecisionText(None, one.text, rejected=True)
            text = topic_context.with_item(text, item.lines, render_decision(rejection))
        elif one:
            text = topic_context.without_item(text, item.lines)
    return text


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
    draft = SnapshotDraft(
        at or frame.at.replace(tzinfo=None),
        record_id or next_snapshot_id(day_of(memory, frame), ()),
        agent=folded(memory.agent),
        topic=folded(frame.topic or memory.topic),
        timed=at is not None,
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
    return render_block(draft, {**bodies_of(draft), STATE: _state(draft), **held})


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


#: Limits of a source's lines compared with its values, and of a line's length.
_LINES, _LINE = 500, 2_000
_MARK = re.compile(r"[ \t]*(?:[-*+]|[0-9]{1,9}[.)])?[ \t]*")


@dataclass(frozen=True, slots=True)
class Lost:
    """A field of a record and its lost value; `text` is for lines of no field."""

    field: str
    text: str


@dataclass(frozen=True, slots=True)
class Translation:
    """A record in another dialect, and the values that do not fit into it."""

    text: str
    lost: tuple[Lost, ...]
    #: Required parts missing from the record: they hold the form's word for none.
    unknown: tuple[str, ...] = ()


def translate(memory: Remembered, dialect: str, frame: Frame) -> Translation:
    """Return a record in another dialect; in its own dialect unchanged.

    Raises `FormatError` as the dialect's renderer does, for values that would break it.
    """
    if text := as_it_is(memory, dialect, frame):
        return Translation(text, lost_in(text, dialect, memory))
    text = written(memory, dialect, frame)
    lost = (*lost_in(text, dialect, memory), *_unread(memory, frame))
    unknown = [*_unknown(text, dialect)]
    if dialect == handoff.NAME and not (frame.type or memory.type):
        unknown.append("type")
    return Translation(text, lost, tuple(unknown))


def lost_in(text: str, dialect: str, memory: Remembered) -> tuple[Lost, ...]:
    """Return all values of a record that are missing from a text of some dialect."""
    return tuple(_missing(memory.facets(), _kept(text, dialect)))


def _unknown(text: str, dialect: str) -> Iterator[str]:
    """Yield the sections of a new text that only hold their form's word for none."""
    if dialect == task_snapshot.NAME:
        (found,) = task_snapshot.find_snapshots(text)[:1]
        yield from (part.title for part in found.sections if not part.value)
    elif dialect == handoff.NAME:
        for task in handoff.find_tasks(text):
            names = ("sender", "recipient", "context", "input")
            yield from (name for name in names if not getattr(task, name))
    elif dialect == session_compact.NAME:
        for section in split_sections(text):
            if section.title in TITLES and section.body.strip() in ("", NONE):
                yield section.title


def _kept(text: str, dialect: str) -> Counter[Facet]:
    """Return the values of a text; empty where its own dialect does not parse it."""
    try:
        return Counter(map(_comparable, remembered(text, dialect).facets()))
    except FormatError:
        return Counter()


def _missing(said: Iterable[Facet], kept: Counter[Facet]) -> Iterator[Lost]:
    for facet in said:
        key = _comparable(facet)
        if kept[key]:
            kept[key] -= 1
        else:
            yield Lost(*facet)


def _comparable(facet: Facet) -> Facet:
    """Return a facet without differences that are blanks alone."""
    return facet[0], " ".join(facet[1].split())


def _unread(memory: Remembered, frame: Frame) -> Iterator[Lost]:
    """Yield the source's lines that would be lost in its own dialect, too.

    They are prose between list items, headings of their own, and the like.
    """
    said = [text for _, text in memory.facets()]
    said += [render_decision(one) for one in memory.decisions]
    anew = "\n".join([written(memory, memory.dialect, frame), *said])
    known = {"", *map(_bare, anew.split("\n"))}
    whole = _bare(anew)
    lines = map(str.strip, memory.source.split("\n"))
    asked = (line for line in lines if _bare(line) not in known)
    for line in islice(asked, _LINES):
        if not line.startswith("<!--") and _bare(line) not in whole:
            yield Lost("text", line[:_LINE])


def _bare(text: str) -> str:
    """Return the letters and digits of a text, without the marks of lists."""
    rest = _MARK.sub("", text, count=1)
    return "".join(char for char in rest.casefold() if char.isalnum())
