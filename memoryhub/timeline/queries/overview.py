"""What the overview says besides agents and what waits, each in one query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import OuterRef, Subquery

from memoryhub.journal.models import Workspace
from memoryhub.recall.topic import injected_tokens
from memoryhub.timeline.queries.events import Count
from memoryhub.timeline.queries.news import counted_after
from snapshots.models import Compaction
from topics.models import Decision, Topic

_DECISIONS = 3


@dataclass(frozen=True, slots=True)
class News:
    """How many events of each kind a person has not seen, and of all kinds."""

    kinds: dict[str, int]
    total: Count


def news_after(workspace: Workspace, position: int) -> News:
    """Return what the hub learned of after a position; counts stop at a limit."""
    return News(*counted_after(workspace, position, "kind"))


def recent_decisions(workspace: Workspace) -> list[Decision]:
    """Return the newest decisions."""
    rows = Decision.objects.filter(workspace=workspace)
    rows = rows.select_related("topic", "agent").order_by("-occurred_at")
    return list(rows[:_DECISIONS])


@dataclass(frozen=True, slots=True)
class RecallSize:
    """What an agent is given of a topic after a compaction, and how old it is."""

    name: str
    slug: str
    tokens: int
    compacted_at: datetime | None


def recall_sizes(workspace: Workspace, slugs: Sequence[str]) -> list[RecallSize]:
    """Return how much of some topics an agent is given, in the order they are named."""
    newest = Compaction.objects.filter(topic=OuterRef("pk")).order_by("-occurred_at")
    topics = (
        Topic.objects.filter(workspace=workspace, slug__in=slugs, last_seq=None)
        .select_related("file")
        .annotate(compacted_at=Subquery(newest.values("occurred_at")[:1]))
    )
    found = {topic.slug: topic for topic in topics}
    return [
        RecallSize(
            topic.name,
            slug,
            injected_tokens(topic),
            getattr(topic, "compacted_at", None),
        )
        for slug in slugs
        if (topic := found.get(slug))
    ]
