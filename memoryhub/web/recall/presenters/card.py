"""Presenter of a snapshot's recall after a compaction."""

from __future__ import annotations

from dataclasses import dataclass

from memoryhub.recall.recovery import RECALLED, Recovered, recovered
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
    """Recall of a snapshot: big-memory's sentence, the fields, outdated decisions."""

    sentence: str
    told: Recovered
    age: str
    tokens: int
    outdated: tuple[Outdated, ...]


def recall_card(snapshot: Snapshot, shell: Shell) -> RecallCard:
    """Return the recall of a snapshot, as the recall tool gives it."""
    told = recovered(snapshot)
    return RecallCard(
        sentence=RECALLED.format(timestamp=told.timestamp),
        told=told,
        age=shell.clock.age(snapshot.occurred_at),
        tokens=tokens.shown(told.block),
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
