"""Data of the overview except agents and turns, each in one query."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime

from django.db.models import OuterRef, Subquery

from memoryhub.events.models import Event
from memoryhub.journal.models import Workspace
from memoryhub.journal.page_cache import cached
from memoryhub.recall.topic import injected_tokens
from snapshots.models import Compaction, Snapshot
from topics.models import Decision, Topic

_DECISIONS = 3
#: Limit of topics with a recall size, and of the events that decide which are busiest.
_TOPICS, _EVENTS = 4, 500


def recent_decisions(workspace: Workspace) -> list[Decision]:
    """Return the newest decisions."""
    rows = Decision.objects.filter(workspace=workspace)
    rows = rows.select_related("topic", "agent").order_by("-occurred_at")
    return list(rows[:_DECISIONS])


@dataclass(frozen=True, slots=True)
class RecallSize:
    """A topic's tokens in snap-memory's form, and when it was saved and compacted."""

    name: str
    slug: str
    tokens: int
    saved_at: datetime | None
    compacted_at: datetime | None


def recall_sizes(workspace: Workspace) -> list[RecallSize]:
    """Return the recall sizes of the busiest topics, the busiest first.

    Busiest are the topics with most of the newest events.
    """
    return cached(workspace, "recall-sizes", lambda: _recall_sizes(workspace))


def _recall_sizes(workspace: Workspace) -> list[RecallSize]:
    events = Event.objects.filter(workspace=workspace, topic__last_seq__isnull=True)
    newest = events.exclude(topic=None).order_by("-occurred_at", "-position")
    ids = Counter(newest.values_list("topic_id", flat=True)[:_EVENTS])
    busiest = [row_id for row_id, _ in ids.most_common(_TOPICS)]
    rows = Topic.objects.filter(pk__in=busiest).select_related("file")
    topics = list(
        rows.annotate(saved_at=_newest(Snapshot), compacted_at=_newest(Compaction))
    )
    topics.sort(key=lambda topic: busiest.index(topic.pk))
    tokens = injected_tokens(workspace, topics)
    return [
        RecallSize(t.name, t.slug, tokens[t.pk], t.saved_at, t.compacted_at)
        for t in topics
    ]


def _newest(model: type[Snapshot] | type[Compaction]) -> Subquery:
    rows = model._default_manager.filter(topic=OuterRef("pk"))
    return Subquery(rows.order_by("-occurred_at").values("occurred_at")[:1])
