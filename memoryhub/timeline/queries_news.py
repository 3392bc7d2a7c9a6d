"""How much of a workspace is new to a person, by topic."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import connection

from memoryhub.timeline.models import Event
from memoryhub.timeline.queries import Count
from memoryhub.workspaces.models import Workspace

#: Counts go no further, so that a long absence costs no more than a short one.
_MOST = 2_000


@dataclass(frozen=True, slots=True)
class NewCounts:
    """New events in all, and those of each topic by its id."""

    total: Count
    topics: dict[int, int]


def new_counts(workspace: Workspace, position: int) -> NewCounts:
    """Return how many events the hub learned of after a position, in one query."""
    table = connection.ops.quote_name(Event._meta.db_table)
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT topic_id, COUNT(*) FROM (SELECT topic_id FROM {table}"
            " WHERE workspace_id = %s AND position > %s"
            f" ORDER BY position DESC LIMIT {_MOST + 1}) AS news GROUP BY topic_id",
            [workspace.pk, position],
        )
        found: dict[int | None, int] = dict(cursor.fetchall())
    total = sum(found.values())
    topics = {topic: number for topic, number in found.items() if topic is not None}
    return NewCounts(Count(min(total, _MOST), total > _MOST), topics)
