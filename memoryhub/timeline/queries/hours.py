"""Number of events of agents in each of the last 24 hours."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import timedelta

from django.db.models import CharField, Count
from django.db.models.functions import Cast, Substr
from django.utils import timezone

from memoryhub.events.models import Event
from memoryhub.journal.models import Workspace
from memoryhub.journal.page_cache import kept
from memoryhub.journal.precision import Precision
from topics.queries.sessions import HOURS, by_hour

#: Length of a stored time up to its hour: ``2026-11-20 08``.
_HOUR = len("2026-11-20 08")

Hours = tuple[int, ...]


def agent_hours(workspace: Workspace, ids: Sequence[int]) -> Mapping[int, Hours]:
    """Return the counts of agents' last 24 hours, in one query; cached.

    They end at the hub's last check. Events with only a day, or without a time, are
    in no hour.
    """
    return kept(workspace, ("agent hours", *ids), lambda: _agent_hours(workspace, ids))


def _agent_hours(workspace: Workspace, ids: Sequence[int]) -> Mapping[int, Hours]:
    until = workspace.checked_at or timezone.now()
    rows = (
        Event.objects.filter(
            agent_id__in=ids,
            occurred_at__gt=until - timedelta(hours=HOURS),
            occurred_at__lte=until,
        )
        .exclude(precision__in=(Precision.DAY, Precision.NONE))
        .annotate(hour=Substr(Cast("occurred_at", CharField()), 1, _HOUR))
        .order_by()
        .values_list("agent_id", "hour")
        .annotate(n=Count("pk"))
    )
    counts: dict[int, dict[str, int]] = defaultdict(dict)
    for agent_id, hour, number in rows:
        counts[agent_id][hour] = number
    return {agent_id: by_hour(counts[agent_id], until) for agent_id in ids}
