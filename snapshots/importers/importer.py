"""Importer of snapshots, memories, log entries and statements of a revision.

Entries, snapshots with their sections, session memories, compactions, directives and
open items are rows of the facts that a file's dialect says; the decisions in them are
left to their importer.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from hashlib import sha256
from typing import Any

from memoryhub.dialects import facts
from memoryhub.dialects.decision_log import chosen, said_in_prose
from memoryhub.dialects.facts import Entry, Memory, TaskSnapshot, Time, whole_lines
from memoryhub.dialects.roles import Role
from memoryhub.events.importers import add_event
from memoryhub.formats.base import Lines
from memoryhub.formats.openclaw.session_key import is_with_person
from memoryhub.formats.text.alignment import Key, key_of
from memoryhub.formats.text.dates import heading_time
from memoryhub.formats.text.source import split_lines
from memoryhub.journal.changes import Change
from memoryhub.journal.fold import Fact, fold
from memoryhub.journal.grades import grade_columns, statement_key
from memoryhub.journal.importing import Importer, Session
from memoryhub.journal.models import Operation
from memoryhub.journal.prepared import Prepared, listed
from memoryhub.journal.rows import Row
from memoryhub.prose.model import Judge
from memoryhub.prose.stated import OpenItem as FoundItem
from memoryhub.prose.stated import (
    Stated,
    StatedDecision,
    StatedDirective,
    reason_in,
    still_open,
)
from memoryhub.prose.units import blocks_of, units_of
from snapshots.importers.linking import STATEMENTS
from snapshots.importers.provenance import Provenance, add_row_event
from snapshots.models import (
    Compaction,
    LogEntry,
    OpenItem,
    SessionMemory,
    Snapshot,
    SnapshotSection,
)
from topics.importers.decisions import DecisionImporter, Mention, not_above
from topics.importers.topics import BindingImporter, TopicImporter
from topics.models import Directive, Topic

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
#: Snapshots that are no copies, by their ids and the keys of their texts.
_ORIGINALS: Prepared[tuple[int, str, int]] = Prepared(
    lambda workspace_id, ids, keys: (
        Snapshot.objects.filter(
            workspace_id=workspace_id,
            snapshot_id__in=listed(ids),
            text_key__in=listed(keys),
            copy_of_id__isnull=True,
        )
        .order_by("first_seq", "position")
        .values_list("id", "snapshot_id", "text_key")
    ),
    int,
    str,
    str,
)
#: File of a memory, and the version that no more has it.
_HOLDER: Prepared[tuple[int, int | None]] = Prepared(
    lambda row_id: SessionMemory.objects.filter(id=row_id).values_list(
        "file_id", "last_seq"
    ),
    int,
)
_NO_LETTERS = re.compile(r"[\W_]+")
#: Verb of a text that a person typed on a page.
_TYPED = "edit_text"
#: The rows of a file's snapshots and session memory: times and owners.
_Blocks = Sequence[tuple[TaskSnapshot | Memory, Row]]


class SnapshotImporter(Importer):
    """Turns revisions into snapshots, session memories, log entries and statements.

    The first snapshot of a text, of current and former ones, is its original. What is
    kept of originals and memories always equals the database's answer, so that a replay
    in one go gives the same rows as one import after the other.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._originals: dict[_Name, int] = {}
        #: By its row, the file that contains a memory now; None for a new one.
        self._holders: dict[int, int | None] = {}

    def take(self, change: Change) -> None:
        """Import a revision, and note the decisions found on the way."""
        session, topic_id = self._session, change.topic_id
        bindings = session.of(BindingImporter)
        provenance = Provenance(change, session.agents, bindings)
        _take_entries(change, provenance, topic_id)
        said = change.said
        snapshots: list[tuple[TaskSnapshot, Row]] = []
        for one in said.snapshots:
            time = Time(one.timestamp, clock=heading_time(one.clock or ""))
            named = change.row_id(Topic, one.topic) if one.topic else None
            owners = provenance.owners(said.sessions, agent=one.agent, topic_id=named)
            snapshots.append((one, provenance.when(time, past=True) | owners))
        memories = [
            (one, provenance.when(one.time, past=True) | provenance.owners())
            for one in (said.memory,)
            if one
        ]
        blocks: _Blocks = [*snapshots, *memories]
        decisions = _take_statements(change, provenance, topic_id, blocks)
        decisions += [
            (facts.Decision(chosen(made.text, made.reason), made.lines), row)
            for block, row in blocks
            for made in block.decisions
        ]
        if blocks or not change.fresh:
            self._take_snapshots(change, snapshots)
            self._take_memory(change, memories)
        if change.renamed:
            old, new = change.renamed
            Compaction.objects.filter(topic_id=old).update(topic_id=new)
        session.of(DecisionImporter).mention(decisions)
        history = session.of(TopicImporter).history
        added = {line.lines: line for line in history if line.verb == "added"}
        for compacted in said.compactions if added else ():
            if line := added.get(compacted.lines):
                _add_compaction(change, line, compacted, provenance)

    def _take_snapshots(
        self, change: Change, blocks: Sequence[tuple[TaskSnapshot, Row]]
    ) -> None:
        """Import the snapshots of a revision; mark copies of others."""
        found, used = [], Counter[tuple[object, ...]]()
        names = [
            (block.snapshot_id[:60], key_of(block.block, "").text)
            for block, _ in blocks
        ]
        known = self._originals_of(change, names)
        for (block, row), name in zip(blocks, names, strict=True):
            at = block.snapshot_id, block.timestamp
            used[at] += 1
            row_id = change.row_id(Snapshot, change.origin, *at, used[at])
            original = known.setdefault(name, row_id)
            steps = block.next_steps
            values = {
                **_values(block, _OF_SNAPSHOT),
                "next_step": steps[0].text if steps else "",
                "copy_of_id": None if original == row_id else original,
                **row,
            }
            found.append(Fact(key_of(block.block, ""), block.lines, values, row_id))
        fold(Snapshot, change, found)
        for (block, _), fact in zip(blocks, found, strict=True):
            if fact.is_written:
                _add_sections(change, block, fact)
                values = fact.values
                data = {"id": values["snapshot_id"]}
                data |= {name: values[name] for name in ("phase", "percent", "blocked")}
                title = values["goal"] or values["snapshot_id"]
                add_row_event(change, fact, "snapshot", title, data=data)
        self._note_originals(change, names, found)

    def _originals_of(self, change: Change, names: Sequence[_Name]) -> dict[_Name, int]:
        """Return the original rows with these names."""
        known = self._originals
        unknown = [name for name in names if name not in known]
        if unknown and not self._session.empty:
            lists = map(json.dumps, zip(*unknown, strict=True))
            for row_id, name, key in _ORIGINALS(change.workspace.id, *lists):
                known.setdefault((name, key), row_id)
        return {name: known[name] for name in names if name in known}

    def _note_originals(
        self, change: Change, names: Sequence[_Name], found: Sequence[Fact]
    ) -> None:
        """Remember the originals among the snapshots that a revision wrote."""
        written = {fact.id for fact in found if fact.is_written}
        if written and not change.fresh:
            others = self._originals.items()
            self._originals = {name: row for name, row in others if row not in written}
            if not self._session.empty:
                change.rows.flush()
        for name, fact in zip(names, found, strict=True):
            if fact.is_written and fact.values["copy_of_id"] is None:
                self._originals[name] = fact.id

    def _take_memory(
        self, change: Change, blocks: Sequence[tuple[Memory, Row]]
    ) -> None:
        """Import the session memory that a revision is, if it is one."""
        text = change.said.text
        found = [
            Fact(
                key_of(text, ""),
                whole_lines(text),
                _values(memory, _OF_MEMORY) | row,
                self._memory_id(change, memory.memory_id),
            )
            for memory, row in blocks
        ]
        read = change
        if any(self._holder(fact.id) == _CLOSED for fact in found):
            # Its row was closed by another file, perhaps in this very batch.
            change.rows.flush()
            read = replace(change, fresh=False)
        for fact in fold(SessionMemory, read, found):
            is_closed = fact.verb == "closed"
            self._holders[fact.id] = _CLOSED if is_closed else change.file_id
            if fact.is_written:
                values = fact.values
                title = values["objective"] or values["memory_id"]
                data = {"id": values["memory_id"], "pending": values["pending"]}
                add_row_event(
                    change, fact, "memory", title, values["last_action"], data
                )

    def _memory_id(self, change: Change, memory_id: str) -> int:
        """Return the id of a memory's row: of its id, wherever its file moves.

        A second file with the same id, such as a copy in an archive, is a memory of its
        own, identified by its path.
        """
        own = change.row_id(SessionMemory, change.origin)
        if not memory_id or self._holder(own) == change.file_id:
            return own
        row_id = change.row_id(SessionMemory, memory_id)
        is_free = self._holder(row_id) in {None, _CLOSED, change.file_id}
        return row_id if is_free else own

    def _holder(self, row_id: int) -> int | None:
        if row_id not in self._holders:
            self._holders[row_id] = None
            for file_id, last_seq in () if self._session.empty else _HOLDER(row_id):
                self._holders[row_id] = file_id if last_seq is None else _CLOSED
        return self._holders[row_id]


def _values(fact: TaskSnapshot | Memory, sizes: Mapping[str, int | None]) -> Row:
    """Return the columns that are values of a fact, cut to their sizes."""
    said = {name: getattr(fact, name) for name in sizes}
    return {
        name: said[name][:size] if size else said[name] for name, size in sizes.items()
    }


def _add_sections(change: Change, block: TaskSnapshot, snapshot: Fact) -> None:
    if not change.fresh:
        SnapshotSection.objects.filter(snapshot_id=snapshot.id).delete()
    for position, section in enumerate(block.sections):
        change.rows.insert(
            SnapshotSection,
            id=change.row_id(SnapshotSection, snapshot.id, position),
            workspace_id=change.workspace.id,
            snapshot_id=snapshot.id,
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
    said = change.said

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
            for one in said.entries_from(start)
        ]

    lines = said.entry_lines() if change.same else ()
    for fact in fold(LogEntry, change, facts_from, said.entries_since, lines=lines):
        if fact.is_written:
            values = fact.values
            kind = "session" if values["kind"] == "session" else "note"
            add_row_event(change, fact, kind, values["title"], values["excerpt"])


def _add_compaction(
    change: Change, line: Fact, found: facts.Compaction, provenance: Provenance
) -> None:
    """Import the compaction that a new history line reports."""
    values = line.values
    row_id = change.row_id(Compaction, line.id)
    shared = {name: values[name] for name in ("topic_id", "precision")}
    change.rows.insert(
        Compaction,
        id=row_id,
        workspace_id=change.workspace.id,
        entry_id=line.id,
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
        line=line.lines.first,
        data={
            "before": found.before,
            "after": found.after,
            "saved": found.saved_before,
        },
        **shared,
    )


def _take_statements(
    change: Change, provenance: Provenance, topic_id: int | None, blocks: _Blocks
) -> list[Mention]:
    """Import directives and open items of a revision; return decisions that it states.

    `topic_id` is the topic whose file it is; a log has none of its own.
    """
    stated = _with_accepted(change, change.said.statements())
    stated = _of_role(change.role, stated)
    owners = provenance.owners_of(topic_id=topic_id)
    placed = {name: owners[name] for name in ("topic_id", "agent_id")}
    _take_items(change, stated.open_items, provenance, owners, blocks)
    _take_directives(change, stated.directives, provenance, placed)
    found = []
    for one in stated.decisions:
        said = said_in_prose(one.text, one.reason)
        decision = facts.Decision(said, one.lines, False, one.confidence, one.why)
        agent_id = provenance.agent_at(one.lines.first) or owners["agent_id"]
        when = provenance.when_at(one.lines.first)
        found.append((decision, {**when, **placed, "agent_id": agent_id}))
    return [*not_above(change, found)]


def _take_directives(
    change: Change,
    stated: Sequence[StatedDirective],
    provenance: Provenance,
    owners: Row,
) -> None:
    """Import the directives of a revision, each with whose words it is.

    One keeps its origin while its text stays.
    """
    safe = [one for one in stated if not change.has_secret(one.lines)]
    columns = {**_whose(change), **owners} if safe else {}
    found = []
    for one in safe:
        said = statement_key("directive", one.text)
        values = {
            "text": one.text,
            **columns,
            **grade_columns(one.confidence, one.why, change.assigned.get(said)),
            **provenance.when_at(one.lines.first),
        }
        text_key = key_of(f"{one.confidence}\n{one.text}", "").text
        found.append(Fact(Key(text_key, said), one.lines, values))
    fold(Directive, change, found, change.since)


def _whose(change: Change) -> dict[str, str]:
    """Return origin and writer of a revision's directives, by the journal.

    A program without a name writes as the operator: only what a person typed on a page
    is a person's. What is restored or reverted is of nobody.
    """
    if change.acting_id is not None:
        return {"origin": Directive.Origin.AGENT, "written_by": change.actor[:200]}
    if change.actor:
        wrote = Operation.objects.filter(
            workspace=change.workspace.id, version_seq=change.seq, verb=_TYPED
        )
        typed = wrote.exists()
        origin = Directive.Origin.PERSON if typed else Directive.Origin.UNKNOWN
        return {"origin": origin, "written_by": change.actor[:200] if typed else ""}
    of_person = change.pure_path.name.casefold() == "user.md"
    for session in change.stated(facts.Session):
        of_person = is_with_person(session.key)
    for recalled in change.stated(facts.Recalled):
        of_person = recalled.of_person
    origin = Directive.Origin.PERSON if of_person else Directive.Origin.UNKNOWN
    return {"origin": origin, "written_by": ""}


def _take_items(
    change: Change,
    items: Sequence[FoundItem],
    provenance: Provenance,
    owners: Row,
    blocks: _Blocks,
) -> None:
    """Import the open items of a revision; one ticked since is an event.

    A line of a snapshot or session memory is one of its items, whatever else reads it.
    """
    found: list[tuple[FoundItem, Row | None]] = [
        (item, row)
        for block, row in blocks
        for item in block.open_items
        if item.lines.first >= change.since
    ]
    taken = {item.lines.first for item, _ in found}
    found += (
        (item, None)
        for item in _going_on(change, items)
        if item.lines.first not in taken
    )
    found.sort(key=lambda one: one[0].lines)

    def columns(item: FoundItem, said: Row | None, text_key: int) -> Row:
        if said is None:
            said = provenance.day_at(item.lines.first) | owners
            said |= provenance.assigned_to(item.agent) if item.agent else {}
        return {
            **grade_columns(item.confidence, item.why, change.assigned.get(text_key)),
            "text": item.text,
            "done": item.done,
            "mark": item.mark[:20],
            **said,
        }

    rows = []
    for item, said in found:
        if not change.has_secret(item.lines):
            text_key = statement_key("item", item.text)
            source = f"{item.mark}\n{item.done}\n{item.confidence}\n{item.text}"
            key = Key(key_of(source, "").text, text_key)
            rows.append(Fact(key, item.lines, partial(columns, item, said, text_key)))
    for fact in fold(OpenItem, change, rows, change.since):
        if fact.verb == "changed" and fact.values["done"]:
            fact.verb = "ticked"
            add_row_event(change, fact, "note", fact.values["text"])


def _going_on(change: Change, items: Sequence[FoundItem]) -> Iterator[FoundItem]:
    """Yield items that are new in a log which goes on; close those now done above."""
    if change.since == 1:
        yield from items
        return
    above = {}
    if items or change.said.closing:
        rows = OpenItem.everything.filter(
            file_id=change.file_id, last_seq=None, first_line__lt=change.since
        )
        blocks = (one.lines for one in change.said.snapshots)
        taken = {n for at in blocks for n in range(at.first, at.last + 1)}
        above = {
            FoundItem(text, done, mark, Lines(first, last)): row_id
            for row_id, text, done, mark, first, last in rows.values_list(
                "id", "text", "done", "mark", "first_line", "last_line"
            )
            if first not in taken
        }
    for item in still_open([*above, *items], change.said.closing):
        if above.pop(item, None) is None:
            yield item
    for row_id in above.values():
        change.rows.update(OpenItem, row_id, last_seq=change.seq)


def _with_accepted(change: Change, stated: Stated) -> Stated:
    """Add sentences that a person accepted and the model no longer finds."""
    if not change.accepted:
        return stated
    found = dict(zip(STATEMENTS, map(list[Any], stated), strict=True))
    known = {(kind, _letters(one.text)) for kind in found for one in found[kind]}
    whole = _letters("\n".join(split_lines(change.text)[change.since - 1 :]))
    lost: dict[str, list[tuple[str, str]]] = {}
    for kind, text in change.accepted:
        letters = _letters(text)
        if letters in whole and (kind, letters) not in known:
            lost.setdefault(letters, []).append((kind, text))
    units = [u for b in blocks_of(change.text) for u in units_of(b)] if lost else []
    for place, unit in enumerate(units):
        lines = Lines(unit.line, unit.line)
        for said in (unit.text, unit.block.text) if unit.line >= change.since else ():
            for kind, text in lost.pop(_letters(said), ()):
                sure = Judge(units).of(place)[[*STATEMENTS].index(kind)]
                one: Any = FoundItem(text, False, "", lines, "", sure)
                if kind == "directive":
                    one = StatedDirective(text, lines, sure)
                elif kind == "decision":
                    one = StatedDecision(text, "", lines, reason_in(text), sure)
                found[kind].append(one)
    return Stated(
        *(tuple(sorted(some, key=lambda one: one.lines)) for some in found.values())
    )


def _letters(text: str) -> str:
    return _NO_LETTERS.sub("", text.casefold())


def _of_role(role: Role, stated: Stated) -> Stated:
    """Return the kinds of statements that are read from files of a role."""
    match role:
        case Role.MEMORY:
            return stated
        case Role.WORK:
            return Stated(open_items=stated.open_items)
        case Role.RECORD:
            return Stated(stated.decisions)
    return Stated()
