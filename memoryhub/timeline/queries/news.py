"""How much of a workspace is new to a person, by topic or by kind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from django.db import connection

from memoryhub.events.models import Event
from memoryhub.journal.models import Workspace
from memoryhub.journal.sql import table_of
from memoryhub.timeline.queries.events import Count

#: Counts go no further, so that a long absence costs no more than a short one.
NEWS_LIMIT = 2_000


@dataclass(frozen=True, slots=True)
class NewCounts:
    """New events in all, and those of each topic by its id."""

    total: Count
    topics: dict[int, int]


def new_counts(workspace: Workspace, position: int) -> NewCounts:
    """Return how many events the hub learned of after a position, in one query."""
    found, total = counted_after(workspace, position, "topic_id")
    topics = {topic: number for topic, number in found.items() if topic is not None}
    return NewCounts(total, topics)


def counted_after(
    workspace: Workspace, position: int, by: Literal["kind", "topic_id"]
) -> tuple[dict[Any, int], Count]:
    """Return how much came after a position for each value, and events in all.

    By kind things are counted, each once however many events tell of it.
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
