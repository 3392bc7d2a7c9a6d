"""Data of the frame around every page of a workspace."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from datetime import date, datetime
from typing import Any, NamedTuple

from django.db import connection
from django.db.models import Count as Counted
from django.db.models import F, QuerySet

from memoryhub.events.models import Event
from memoryhub.journal.models import Problem, SourceFile, Workspace
from memoryhub.journal.rows import table_of
from memoryhub.timeline.queries.elsewhere import sent_from, topics_of
from topics.models import Topic
from topics.queries.topics import Standing, standings

#: Topics that the sidebar names.
SIDEBAR_TOPICS = 6
#: Limit of counts of news, so that a long absence costs no more than a short one.
NEWS_LIMIT = 2_000


class Counts(NamedTuple):
    """Numbers of a workspace's topics, files and open problems."""

    topics: int
    files: int
    problems: int


def counts_of(workspace_ids: Collection[int]) -> dict[int, Counts]:
    """Return the numbers of workspaces' rows, by workspace id."""
    files = SourceFile.objects.filter(present=True)
    problems = Problem.objects.filter(until_seq__isnull=True, cleared_seq__isnull=True)
    counts = [
        count_by_workspace(rows, workspace_ids)
        for rows in (Topic.objects.all(), files, problems)
    ]
    return {
        row_id: Counts(*(numbers.get(row_id, 0) for numbers in counts))
        for row_id in workspace_ids
    }


def count_by_workspace(
    rows: QuerySet[Any], workspace_ids: Collection[int]
) -> dict[int, int]:
    """Return the number of rows of each workspace that has any."""
    chosen = rows.filter(workspace__in=workspace_ids).order_by()
    return dict(chosen.values_list("workspace").annotate(n=Counted("pk")))


def frame_facts(workspace: Workspace) -> tuple[list[tuple[Topic, Standing]], Counts]:
    """Return the most recently active topics with their states, and the counts."""
    rows = Topic.objects.filter(workspace=workspace)
    order = (F("updated_on").desc(nulls_last=True), "-status_seq", "name")
    topics = list(rows.order_by(*order)[:SIDEBAR_TOPICS])
    found = standings(workspace, topics)

    def activity(topic: Topic) -> tuple[date, float]:
        snapshot = found[topic.pk].latest
        at = snapshot.stated_at if snapshot else None
        return topic.updated_on or date.min, at.timestamp() if at else 0.0

    topics.sort(key=activity, reverse=True)
    counts = counts_of([workspace.pk])[workspace.pk]
    return [(topic, found[topic.pk]) for topic in topics], counts


def news_by_topic(
    workspace: Workspace, position: int, since: datetime | None
) -> dict[int, int]:
    """Return the number of events recorded after a position, by topic id.

    `since` is the time of the position, for handoffs that were sent elsewhere.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT topic_id, COUNT(*) FROM (SELECT topic_id"
            f" FROM {table_of(Event)} WHERE workspace_id = %s AND position > %s"
            f" ORDER BY position DESC LIMIT {NEWS_LIMIT}) AS news GROUP BY topic_id",
            [workspace.pk, position],
        )
        found = Counter(dict(cursor.fetchall()))
    sent = _news_elsewhere(workspace, since) if since else []
    topics = topics_of(workspace.pk, sent)
    found.update(topics[row_id].pk for row_id in sent if row_id in topics)
    return found


def _news_elsewhere(workspace: Workspace, since: datetime) -> list[int]:
    """Return the handoffs sent elsewhere, once for each event recorded after a time."""
    rows = sent_from(workspace.pk).filter(recorded_at__gt=since).order_by()
    targets = rows.values_list("target_id", flat=True)[:NEWS_LIMIT]
    return [row_id for row_id in targets if row_id is not None]
