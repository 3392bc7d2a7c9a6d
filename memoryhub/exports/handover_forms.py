"""Materials as files of the form that an agent reads, by each form's own renderer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from memoryhub.exports.handover_material import Material
from memoryhub.formats.base import FormatError
from memoryhub.formats.big_memory.snapshot_draft import (
    SnapshotDraft,
    SnapshotHeader,
    append_block,
    next_snapshot_id,
    render_block,
    render_snapshot,
)
from memoryhub.formats.ccw.session_analysis import SessionAnalysis, render_session
from memoryhub.formats.ccw.session_memory import (
    MemoryRecord,
    memory_id_for,
    render_memory_file,
)
from memoryhub.formats.optimizer.decision_text import render_decision
from memoryhub.formats.optimizer.memory_index_rendering import (
    IndexContents,
    PointerLine,
    render_index,
)
from memoryhub.formats.snap_memory import topic_context
from memoryhub.formats.snap_memory.topic_lists import (
    DECISIONS,
    HISTORY,
    added,
    count_of,
)

#: What each form has a place for, by the names of a material's values.
CARRIED = {
    "snapshots": frozenset(
        {"goal", "status", "phase", "branch", "blocked_by", "progress", "files"}
        | {"decisions", "code", "key_names", "blockers", "next_steps"}
    ),
    "topic": frozenset({"status", "goal", "phase", "progress", "decisions", "history"}),
    "session": frozenset(
        {"session_id", "project_root", "goal", "status", "plan", "files", "decisions"}
        | {"reference_files", "last_action", "constraints", "dependencies", "blockers"}
        | {"history", "next_steps", "notes", "code"}
    ),
    "pointers": frozenset({"goal", "status"}),
}
#: Files of a topic that is handed over without one of its own.
_UNNAMED = "handover"
_NO_LIMIT = 10_000


@dataclass(frozen=True, slots=True)
class Text:
    """A file to be: its path in a workspace, and its text."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Left:
    """What could not be carried: of which thing, why, and which of its values."""

    kind: str
    name: str
    why: str
    values: tuple[str, ...] = ()


@dataclass(slots=True)
class Draft:
    """Files and what was left out, as a form is written."""

    now: datetime
    texts: list[Text]
    left: list[Left]

    def lose(self, material: Material, why: str, values: Iterable[str] = ()) -> None:
        self.left.append(Left(material.kind, material.name, why, tuple(values)))

    def lose_values(self, material: Material, form: str) -> None:
        if lost := material.lost(CARRIED[form]):
            self.lose(material, "no-place", lost)


def as_snapshots(held: Sequence[Material], draft: Draft) -> None:
    """Write one log of today with a BIG-MEMORY-SNAPSHOT block for each thing."""
    day = draft.now.date()
    text = f"# {day.isoformat()}\n"
    ids = [m.snapshot_id for m in held if m.snapshot_id]
    blocks = 0
    for material in held:
        try:
            if material.bodies:
                block = render_block(
                    _header(material, material.snapshot_id), material.bodies
                )
            else:
                snapshot_id = next_snapshot_id(day, ids)
                ids.append(snapshot_id)
                block = render_snapshot(_snapshot(material, snapshot_id, draft.now))
                draft.lose_values(material, "snapshots")
        except FormatError as error:
            draft.lose(material, error.code)
            continue
        text = append_block(text, block)
        blocks += 1
    if blocks:
        draft.texts.append(Text(f"memory/{day.isoformat()}.md", text))


def _header(material: Material, snapshot_id: str) -> SnapshotHeader:
    return SnapshotHeader(material.at, snapshot_id, material.agent, material.topic)


def _snapshot(material: Material, snapshot_id: str, now: datetime) -> SnapshotDraft:
    header = SnapshotHeader(now, snapshot_id, material.agent, material.topic)
    return SnapshotDraft(
        header,
        goal=material.goal or material.status or material.name,
        files=material.files,
        decisions=tuple((d.text, d.reason) for d in material.decisions),
        blockers=material.blockers,
        next_steps=material.next_steps,
    )


def as_topics(held: Sequence[Material], draft: Draft) -> None:
    """Write a topic file for each topic; what has none shares one."""
    groups: dict[str, list[Material]] = {}
    for material in held:
        groups.setdefault(material.topic or _UNNAMED, []).append(material)
    for name, members in groups.items():
        draft.texts.append(Text(_topic_path(name), _topic_text(name, members, draft)))


def _topic_path(name: str) -> str:
    return f"memory/{topic_context.file_name(name.replace('/', '-'))}"


def _topic_text(name: str, members: list[Material], draft: Draft) -> str:
    own = next((m for m in members if m.kind == "topic"), None)
    if own is not None and own.exact:
        document = topic_context.parse(own.exact)
    else:
        meta = {"created": draft.now.date().isoformat()}
        document = topic_context.parse(
            topic_context.render_topic(name, meta, "", [], [])
        )
    has_status = bool(document.stated_status)
    for material in members:
        if material is own and own.exact:
            continue
        status = "" if has_status else _status(material)
        try:
            if status:
                document = document.with_status(status)
                has_status = True
            document = _with_lists(document, material)
        except FormatError as error:
            draft.lose(material, error.code)
            continue
        carried = CARRIED["topic"]
        if not status:
            carried -= {"status", "goal", "phase", "progress"}
        if lost := material.lost(carried):
            draft.lose(material, "no-place", lost)
    return document.render()


def _status(material: Material) -> str:
    state = [material.phase, material.progress]
    lines = [
        material.status or material.goal,
        ", ".join(part for part in state if part),
    ]
    return "\n".join(line for line in lines if line)


def _with_lists(
    document: topic_context.TopicContext, material: Material
) -> topic_context.TopicContext:
    for decision in material.decisions:
        line = render_decision(decision)
        if not count_of(document, DECISIONS, line):
            document = added(document, DECISIONS, line, _NO_LIMIT)
    for line in material.history:
        if line and not count_of(document, HISTORY, line):
            document = added(document, HISTORY, line, _NO_LIMIT)
    return document


def as_sessions(held: Sequence[Material], draft: Draft) -> None:
    """Write a session memory for each thing, with the text as ccw writes it."""
    taken = {m.memory_id for m in held if m.memory_id}
    for material in held:
        memory_id = material.memory_id
        if not memory_id:
            memory_id = memory_id_for(material.at, taken)
            taken.add(memory_id)
        content = material.exact if material.kind == "memory" else ""
        if not content:
            content = render_session(_analysis(material))
            draft.lose_values(material, "session")
        record = MemoryRecord(memory_id, content, summary=material.name)
        path = f"memory/sessions/{memory_id}.md"
        draft.texts.append(Text(path, render_memory_file(record)))


def _analysis(material: Material) -> SessionAnalysis:
    objective = material.goal or material.status or material.name
    return SessionAnalysis(
        session_id=material.session_id,
        project_root=material.project_root,
        objective=objective,
        plan_source=material.plan_source or "inferred",
        plan=material.plan,
        working_files=material.files,
        reference_files=material.reference_files,
        last_action=material.last_action,
        decisions=tuple((d.text, d.reason) for d in material.decisions),
        constraints=material.constraints,
        dependencies=material.dependencies,
        known_issues=material.blockers,
        changes_made=material.history,
        pending=material.next_steps,
        notes=material.notes or material.code,
    )


def as_pointers(held: Sequence[Material], draft: Draft, project: str) -> None:
    """Write a MEMORY.md that points to the files of the things."""
    tasks: list[PointerLine] = []
    files: list[PointerLine] = []
    for material in held:
        if not material.path:
            draft.lose(material, "no-file")
            continue
        words = material.goal or material.status or material.name
        line = PointerLine(words.strip().partition("\n")[0], material.path)
        (tasks if material.kind == "topic" else files).append(line)
    if not (tasks or files):
        return
    first = (tasks or files)[0].target
    contents = IndexContents([PointerLine(project, first)], tasks, (), files)
    text = render_index(contents, draft.now)
    for material in held:
        if material.path and material.path not in text:
            draft.lose(material, "over-budget")
    draft.texts.append(Text("MEMORY.md", text))
