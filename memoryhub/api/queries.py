"""Queries of lists that only the API has, with keyset pagination on indexes."""

from __future__ import annotations

from datetime import datetime
from typing import TypeVar

from django.db.models import Q, QuerySet

from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.board import Filters, narrowed, with_overdue
from memoryhub.handoffs.queries.figures import median_leads
from memoryhub.journal.models import Agent, Workspace
from memoryhub.values.cursors import TimeKey
from snapshots.models import Snapshot
from topics.models import Decision, Topic
from topics.queries.decisions import Wanted, older_than
from topics.queries.topics import topic_ids_named

PAGE_SIZE = 50

Row = TypeVar("Row", Snapshot, Handoff, Decision)


def topic_page(
    workspace: Workspace, *, text: str = "", after: tuple[str, int] | None = None
) -> list[Topic]:
    """Return a page of topics by name, plus one row if there are more."""
    rows = Topic.objects.filter(workspace=workspace).select_related("file")
    if text:
        rows = rows.filter(Q(name__icontains=text) | Q(status__icontains=text))
    if after is not None:
        name, row_id = after
        rows = rows.filter(
            Q(name__gt=name) | Q(name=name, id__gt=row_id), name__gte=name
        )
    return list(rows.order_by("name", "id")[: PAGE_SIZE + 1])


def snapshot_rows(workspace: Workspace) -> QuerySet[Snapshot]:
    """Return a workspace's snapshots, without copies in other files."""
    rows = Snapshot.objects.filter(workspace=workspace, copy_of__isnull=True)
    return rows.select_related("agent", "topic", "file")


def handoff_rows(
    workspace: Workspace, filters: Filters, now: datetime
) -> QuerySet[Handoff]:
    """Return a workspace's handoffs, also those in no file any more."""
    leads = median_leads([workspace])
    rows = Handoff.objects.filter(workspace=workspace)
    rows = narrowed(rows, filters, leads, now)
    rows = with_overdue(rows, leads, now)
    return rows.select_related("agent", "topic", "file")


def decision_rows(wanted: Wanted) -> QuerySet[Decision]:
    """Return the wanted decisions, with agent and topic."""
    return wanted.rows().select_related("agent", "topic")


def newest_page(rows: QuerySet[Row], before: TimeKey | None) -> list[Row]:
    """Return a page of rows, newest first, plus one row if there are more."""
    if before is not None:
        rows = rows.filter(older_than(before))
    return list(rows.order_by("-occurred_at", "-id")[: PAGE_SIZE + 1])


def of_owner(
    rows: QuerySet[Row], workspace: Workspace, *, topic: str, agent: str
) -> QuerySet[Row]:
    """Filter rows by topic and agent; "" does not filter."""
    if topic:
        rows = rows.filter(topic__in=topic_ids_named(workspace, topic))
    return rows.filter(agent__name=agent) if agent else rows


def agent_id(workspace: Workspace, name: str) -> int:
    """Return the id of an agent; 0, which no agent has, if there is none."""
    rows = Agent.objects.filter(workspace=workspace, name=name)
    return rows.values_list("id", flat=True).first() or 0
