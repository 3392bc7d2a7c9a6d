"""Places and times of a fact that several files can contain."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from memoryhub.journal.models import Revision, Source


@dataclass(frozen=True, slots=True)
class Spoken:
    """A span of a fact in a file, with the revisions at its ends."""

    source: Source
    first: Revision | None
    last: Revision | None


def with_ends(workspace_id: int, rows: Iterable[Source]) -> list[Spoken]:
    """Return spans in their order, with the revisions at their ends: one query."""
    spans = list(rows)
    seqs = {seq for row in spans for seq in (row.first_seq, row.last_seq) if seq}
    found = Revision.objects.filter(workspace=workspace_id, seq__in=seqs)
    ends = {row.seq: row for row in found.select_related("run")}
    return [
        Spoken(row, ends.get(row.first_seq), ends.get(row.last_seq or 0))
        for row in spans
    ]
