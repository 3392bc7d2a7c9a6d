"""Number of things that wait for a person, by workspace."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from datetime import datetime

from memoryhub.journal.models import Workspace
from memoryhub.timeline.queries.events import Count
from memoryhub.timeline.queries.turns import (
    conflicts_in,
    count_of,
    kept_facts,
    turns_of,
)


def turn_counts(workspaces: Iterable[Workspace], now: datetime) -> Mapping[int, Count]:
    """Return the numbers by workspace id; only of imported workspaces.

    One query, and one for each workspace whose journal grew since the last call.
    """
    known = [one for one in workspaces if one.projected_seq]
    conflicts = conflicts_in(known)
    facts = (replace(kept_facts(one), conflicts=conflicts[one.pk]) for one in known)
    return {
        one.pk: count_of(turns_of(found, now))
        for one, found in zip(known, facts, strict=True)
    }


def total_of(counts: Collection[Count]) -> Count:
    """Return the sum of the counts."""
    return Count(sum(n.number for n in counts), any(n.more for n in counts))
