"""Records as files of an agent's form; records that share a file follow one another."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from memoryhub.dialects import (
    memory_index,
    session_compact,
    task_snapshot,
    topic_context,
)
from memoryhub.dialects.memory_index import (
    render_index,
)
from memoryhub.dialects.session_compact.session_memory import (
    MemoryRecord,
    memory_id_for,
    render_memory_file,
)
from memoryhub.dialects.task_snapshot import append_block
from memoryhub.dialects.topic_context import (
    DECISIONS,
    HISTORY,
    count_of,
)
from memoryhub.dialects.translation import (
    Frame,
    Lost,
    decision_lines,
    lost_in,
    pointer_line,
    time_of,
)
from memoryhub.exports.record_texts import (
    SnapshotIds,
    SourceRecord,
    memory_for,
    translation_of,
)
from memoryhub.formats.base import FormatError
from memoryhub.values import tokens

#: The dialect that records are translated to, by the name of the form.
DIALECTS = {
    "snapshots": task_snapshot.NAME,
    "topic": topic_context.NAME,
    "session": session_compact.NAME,
    "pointers": memory_index.NAME,
}
#: The topic file of records without a topic; no list is cut there.
_UNNAMED, _NO_LIMIT = "handover", 10_000


@dataclass(frozen=True, slots=True)
class Text:
    """A file to write: its path in a workspace, and its text."""

    path: str
    text: str

    @property
    def tokens(self) -> int:
        return tokens.shown(self.text)


@dataclass(frozen=True, slots=True)
class Left:
    """A loss: its record, the reason, and the lost parts.

    `unknown` are parts the form requires and the record lacks.
    """

    kind: str
    name: str
    why: str
    lost: tuple[Lost, ...] = ()
    unknown: tuple[str, ...] = ()


class Draft:
    """The files and losses collected while a form is written."""

    def __init__(self, now: datetime) -> None:
        """`now`: in the workspace's zone."""
        self.now = now.replace(tzinfo=None)
        self.frame = Frame(self.now, zone=now.tzinfo)
        self.texts: list[Text] = []
        self.left: list[Left] = []
        self.ids = SnapshotIds(())

    def translated(self, source: SourceRecord, to: str) -> str:
        """Return a record in a form; "" if refused. Losses are added to the draft."""
        try:
            made = translation_of(source, to, self.frame, self.ids)
        except FormatError as error:
            self.left.append(Left(source.kind, source.name, error.code))
            return ""
        self.lose(source, made.lost, made.unknown)
        return made.text

    def lose(
        self,
        source: SourceRecord,
        lost: tuple[Lost, ...],
        unknown: tuple[str, ...] = (),
    ) -> None:
        if lost or unknown:
            left = Left(source.kind, source.name, "no-place", lost, unknown)
            self.left.append(left)


def _as_snapshots(draft: Draft, sources: Sequence[SourceRecord]) -> None:
    """Write one log of today with a BIG-MEMORY-SNAPSHOT block for each record."""
    day = draft.now.date().isoformat()
    text, done = f"# {day}\n", set[str]()
    for one in sources:
        if one.kind == "snapshot" and one.memory.source in done:
            continue
        if block := draft.translated(one, task_snapshot.NAME):
            text = append_block(text, block)
            done.add((one.task or one).memory.source)
    if done:
        draft.texts.append(Text(f"memory/{day}.md", text))


def _as_topics(draft: Draft, sources: Sequence[SourceRecord]) -> None:
    """Write a topic file for each topic; records without one share a file."""
    groups: dict[str, list[SourceRecord]] = {}
    for one in sources:
        groups.setdefault(one.topic or _UNNAMED, []).append(one)
    for name, members in groups.items():
        path = f"memory/{topic_context.file_name(name.replace('/', '-'))}"
        if text := _topic_text(draft, members):
            draft.texts.append(Text(path, text))


def _topic_text(draft: Draft, members: Sequence[SourceRecord]) -> str:
    """Return the first record as a topic, with the lists of the others added."""
    to = topic_context.NAME
    text = ""
    for one in members:
        if not text:
            text = draft.translated(one, to)
            continue
        try:
            new = text
            if one.memory.goal and not topic_context.status_of(new):
                new = topic_context.with_status(new, one.memory.goal)
            lists = {DECISIONS: decision_lines(one.memory), HISTORY: one.memory.history}
            for section, lines in lists.items():
                for line in lines:
                    if line and not count_of(new, section, line):
                        new = topic_context.with_entry(new, section, line, _NO_LIMIT)
            text = new
        except FormatError as error:
            draft.left.append(Left(one.kind, one.name, error.code))
            continue
        draft.lose(one, lost_in(text, to, memory_for(one, to, draft.frame)))
    return text


def _as_sessions(draft: Draft, sources: Sequence[SourceRecord]) -> None:
    """Write a session memory for each record, with the text as ccw writes it."""
    taken = {one.memory.record_id for one in sources if one.kind == "memory"}
    for one in sources:
        if found := draft.translated(one, session_compact.NAME):
            memory_id = one.memory.record_id if one.kind == "memory" else ""
            if not memory_id:
                at = time_of(one.memory, draft.frame) or draft.now
                memory_id = memory_id_for(at, taken)
                taken.add(memory_id)
            record = MemoryRecord(memory_id, found, summary=one.name)
            path = f"memory/sessions/{memory_id}.md"
            draft.texts.append(Text(path, render_memory_file(record)))


def _as_pointers(draft: Draft, sources: Sequence[SourceRecord]) -> None:
    """Write a MEMORY.md that points to the files of the records."""
    to = memory_index.NAME
    made = [one for one in sources if draft.translated(one, to)]
    frame = draft.frame
    lines = [
        pointer_line(memory_for(one, to, frame), replace(frame, place=one.path))
        for one in made
    ]
    if not lines:
        return
    text = render_index(draft.now, tasks=lines)
    for one in made:
        if one.path not in text:
            draft.left.append(Left(one.kind, one.name, "over-budget"))
    draft.texts.append(Text("MEMORY.md", text))


#: The writer of each form.
WRITERS: Mapping[str, Callable[[Draft, Sequence[SourceRecord]], None]] = {
    "topic": _as_topics,
    "snapshots": _as_snapshots,
    "session": _as_sessions,
    "pointers": _as_pointers,
}
