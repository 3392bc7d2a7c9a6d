"""Number of a workspace's events new to a person, by topic or by kind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from django.db import connection

from memoryhub.events.models import Event
from memoryhub.journal.models import Workspace
from memoryhub.journal.sql import table_of
from memoryhub.timeline.queries.events import Count

#: Limit of counts, so that a long absence costs no more than a short one.
NEWS_LIMIT = 2_000


@dataclass(frozen=True, slots=True)
class NewCounts:
    """The number of new events, in total and by topic id."""

    total: Count
    topics: dict[int, int]


def new_counts(workspace: Workspace, position: int) -> NewCounts:
    """Return the number of events recorded after a position, in one query."""
    found, total = counted_after(workspace, position, "topic_id")
    topics = {topic: number for topic, number in found.items() if topic is not None}
    return NewCounts(total, topics)


def counted_after(
    workspace: Workspace, position: int, by: Literal["kind", "topic_id"]
) -> tuple[dict[Any, int], Count]:
    """Return the counts after a position by value of a column, and of events in total.

    By kind, things are counted: once each, even with several events.
    """
    table, things = table_of(Event), "COUNT(*)"
    if by == "kind":
        things = "COUNT(DISTINCT COALESCE(target_id, -id))"
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT {by}, {things}, COUNT(*) FROM (SELECT id, {by}, target_id"
            f" FROM {table} WHERE workspace_id = %s AND position > %s"
            f" ORDER BY position DESC LIMIT {NEWS_LIMIT + 1}) AS news GROUP BY {by}",
            [workspace.pk, position],
        )
        rows = cursor.fetchall()
    found = {value: number for value, number, _ in rows}
    total = sum(events for *_, events in rows)
    return found, Count(min(total, NEWS_LIMIT), total > NEWS_LIMIT)
