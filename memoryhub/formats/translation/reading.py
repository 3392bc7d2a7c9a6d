"""One value for topics, snapshots, session memories, pointers and handoffs.

Parses a record of any translatable dialect into `Remembered`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import PurePosixPath

from memoryhub.formats.base import FormatError
from memoryhub.formats.big_memory import task_snapshot
from memoryhub.formats.ccw import session_compact
from memoryhub.formats.hub import handoff
from memoryhub.formats.optimizer import memory_index
from memoryhub.formats.optimizer.decision_log import (
    DecisionText,
    parse_decision,
    render_decision,
    settled,
)
from memoryhub.formats.optimizer.memory_index import IN_PROGRESS
from memoryhub.formats.snap_memory import topic_context
from memoryhub.formats.text.list_items import Item, Labelled, list_items

Pairs = tuple[tuple[str, str], ...]
#: A field and one of its values.
Facet = tuple[str, str]

#: A path no other dialect lays claim to, for texts that have none.
_ANYWHERE = PurePosixPath("note.md")
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
    if session_compact.matches(_ANYWHERE, text):
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
