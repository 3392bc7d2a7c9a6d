"""Importer of everything agents wrote about their work, one revision at a time."""

from __future__ import annotations

from collections.abc import Sequence

from memoryhub.events.importers import Happening, add_event
from memoryhub.formats.snap_memory import topic_history
from memoryhub.formats.snap_memory.topic_context import TopicContext
from memoryhub.formats.snap_memory.topic_history import auto_saved_of, compaction_of
from memoryhub.journal.changes import Change
from memoryhub.journal.importers.agents import AgentImporter
from memoryhub.journal.lifetimes import Folded, Matched
from snapshots.importers.logs import take_logs
from snapshots.importers.memories import MemoryTaker
from snapshots.importers.provenance import Provenance
from snapshots.importers.snapshots import SnapshotTaker
from snapshots.importers.statements import take_statements
from snapshots.models import Compaction
from topics.importers.bindings import BindingImporter
from topics.importers.mentions import Mention


class SnapshotImporter:
    """Turns revisions into snapshots, session memories, log entries and compactions."""

    def __init__(
        self, agents: AgentImporter, bindings: BindingImporter, *, empty: bool
    ) -> None:
        self._agents = agents
        self._bindings = bindings
        self._snapshots = SnapshotTaker(empty=empty)
        self._memories = MemoryTaker(empty=empty)

    def take(
        self, change: Change, history: Folded, topic_id: int | None
    ) -> list[Mention]:
        """Import a revision; return the decisions found on the way.

        `topic_id` is the topic owners file it is.
        """
        provenance = Provenance.of(change, self._agents, self._bindings)
        take_logs(change, provenance, topic_id)
        mentions = take_statements(change, provenance, topic_id)
        mentions += self._snapshots.take(change, provenance)
        mentions += self._memories.take(change, provenance)
        if change.renamed:
            rename_topic(*change.renamed)
        if history.matched:
            owners = provenance.owners(_session_of(change))
            take_compactions(change, history.matched, owners.agent.id)
        return mentions


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


def rename_topic(old: int, new: int) -> None:
    """Move the compactions of a topic to the one its file is now named for."""
    Compaction.objects.filter(topic_id=old).update(topic_id=new)


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
    happening = Happening(
        "compaction",
        "added",
        values["text"],
        row_id,
        at=values["occurred_at"],
        precision=values["precision"],
        agent_id=agent_id,
        topic_id=values["topic_id"],
        line=line.fact.lines.first,
        data={"before": found.before, "after": found.after, "saved": saved_before},
    )
    add_event(change, happening)
