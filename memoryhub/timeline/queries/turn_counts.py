"""How many things wait for a person in each of several workspaces."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime

from django.db.models import Exists, OuterRef

from memoryhub.timeline.queries.turns import kept_facts, turns_of
from memoryhub.workspaces.models import Operation, SourceFile, Workspace


def turn_counts(workspaces: Iterable[Workspace], now: datetime) -> Mapping[int, int]:
    """Return the numbers by the workspaces' keys, of those that were imported.

    It is one query, and one for each workspace whose journal grew since the last look.
    """
    known = [one for one in workspaces if one.projected_seq]
    conflicts = _conflicts(known)
    facts = (
        replace(kept_facts(one), conflicts=tuple(conflicts[one.pk])) for one in known
    )
    return {
        one.pk: len(turns_of(found, now))
        for one, found in zip(known, facts, strict=True)
    }


def _conflicts(workspaces: Iterable[Workspace]) -> Mapping[int, list[str]]:
    """Return the files that were changed both here and on disk."""
    there = SourceFile.objects.filter(
        workspace=OuterRef("workspace"), path=OuterRef("target"), present=True
    )
    staged = Operation.objects.filter(
        Exists(there.exclude(blob__sha256=OuterRef("before_sha"))),
        workspace__in=workspaces,
        state=Operation.State.STAGED,
    )
    found: defaultdict[int, list[str]] = defaultdict(list)
    targets = staged.order_by("workspace", "target").values_list("workspace", "target")
    for workspace, path in targets.distinct():
        found[workspace].append(path)
    return found
