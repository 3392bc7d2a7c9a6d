"""Chain of all apps' importers, in dependency order."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from memoryhub.handoffs.importers.handoffs import HandoffImporter, decide_elsewhere
from memoryhub.handoffs.models import Handoff, HandoffStep
from memoryhub.handoffs.queries.decisions import sign_offs
from memoryhub.journal.changes import Change, WorkspaceFacts
from memoryhub.journal.importers.agents import AgentImporter
from memoryhub.journal.importers.files import FileImporter
from memoryhub.journal.models import Operation, Workspace
from memoryhub.journal.rows import Rows
from memoryhub.reviews.importer import ReviewFeed
from snapshots.importers.importer import SnapshotImporter
from snapshots.importers.linking import (
    JUDGING,
    NEWEST,
    VERB,
    Assigned,
    accepted_in,
    assigned_by,
    link_topics,
    note_assignment,
    note_verdict,
    payloads_until,
    project_assignment,
    project_verdict,
)
from snapshots.models import (
    Compaction,
    LogEntry,
    OpenItem,
    SessionMemory,
    Snapshot,
    SnapshotSection,
)
from topics.importers.bindings import BindingImporter, bound_in
from topics.importers.decisions import DecisionImporter, decided_in
from topics.importers.declared import fold_declared
from topics.importers.topics import TopicImporter
from topics.models import Decision, Directive, HistoryEntry, SessionBinding, Topic


class Importers:
    """Topics, bindings, snapshots, decisions and handoffs of one projection session."""

    tables: ClassVar[tuple[type[models.Model], ...]] = (
        Topic, Decision, Directive, HistoryEntry, SessionBinding, Snapshot,
        SnapshotSection, SessionMemory, LogEntry, OpenItem, Compaction, Handoff,
        HandoffStep,
    )  # fmt: skip
    verbs = frozenset({VERB, *JUDGING.values()})

    def __init__(
        self,
        facts: WorkspaceFacts,
        files: FileImporter,
        agents: AgentImporter,
        *,
        until: int,
    ) -> None:
        empty = until == 0
        set_by_people = payloads_until(facts.id, NEWEST if empty else until)
        self.assigned: Assigned = {} if empty else assigned_by(set_by_people)
        self.accepted = accepted_in(set_by_people)
        self._topics = TopicImporter(facts, empty=empty)
        self._bindings = BindingImporter(facts, agents, files, empty=empty)
        self._decisions = DecisionImporter(facts, empty=empty)
        self._snapshots = SnapshotImporter(agents, self._bindings, empty=empty)
        self._handoffs = HandoffImporter(agents, self._bindings)
        self._reviews = ReviewFeed(facts, files)

    def take(self, change: Change) -> bool:
        """Import a revision; return whether `settle` adds a timeline event for it."""
        history = self._topics.take(change)
        self._bindings.take(change, bound_in(change))
        fold_declared(change)
        topic_id = self._topics.of_change(change)
        mentions = self._snapshots.take(change, history, topic_id)
        mentions += decided_in(change, topic_id)
        self._decisions.take(change, mentions)
        self._reviews.take(change)
        return self._handoffs.take(change)

    def take_operation(self, operation: Operation) -> None:
        """Project an assignment, or a verdict, from this operation on."""
        self.accepted |= accepted_in([operation.payload])
        if operation.verb != VERB:
            note_verdict(self.assigned, operation.payload)
            self._decisions.judge(project_verdict(self.assigned, operation))
            return
        note_assignment(self.assigned, operation.payload)
        project_assignment(operation.payload)

    def flush(self, rows: Rows) -> None:
        """Flush the rows collected so far."""
        self._topics.flush(rows)
        self._bindings.flush(rows)
        self._reviews.flush(rows)

    def settle(self, rows: Rows) -> None:
        """Settle handoffs, then the decisions that they ask to sign off."""
        self._handoffs.settle()
        rows.flush()
        self._decisions.flush(rows, self._handoffs.asked(), sign_offs)
        decide_elsewhere(self._handoffs.asked_elsewhere(), rows)

    @staticmethod
    def conclude(workspace: Workspace) -> None:
        """Link rows to the topics that they name."""
        link_topics(workspace)
