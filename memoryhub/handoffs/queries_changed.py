"""Which handoffs changed after a place in the journal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from django.db.models import Max
from django.utils import timezone

from memoryhub.handoffs.queries import Filters, found
from memoryhub.timeline.models import Event
from memoryhub.workspaces.models import Workspace

#: Events that are looked at: after more of them a page is told of those.
_MOST = 1_000


def mark_of(workspaces: Sequence[Workspace]) -> int:
    """Return a number that becomes another one with every change of their handoffs."""
    told = Event.objects.filter(workspace__in=workspaces, kind=Event.Kind.HANDOFF)
    newest = told.order_by().values("workspace").annotate(newest=Max("position"))
    return sum(newest.values_list("newest", flat=True))


def changed(workspace: Workspace, filters: Filters, after: int) -> int:
    """Return how many handoffs of a filter have events after a position.

    Those that have come into a state, or gone from it, count in any case, and so do
    those that wait for a person, or are late, no longer.
    """
    wanted = replace(filters, state="", for_person=False, overdue=False)
    told = Event.objects.filter(
        workspace=workspace, position__gt=after, kind=Event.Kind.HANDOFF
    ).order_by("-position")
    rows = found([workspace], wanted, {}, timezone.now())
    return rows.filter(pk__in=told.values("target_id")[:_MOST]).count()
