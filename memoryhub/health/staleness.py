"""Stale topics: open work without events for long."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from memoryhub.events.rules.agent_states import quiet_after, usual_gap
from memoryhub.journal.models import Workspace
from memoryhub.journal.page_cache import cached
from topics.models import Topic
from topics.queries.topics import last_moments, latest_snapshots, topic_state

#: States in which something is left to do.
_OPEN = ("progress", "open")
#: Topics that are looked at.
_TOPICS = 500


@dataclass(frozen=True, slots=True)
class StaleTopic:
    """A topic that went quiet: since when, and its usual gap.

    `limit` is the gap from which it counts as stale: 2 hours, or three usual gaps.
    """

    name: str
    slug: str
    last_at: datetime
    age: timedelta
    gap: timedelta | None
    limit: timedelta


def stale_topics(workspace: Workspace) -> list[StaleTopic]:
    """Return topics with open work and no events for long, the longest first.

    Measured at the last check of the files, not now: an outage of the hub is not an
    agent's silence. Cached.
    """
    return cached(workspace, "stale topics", lambda: _stale_topics(workspace))


def _stale_topics(workspace: Workspace) -> list[StaleTopic]:
    looked_at = workspace.checked_at
    if looked_at is None:
        return []
    topics = _open_topics(workspace)
    by_topic = dict(last_moments([topic.id for topic in topics]))
    found = []
    for topic in topics:
        moments = by_topic.get(topic.id, [])
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
    latest = latest_snapshots(topics)
    return [t for t in topics if topic_state(t, latest.get(t.id)) in _OPEN]
