"""Input of the hub's own form of a recall: passages in their order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from memoryhub.recall.texts import Passage
from snapshots.models import Compaction, Snapshot
from topics.models import Decision


@dataclass(frozen=True, slots=True)
class HubFacts:
    """Input of the hub's own form; without a snapshot there is a fallback.

    `is_deleted`: the topic's file is, so that its last text is given.
    `memory`, `notes_to_next`, `entries` and `notes` are given without a topic.
    """

    topic: Passage
    root: str
    sessions: int = 0
    is_deleted: bool = False
    memory: tuple[tuple[str, Passage], ...] = ()
    snapshot: Snapshot | None = None
    fallback: str = ""
    snapshot_text: Passage | None = None
    states: Passage | None = None
    handoffs: Passage | None = None
    notes_to_next: Passage | None = None
    directives: Passage | None = None
    rules: Passage | None = None
    decisions: Passage | None = None
    items: Passage | None = None
    other_items: Passage | None = None
    other_decisions: Passage | None = None
    entries: Passage | None = None
    notes: tuple[tuple[str, Passage], ...] = ()
    compaction: Compaction | None = None
    newer_decision: Decision | None = None

    def passages(self) -> Iterator[tuple[str, Passage]]:
        """Yield the non-empty passages, in their order in a recall."""
        named = (
            ("topic", self.topic),
            *self.memory,
            ("snapshot", self.snapshot_text),
            ("decision-states", self.states),
            ("handoffs", self.handoffs),
            ("handoff-note", self.notes_to_next),
            ("directives", self.directives),
            ("rules", self.rules),
            ("decisions", self.decisions),
            ("open-items", self.items),
            ("other-items", self.other_items),
            ("other-decisions", self.other_decisions),
            ("entries", self.entries),
            *self.notes,
        )
        for key, passage in named:
            if passage is not None and passage.text.strip():
                yield key, passage
