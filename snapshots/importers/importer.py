"""Importer of everything agents wrote about their work, one revision at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from memoryhub.dialects.decision_log import parse_decision
from memoryhub.dialects.session_compact import SessionCompact
from memoryhub.dialects.topic_context import TopicContext, topic_history
from memoryhub.dialects.topic_context.topic_history import auto_saved_of, compaction_of
from memoryhub.events.importers import add_event
from memoryhub.formats.base import Lines
from memoryhub.formats.text.alignment import key_of
from memoryhub.formats.text.list_items import Choice
from memoryhub.journal.changes import Change
from memoryhub.journal.importing import Importer, Session
from memoryhub.journal.lifetimes import Fact, Matched, fold_keyed
from snapshots.importers.logs import take_logs
from snapshots.importers.provenance import Owners, Provenance, Timestamp, add_row_event
from snapshots.importers.snapshots import SnapshotTaker
from snapshots.importers.statements import take_statements
from snapshots.models import Compaction, SessionMemory
from topics.importers.bindings import BindingImporter
from topics.importers.decisions import DecisionImporter, Mention
from topics.importers.topics import TopicImporter

#: Stands for a file's id if no file contains the memory any more.
_CLOSED = 0


class MemoryTaker:
    """Imports the session memories of revisions.

    A memory is identified by its id, wherever its file moves. A second file with the
    same id, such as a copy in an archive, is a memory of its own, identified by its
    path.
    """

    def __init__(self, *, empty: bool) -> None:
        self._holders: dict[int, int | None] = {}
        self._empty = empty

    def take(self, change: Change, provenance: Provenance) -> list[Mention]:
        """Import the session memory of a revision; return the decisions in it."""
        document = change.document
        if not isinstance(document, SessionCompact):
            if not change.fresh:
                self._fold(change, [])
            return []
        when, owners = (
            provenance.past(provenance.at(document.created)),
            provenance.owners(),
        )
        row_id = self._row_id(change, document.memory_id)
        fact = _fact(document, when, owners)
        for matched in self._fold(change, [(row_id, fact)]):
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
        return [_mention(choice, when, owners) for choice in document.decisions]

    def _row_id(self, change: Change, memory_id: str) -> int:
        own = change.row_id(SessionMemory, change.origin)
        if not memory_id or self._holder(own) == change.file_id:
            return own
        row_id = change.row_id(SessionMemory, memory_id)
        is_free = self._holder(row_id) in {None, _CLOSED, change.file_id}
        return row_id if is_free else own

    def _fold(self, change: Change, facts: list[tuple[int, Fact]]) -> list[Matched]:
        reopens = any(self._holder(row_id) == _CLOSED for row_id, _ in facts)
        if reopens:
            # Its row was closed by another file, perhaps in this very batch.
            change.rows.flush()
        folded = fold_keyed(
            SessionMemory, replace(change, fresh=False) if reopens else change, facts
        )
        self._holders |= dict.fromkeys((row.id for row in folded.closed), _CLOSED)
        self._holders |= {m.row_id: change.file_id for m in folded.matched}
        return folded.matched

    def _holder(self, row_id: int) -> int | None:
        """Return the id of the file that contains a memory now; None for a new one."""
        if row_id not in self._holders:
            rows = SessionMemory.objects.filter(id=row_id)
            holder = None if self._empty else rows.first()
            self._holders[row_id] = holder.file_id if holder else None
            if holder and holder.last_seq is not None:
                self._holders[row_id] = _CLOSED
        return self._holders[row_id]


def _fact(document: SessionCompact, when: Timestamp, owners: Owners) -> Fact:
    values = {
        "memory_id": document.memory_id[:60],
        "session_ref": document.analysis.session_id[:200],
        "project_root": document.analysis.project_root,
        "objective": document.analysis.objective or document.title,
        "plan_source": document.analysis.plan_source[:100],
        "last_action": document.analysis.last_action,
        "pending": len(document.analysis.pending),
        "summary": document.summary,
        "tags": list(document.tags),
        "archived": document.archived,
        **when.columns,
        **owners.columns,
    }
    lines = Lines(1, max(1, document.text.rstrip().count("\n") + 1))
    return Fact(key_of(document.text, ""), lines, values)


def _mention(choice: Choice, when: Timestamp, owners: Owners) -> Mention:
    decision = parse_decision(choice.text)
    decision = decision if decision.reason else replace(decision, reason=choice.reason)
    return Mention(
        decision,
        choice.lines,
        owners.topic.id,
        owners.agent.id,
        when.at,
        when.precision,
    )


class SnapshotImporter(Importer):
    """Turns revisions into snapshots, session memories, log entries and compactions."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._snapshots = SnapshotTaker(empty=session.empty)
        self._memories = MemoryTaker(empty=session.empty)

    def take(self, change: Change) -> None:
        """Import a revision, and note the decisions found on the way."""
        session, topic_id = self._session, change.topic_id
        bindings = session.of(BindingImporter)
        provenance = Provenance.of(change, session.agents, bindings)
        take_logs(change, provenance, topic_id)
        mentions = take_statements(change, provenance, topic_id)
        mentions += self._snapshots.take(change, provenance)
        mentions += self._memories.take(change, provenance)
        session.of(DecisionImporter).mention(mentions)
        if change.renamed:
            old, new = change.renamed
            Compaction.objects.filter(topic_id=old).update(topic_id=new)
        if history := session.of(TopicImporter).history:
            owners = provenance.owners(_session_of(change))
            take_compactions(change, history, owners.agent.id)


def _session_of(change: Change) -> tuple[str, ...]:
    """Return the session that a topic's file names."""
    if not isinstance(change.document, TopicContext):
        return ()
    meta = change.document.meta
    return tuple(entry.value for entry in meta if entry.key == "session")


def take_compactions(
    change: Change, history: Sequence[Matched], agent_id: int | None
) -> None:
    """Import the compactions in new history lines of a revision."""
    saved = False
    for line in history:
        text = line.fact.values["text"]
        found = compaction_of(text)
        if found and line.verb == "added":
            _write(change, line, found, saved_before=saved, agent_id=agent_id)
        saved = auto_saved_of(text) is not None


def _write(
    change: Change,
    line: Matched,
    found: topic_history.Compaction,
    *,
    saved_before: bool,
    agent_id: int | None,
) -> None:
    values = line.fact.values
    row_id = change.row_id(Compaction, line.row_id)
    change.rows.insert(
        Compaction,
        id=row_id,
        workspace_id=change.workspace.id,
        entry_id=line.row_id,
        topic_id=values["topic_id"],
        before=found.before,
        after=found.after,
        saved_before=saved_before,
        occurred_at=values["occurred_at"],
        precision=values["precision"],
        first_seq=change.seq,
    )
    add_event(
        change,
        "compaction",
        "added",
        values["text"],
        target_id=row_id,
        occurred_at=values["occurred_at"],
        precision=values["precision"],
        agent_id=agent_id,
        topic_id=values["topic_id"],
        line=line.fact.lines.first,
        data={"before": found.before, "after": found.after, "saved": saved_before},
    )
