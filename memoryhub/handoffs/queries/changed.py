"""Which handoffs changed after a place in the journal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from django.db.models import Q
from django.utils import timezone

from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.board import Filters, narrowed
from memoryhub.journal.models import Workspace


def changed(known: Mapping[Workspace, int], filters: Filters) -> int:
    """Return how many handoffs of a filter changed after a seq of their workspace.

    Those that have come into a state, or gone from it, count in any case, and so do
    those that wait for a person, or are late, no longer, and those that no file has
    any longer. Of several workspaces a handoff between two counts once.
    """
    since = [
        Q(workspace=workspace, changed_seq__gt=seq)
        for workspace, seq in known.items()
        if seq < workspace.projected_seq
    ]
    if not since:
        return 0
    rows = Handoff.objects.filter(Q(*since, _connector=Q.OR))
    if len(known) > 1:
        rows = rows.filter(away=False)
    wanted = replace(filters, state="", for_person=False, overdue=False)
    return narrowed(rows, wanted, {}, timezone.now()).count()
