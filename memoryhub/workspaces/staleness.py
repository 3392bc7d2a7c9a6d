"""Topics whose work is open and of which nothing was told for long."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import connection

from memoryhub.timeline.agent_states import active_at, quiet_after, usual_gap
from memoryhub.timeline.models import Event
from memoryhub.timeline.turns import moment_of
from memoryhub.workspaces.models import Workspace
from memoryhub.workspaces.rows import table_of
from topics.models import Topic
from topics.queries import latest_snapshots, topic_state

#: States in which something is left to do.
_OPEN = ("progress", "open")
#: Topics that are looked at, and events of each.
_TOPICS = 500
_EVENTS = 12


@dataclass(frozen=True, slots=True)
class StaleTopic:
    """A topic that went quiet: since when, and what its usual gap was.

    `limit` is after how long the rule calls it stale: 2 hours, or three usual gaps.
    """

    name: str
    slug: str
    last_at: datetime
    age: timedelta
    gap: timedelta | None
    limit: timedelta


def stale_topics(workspace: Workspace) -> list[StaleTopic]:
    """Return topics with open work and nothing told for long, the longest first.

    Measured at the last look at the files, not now: silence of the hub is none of
    an agent. Three queries.
    """
    looked_at = workspace.checked_at
    if looked_at is None:
        return []
    topics = _open_topics(workspace)
    told = _told([topic.id for topic in topics])
    found = []
    for topic in topics:
        moments = told.get(topic.id, [])
        if not moments:
            continue
        last, gap = max(moments), usual_gap(moments)
        age, limit = looked_at - last, quiet_after(gap)
        if age > limit:
            stale = StaleTopic(topic.name, topic.slug, last, age, gap, limit)
            found.append(stale)
    return sorted(found, key=lambda one: (-one.age, one.slug))


def _open_topics(workspace: Workspace) -> list[Topic]:
    rows = Topic.objects.filter(
        workspace=workspace, last_seq=None, kind=Topic.Kind.CONTEXT
    ).only("name", "slug", "kind", "status", "updated_on", "last_seq")
    topics = list(rows.order_by("-status_seq")[:_TOPICS])
    latest = latest_snapshots([topic.id for topic in topics])
    return [t for t in topics if topic_state(t, latest.get(t.id)) in _OPEN]


def _told(topic_ids: Sequence[int]) -> dict[int, list[datetime]]:
    """Return when the newest events of each topic were: one walk of an index each."""
    if not topic_ids:
        return {}
    table, topics = table_of(Event), table_of(Topic)
    marks = ", ".join(["%s"] * len(topic_ids))
    sql = (
        "SELECT e.topic_id, e.occurred_at, e.recorded_at, e.precision, e.run_number"
        f" FROM {topics} AS t JOIN {table} AS e ON e.id IN (SELECT n.id FROM {table}"
        " AS n WHERE n.topic_id = t.id ORDER BY n.occurred_at DESC, n.position DESC"
        f" LIMIT {_EVENTS}) WHERE t.id IN ({marks})"
    )
    found: dict[int, list[datetime]] = defaultdict(list)
    with connection.cursor() as cursor:
        cursor.execute(sql, topic_ids)
        for topic, occurred, recorded, precision, run in cursor.fetchall():
            moments = moment_of(occurred), moment_of(recorded)
            at = active_at(*moments, precision, first_import=run == 1)
            if at is not None:
                found[topic].append(at)
    return found
