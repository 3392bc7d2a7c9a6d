"""Presenter of a snapshot's recall after a compaction."""

from __future__ import annotations

from dataclasses import dataclass

from memoryhub.formats.big_memory.task_snapshot import find_snapshots
from memoryhub.recall.recovery import RECALLED
from memoryhub.values import tokens
from memoryhub.web.kit.frame import Shell
from snapshots.models import Snapshot
from snapshots.queries.snapshots import outdated_decisions


@dataclass(frozen=True, slots=True)
class Outdated:
    """A decision of the snapshot that was superseded, with its successor."""

    text: str
    url: str
    by: str
    by_url: str


@dataclass(frozen=True, slots=True)
class RecallCard:
    """Recall of a snapshot: big-memory's sentence, four fields, outdated decisions."""

    sentence: str
    goal: str
    phase: str
    files: tuple[str, ...]
    steps: tuple[str, ...]
    age: str
    tokens: int
    outdated: tuple[Outdated, ...]


def recall_card(snapshot: Snapshot, block: list[str], shell: Shell) -> RecallCard:
    """Return the recall of a snapshot, parsed from the lines of its block."""
    text = "\n".join(block)
    read = next(iter(find_snapshots(text)), None)
    at = shell.clock.local(snapshot.occurred_at).replace(tzinfo=None)
    if read is not None and read.timestamp is not None:
        at = read.timestamp.replace(tzinfo=None)
    return RecallCard(
        sentence=RECALLED.format(timestamp=at.isoformat(timespec="seconds")),
        goal=snapshot.goal,
        phase=snapshot.phase,
        files=tuple(file.path for file in read.files) if read else (),
        steps=tuple(step.text for step in read.next_steps) if read else (),
        age=shell.clock.age(snapshot.occurred_at),
        tokens=tokens.shown(text),
        outdated=_outdated(snapshot, shell),
    )


def _outdated(snapshot: Snapshot, shell: Shell) -> tuple[Outdated, ...]:
    found = []
    for decision in outdated_decisions(snapshot):
        newer = next(iter(decision.superseded_by.all()), None)
        found.append(
            Outdated(
                decision.text,
                shell.addresses.decision(decision.code),
                newer.text if newer else "",
                shell.addresses.decision(newer.code) if newer else "",
            )
        )
    return tuple(found)
