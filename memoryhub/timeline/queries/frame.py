"""Data of the frame around every page of a workspace, in one query."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, NamedTuple

from django.db import connection

from memoryhub.journal.models import Problem, SourceFile, Workspace
from memoryhub.journal.sql import moment_of, table_of
from snapshots.models import Snapshot
from topics.models import Topic
from topics.queries.topics import topic_state

#: Topics that the sidebar names.
SIDEBAR_TOPICS = 6


@dataclass(frozen=True, slots=True)
class SidebarTopic:
    """A topic as the sidebar names it."""

    id: int
    slug: str
    name: str
    state: str


@dataclass(frozen=True, slots=True)
class ShellFacts:
    """Data of the frame around every page of a workspace."""

    topics: tuple[SidebarTopic, ...]
    topic_count: int
    file_count: int
    problem_count: int


class Counts(NamedTuple):
    """Numbers of a workspace's rows by kind."""

    workspace_id: int
    topics: int
    files: int
    problems: int


def counts_of(workspace_ids: Collection[int]) -> list[Counts]:
    """Return counts by indexes alone; the ORM would take longer to build the query."""
    with connection.cursor() as cursor:
        cursor.execute(_counts_sql(len(workspace_ids)), list(workspace_ids))
        return [Counts(*row) for row in cursor.fetchall()]


def shell_facts(workspace: Workspace) -> ShellFacts:
    """Return the frame's data: counts, and the most recently active topics."""
    with connection.cursor() as cursor:
        cursor.execute(_shell_sql(), [workspace.pk, workspace.pk])
        rows = cursor.fetchall()
    size = len(Counts._fields)
    counts = Counts(*rows[0][:size])
    found = [_topic(row[size:]) for row in rows if row[size] is not None]
    found.sort(key=lambda pair: _activity(*pair), reverse=True)
    return ShellFacts(
        topics=tuple(
            SidebarTopic(topic.id, topic.slug, topic.name, topic_state(topic, latest))
            for topic, latest in found
        ),
        topic_count=counts.topics,
        file_count=counts.files,
        problem_count=counts.problems,
    )


def _topic(row: Sequence[Any]) -> tuple[Topic, Snapshot | None]:
    """Return a topic and its newest snapshot, with the columns that set its state."""
    row_id, slug, name, kind, status, updated, last_seq, blocked, percent, at = row
    topic = Topic(
        id=row_id,
        slug=slug,
        name=name,
        kind=kind,
        status=status,
        updated_on=date.fromisoformat(str(updated)) if updated else None,
        last_seq=last_seq,
    )
    if at is None:
        return topic, None
    return topic, Snapshot(
        blocked=bool(blocked), percent=percent, occurred_at=moment_of(at)
    )


def _activity(topic: Topic, latest: Snapshot | None) -> tuple[date, float]:
    """Return the time of a topic's last activity, as a sort key."""
    at = latest.occurred_at.timestamp() if latest else 0.0
    return topic.updated_on or date.min, at


def _shell_sql() -> str:
    """Return the query: the counts joined to each topic, or alone without topics.

    The newest snapshot of each topic is one index walk.
    """
    topic, snapshot = table_of(Topic), table_of(Snapshot)
    return f"""WITH counts AS MATERIALIZED ({_counts_sql(1)})
SELECT counts.*, t.id, t.slug, t.name, t.kind, t.status, t.updated_on, t.last_seq,
  s.blocked, s.percent, s.occurred_at
FROM counts LEFT JOIN (SELECT * FROM {topic} WHERE workspace_id = %s
  ORDER BY updated_on DESC NULLS LAST, status_seq DESC, name LIMIT {SIDEBAR_TOPICS}
) AS t ON 1 = 1
LEFT JOIN {snapshot} AS s ON s.id = (SELECT n.id FROM {snapshot} AS n
  WHERE n.topic_id = t.id AND n.copy_of_id IS NULL
  ORDER BY n.occurred_at DESC LIMIT 1)"""


def _counts_sql(workspaces: int) -> str:
    inner = ", ".join(
        f"(SELECT COUNT(*) FROM {table_of(model)} AS counted"
        f" WHERE counted.workspace_id = w.id{condition}) AS {name}"
        for name, model, condition in (
            ("topics", Topic, ""),
            ("files", SourceFile, " AND counted.present"),
            (
                "problems",
                Problem,
                " AND counted.until_seq IS NULL AND counted.cleared_seq IS NULL",
            ),
        )
    )
    marks = ", ".join(["%s"] * workspaces) or "NULL"
    table = table_of(Workspace)
    return f"SELECT w.id, {inner} FROM {table} AS w WHERE w.id IN ({marks})"
