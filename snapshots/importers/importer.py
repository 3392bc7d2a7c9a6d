"""Importer of everything agents wrote about their work, one revision at a time."""

from __future__ import annotations

from memoryhub.journal.changes import Change
from memoryhub.journal.importers.agents import AgentImporter
from memoryhub.journal.lifetimes import Folded
from snapshots.importers.compactions import rename_topic, take_compactions
from snapshots.importers.logs import take_logs
from snapshots.importers.memories import MemoryTaker
from snapshots.importers.snapshots import SnapshotTaker
from snapshots.importers.telling import Telling
from topics.importers.bindings import BindingImporter
from topics.importers.decisions import Mention


class SnapshotImporter:
    """Turns revisions into snapshots, session memories, log entries and compactions."""

    def __init__(
        self, agents: AgentImporter, bindings: BindingImporter, *, empty: bool
    ) -> None:
        self._agents = agents
        self._bindings = bindings
        self._snapshots = SnapshotTaker(empty=empty)
        self._memories = MemoryTaker(empty=empty)

    def take(self, change: Change, history: Folded) -> list[Mention]:
        """Import a revision; return the decisions found on the way."""
        telling = Telling.of(change, self._agents, self._bindings)
        mentions = take_logs(change, telling)
        mentions += self._snapshots.take(change, telling)
        mentions += self._memories.take(change, telling)
        if change.renamed:
            rename_topic(*change.renamed)
        if history.said:
            take_compactions(change, history.said, telling.whose().agent.id)
        return mentions
