"""Importer of what agents wrote about their work, one revision at a time.

Entries, snapshots with their sections, session memories and compactions are rows of
the facts that a file's dialect says; the decisions in them are returned.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from hashlib import sha256

from memoryhub.dialects.decision_log import chosen
from memoryhub.dialects.facts import Compaction as Compacted
from memoryhub.dialects.facts import Entry, Memory, TaskSnapshot, Time, whole_lines
from memoryhub.events.importers import add_event
from memoryhub.formats.text.alignment import key_of
from memoryhub.formats.text.dates import heading_time
from memoryhub.journal.changes import Change
from memoryhub.journal.importing import Importer, Session
from memoryhub.journal.lifetimes import (
    Fact,
    Matched,
    fold_going_on,
    fold_keyed,
)
from memoryhub.journal.rows import Row
from snapshots.importers.provenance import Provenance, add_row_event
from snapshots.importers.statements import take_statements
from snapshots.models import (
    Compaction,
    LogEntry,
    SessionMemory,
    Snapshot,
    SnapshotSection,
)
from topics.importers.bindings import BindingImporter
from topics.importers.decisions import DecisionImporter, Mention
from topics.importers.topics import TopicImporter
from topics.models import Topic

_TITLE_SIZE, _EXCERPT_SIZE = 300, 240
#: Columns that are values of a fact, with the most characters of each.
_OF_SNAPSHOT = {
    "snapshot_id": 60,
    "goal": None,
    "phase": 60,
    "branch": 200,
    "blocked": None,
    "blocked_by": None,
    "progress": None,
    "percent": None,
    "terminated": None,
}
_OF_MEMORY = {
    "memory_id": 60,
    "session_ref": 200,
    "project_root": None,
    "objective": None,
    "plan_source": 100,
    "last_action": None,
    "pending": None,
    "summary": None,
    "tags": None,
    "archived": None,
}
#: A snapshot by its id and text: the text alone has no index.
_Name = tuple[str, int]
#: Stands for a file's id if no file contains the memory any more.
_CLOSED = 0
#: Databases take only so many values in one statement.
_AT_ONCE = 400


class SnapshotImporter(Importer):
    """Turns revisions into snapshots, session memories, log entries and compactions."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._originals = _Originals(empty=session.empty)
        self._memories = _Memories(empty=session.empty)

    def take(self, change: Change) -> None:
        """Import a revision, and note the decisions found on the way."""
        session, topic_id = self._session, change.topic_id
        bindings = session.of(BindingImporter)
        provenance = Provenance(change, session.agents, bindings)
        _take_entries(change, provenance, topic_id)
        facts = change.said
        snapshots, memory = facts.snapshots, facts.memory
        said = []
        for one in snapshots:
            time = Time(one.timestamp, clock=heading_time(one.clock or ""))
            named = change.row_id(Topic, one.topic) if one.topic else None
            owners = provenance.owners(facts.sessions, agent=one.agent, topic_id=named)
            said.append(provenance.when(time, past=True) | owners)
        if memory:
            said.append(provenance.when(memory.time, past=True) | provenance.owners())
        found: Sequence[TaskSnapshot | Memory] = (
            (*snapshots, memory) if memory else snapshots
        )
        blocks = [*zip(found, said, strict=True)]
        items = ((item, row) for block, row in blocks for item in block.open_items)
        mentions = take_statements(change, provenance, topic_id, items)
        mentions += [
            Mention(
                chosen(choice.text, choice.reason),
                choice.lines,
                row["topic_id"],
                row["agent_id"],
                row["occurred_at"],
                row["precision"],
            )
            for block, row in blocks
            for choice in block.decisions
        ]
        if snapshots or not change.fresh:
            self._take_snapshots(change, snapshots, said)
        if memory or not change.fresh:
            self._memories.take(change, memory, said[-1:])
        if change.renamed:
            old, new = change.renamed
            Compaction.objects.filter(topic_id=old).update(topic_id=new)
        session.of(DecisionImporter).mention(mentions)
        history = session.of(TopicImporter).history
        added = {line.fact.lines: line for line in history if line.verb == "added"}
        for compacted in facts.compactions if added else ():
            if line := added.get(compacted.lines):
                _add_compaction(change, line, compacted, provenance)

    def _take_snapshots(
        self, change: Change, blocks: Sequence[TaskSnapshot], said: Sequence[Row]
    ) -> None:
        """Import the snapshots of a revision; mark copies of others."""
        facts, used = [], Counter[tuple[object, ...]]()
        first: dict[_Name, int] = {}
        names = [(one.snapshot_id[:60], key_of(one.block, "").text) for one in blocks]
        self._originals.look_up(change, names)
        for block, row, name in zip(blocks, said, names, strict=False):
            at = block.snapshot_id, block.timestamp
            used[at] += 1
            row_id = change.row_id(Snapshot, change.origin, *at, used[at])
            original = self._originals.rows.get(name) or first.get(name, row_id)
            first.setdefault(name, original)
            steps = block.next_steps
            values = {
                **_values(block, _OF_SNAPSHOT),
                "next_step": steps[0].text if steps else "",
                "copy_of_id": None if original == row_id else original,
                **row,
            }
            facts.append((row_id, Fact(key_of(block.block, ""), block.lines, values)))
        folded = fold_keyed(Snapshot, change, facts).matched
        for block, matched in zip(blocks, folded, strict=True):
            if matched.verb != "kept":
                _add_sections(change, block, matched)
                values = matched.fact.values
                data = {"id": values["snapshot_id"]}
                data |= {name: values[name] for name in ("phase", "percent", "blocked")}
                title = values["goal"] or values["snapshot_id"]
                add_row_event(change, matched, "snapshot", title, data=data)
        self._originals.note(change, names, folded)


def _values(fact: TaskSnapshot | Memory, sizes: Mapping[str, int | None]) -> Row:
    """Return the columns that are values of a fact, cut to their sizes."""
    said = {name: getattr(fact, name) for name in sizes}
    return {
        name: said[name][:size] if size else said[name] for name, size in sizes.items()
    }


def _add_sections(change: Change, block: TaskSnapshot, matched: Matched) -> None:
    if not change.fresh:
        SnapshotSection.objects.filter(snapshot_id=matched.row_id).delete()
    for position, section in enumerate(block.sections):
        change.rows.insert(
            SnapshotSection,
            id=change.row_id(SnapshotSection, matched.row_id, position),
            workspace_id=change.workspace.id,
            snapshot_id=matched.row_id,
            position=position,
            title=section.title[:200],
            known=section.known,
            body=section.body,
            body_sha=sha256(section.body.strip().encode()).hexdigest()[:16],
            first_line=section.lines.first,
            last_line=section.lines.last,
        )


def _take_entries(change: Change, provenance: Provenance, topic_id: int | None) -> None:
    """Import the entries of a revision; `topic_id` is the topic that its file is."""
    facts = change.said

    def columns(entry: Entry) -> Row:
        title, excerpt = entry.words() if entry.words else entry[:2]
        return {
            "kind": entry.kind,
            "title": (title or change.path.rpartition("/")[2])[:_TITLE_SIZE],
            "excerpt": excerpt[:_EXCERPT_SIZE],
            "level": entry.level,
            "session_key": entry.session,
            **provenance.when(entry.time),
            **provenance.owners_of(entry, topic_id if entry.is_file else None),
        }

    def facts_from(start: int) -> list[Fact]:
        return [
            Fact(key_of(one.source, one.heading), one.lines, partial(columns, one))
            for one in facts.entries_from(start)
        ]

    lines = facts.entry_lines() if change.same else ()
    since = facts.entries_since
    for matched in fold_going_on(LogEntry, change, lines, facts_from, since).matched:
        if matched.verb != "kept":
            values = matched.fact.values
            kind = "session" if values["kind"] == "session" else "note"
            add_row_event(change, matched, kind, values["title"], values["excerpt"])


def _add_compaction(
    change: Change, line: Matched, found: Compacted, provenance: Provenance
) -> None:
    """Import the compaction that a new history line reports."""
    values = line.fact.values
    row_id = change.row_id(Compaction, line.row_id)
    shared = {name: values[name] for name in ("topic_id", "precision")}
    change.rows.insert(
        Compaction,
        id=row_id,
        workspace_id=change.workspace.id,
        entry_id=line.row_id,
        before=found.before,
        after=found.after,
        saved_before=found.saved_before,
        occurred_at=values["occurred_at"],
        first_seq=change.seq,
        **shared,
    )
    add_event(
        change,
        "compaction",
        "added",
        values["text"],
        target_id=row_id,
        occurred_at=values["occurred_at"],
        agent_id=provenance.owners(found.sessions)["agent_id"],
        line=line.fact.lines.first,
        data={
            "before": found.before,
            "after": found.after,
            "saved": found.saved_before,
        },
        **shared,
    )


class _Originals:
    """The first snapshot of each text, among current and former ones.

    The cache always equals the database's answer, so that a replay in one go marks the
    same copies as one import after the other.
    """

    def __init__(self, *, empty: bool) -> None:
        self.rows: dict[_Name, int] = {}
        self._names: dict[int, _Name] = {}
        self._empty = empty

    def look_up(self, change: Change, names: Iterable[_Name]) -> None:
        """Load the original rows with these names, which are no copies."""
        if self._empty:
            return
        unknown = [name for name in names if name not in self.rows]
        found: dict[_Name, int] = {}
        for start in range(0, len(unknown), _AT_ONCE):
            ids, keys = zip(*unknown[start : start + _AT_ONCE], strict=True)
            rows = Snapshot.objects.filter(
                workspace_id=change.workspace.id,
                snapshot_id__in=set(ids),
                text_key__in=set(keys),
                copy_of_id__isnull=True,
            ).order_by("first_seq", "position")
            columns = rows.values_list("id", "snapshot_id", "text_key")
            for row_id, snapshot_id, key in columns:
                found.setdefault((snapshot_id, key), row_id)
        for name in unknown:
            if name in found:
                self._keep(name, found[name])

    def note(
        self, change: Change, names: Sequence[_Name], folded: Sequence[Matched]
    ) -> None:
        """Add the snapshots written by a revision."""
        pairs = zip(names, folded, strict=True)
        written = [pair for pair in pairs if pair[1].verb != "kept"]
        for _, matched in written:
            before = self._names.pop(matched.row_id, None)
            if before is not None:
                del self.rows[before]
        for name, matched in written:
            if matched.fact.values["copy_of_id"] is None:
                self._keep(name, matched.row_id)
        if written and not change.fresh and not self._empty:
            change.rows.flush()

    def _keep(self, name: _Name, row_id: int) -> None:
        self.rows[name] = row_id
        self._names[row_id] = name


class _Memories:
    """The session memories of revisions.

    A memory is identified by its id, wherever its file moves. A second file with the
    same id, such as a copy in an archive, is a memory of its own, identified by its
    path.
    """

    def __init__(self, *, empty: bool) -> None:
        self._holders: dict[int, int | None] = {}
        self._empty = empty

    def take(self, change: Change, memory: Memory | None, said: Sequence[Row]) -> None:
        """Import the session memory that a revision is; `said` has its columns."""
        facts = []
        if memory:
            values = _values(memory, _OF_MEMORY) | said[0]
            key = key_of(change.said.text, "")
            fact = Fact(key, whole_lines(change.said.text), values)
            facts = [(self._row_id(change, memory.memory_id), fact)]
        reopens = any(self._holder(row_id) == _CLOSED for row_id, _ in facts)
        if reopens:
            # Its row was closed by another file, perhaps in this very batch.
            change.rows.flush()
        folded = fold_keyed(
            SessionMemory, replace(change, fresh=False) if reopens else change, facts
        )
        self._holders |= dict.fromkeys((row.id for row in folded.closed), _CLOSED)
        for matched in folded.matched:
            self._holders[matched.row_id] = change.file_id
            values = matched.fact.values
            if matched.verb != "kept":
                add_row_event(
                    change,
                    matched,
                    "memory",
                    values["objective"] or values["memory_id"],
                    values["last_action"],
                    data={"id": values["memory_id"], "pending": values["pending"]},
                )

    def _row_id(self, change: Change, memory_id: str) -> int:
        own = change.row_id(SessionMemory, change.origin)
        if not memory_id or self._holder(own) == change.file_id:
            return own
        row_id = change.row_id(SessionMemory, memory_id)
        is_free = self._holder(row_id) in {None, _CLOSED, change.file_id}
        return row_id if is_free else own

    def _holder(self, row_id: int) -> int | None:
        """Return the id of the file that contains a memory now; None for a new one."""
        if row_id not in self._holders:
            rows = SessionMemory.objects.filter(id=row_id)
            holder = None if self._empty else rows.first()
            self._holders[row_id] = holder.file_id if holder else None
            if holder and holder.last_seq is not None:
                self._holders[row_id] = _CLOSED
        return self._holders[row_id]
