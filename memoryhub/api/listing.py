"""Lists of the API: parameters, queries, cursors and pages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Self, TypeVar

from django.db.models import Q, QuerySet
from django.http import HttpResponse
from pydantic import (
    BaseModel,
    Field,
    ValidationError,
    ValidationInfo,
    model_validator,
)
from pydantic_core import InitErrorDetails

from memoryhub.api.door import NAME_LENGTH
from memoryhub.api.shapes import answered
from memoryhub.errors.base import ToolError
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.board import (
    Filters,
    median_leads,
    narrowed,
    with_overdue,
)
from memoryhub.handoffs.queries.sides import of_sides
from memoryhub.journal.models import Workspace
from memoryhub.values.cursors import (
    MAX_LENGTH,
    TimeKey,
    decode_time_key,
    encode_cursor,
)
from snapshots.models import NEWEST_FIRST, AuthoredSpan, Snapshot
from snapshots.queries.snapshots import behind
from topics.models import Decision, Directive, Topic
from topics.queries.decisions import DecisionFilter
from topics.queries.topics import topic_ids_named

T = TypeVar("T")
K = TypeVar("K")
PAGE_SIZE = 50
Row = TypeVar("Row", Snapshot, Handoff, Decision)


class CheckedQuery(BaseModel):
    """Parameters of an operation; unknown ones are refused."""

    @model_validator(mode="after")
    def _refuse_unknown(self, info: ValidationInfo) -> Self:
        """Refuse parameters that the operation does not have."""
        sent = info.context["request"].GET if info.context else {}
        fields = type(self).model_fields
        known = {field.alias or name for name, field in fields.items()}
        unknown: list[InitErrorDetails] = [
            {"type": "extra_forbidden", "loc": (name,), "input": sent[name]}
            for name in sent
            if name not in known
        ]
        if unknown:
            raise ValidationError.from_exception_data("query", unknown)
        return self


class ListQuery(CheckedQuery):
    """Where a list is to begin."""

    cursor: str = Field(
        "", max_length=MAX_LENGTH, description="The next of a page before"
    )

    def after(self, decode: Callable[[str], K]) -> K | None:
        """Return the key of the last row before the page; None for the first page.

        Raises:
            ToolError: ``cursor-invalid``, not a cursor of this list.
        """
        try:
            return decode(self.cursor) if self.cursor else None
        except ValueError as error:
            raise ToolError("cursor-invalid") from error

    @property
    def before(self) -> TimeKey | None:
        """Key of the last row before the page of a list by time."""
        return self.after(decode_time_key)


class SearchQuery(ListQuery):
    """Rows of a list by a text."""

    q: str = Field("", max_length=NAME_LENGTH, description="Filter by text")


class OwnerQuery(ListQuery):
    """Filter of a list by topic and agent."""

    topic: str = Field("", max_length=300, description="Only of this topic: slug, code")
    agent: str = Field("", max_length=NAME_LENGTH, description="Only of this agent")


def listed(
    found: Sequence[T],
    record: Callable[[T], BaseModel],
    cursor: Callable[[T], str],
    *,
    size: int = PAGE_SIZE,
) -> HttpResponse:
    """Return a page of rows; one row beyond `size` means there is a next page."""
    shown = found[:size]
    following = cursor(shown[-1]) if len(found) > size else None
    return answered([record(row) for row in shown], following)


def time_cursor(row: AuthoredSpan | Decision | Directive) -> str:
    """Return the cursor of a row in a list by time."""
    return encode_cursor(row.occurred_at, row.id)


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
    rows = of_sides(Handoff.objects.all(), [workspace])
    rows = narrowed(rows, filters, [workspace], now, leads)
    rows = with_overdue(rows, leads, now)
    return rows.select_related("agent", "topic", "file")


def decision_rows(wanted: DecisionFilter) -> QuerySet[Decision]:
    """Return the wanted decisions, with agent and topic."""
    return wanted.rows().select_related("agent", "topic")


def snapshot_page(rows: QuerySet[Snapshot], before: TimeKey | None) -> list[Snapshot]:
    """Return a page of snapshots, newest first, plus one row if there are more."""
    if before is not None:
        at, row_id = before
        last = Snapshot.objects.filter(pk=row_id, occurred_at=at).first()
        rows = rows.filter(behind(last) if last else Q(occurred_at__lt=at))
    return list(rows.order_by(*NEWEST_FIRST)[: PAGE_SIZE + 1])


def of_owner(
    rows: QuerySet[Row], workspace: Workspace, *, topic: str, agent: str
) -> QuerySet[Row]:
    """Filter rows by topic and agent; "" does not filter."""
    if topic:
        rows = rows.filter(topic__in=topic_ids_named(workspace, topic))
    return rows.filter(agent__name=agent) if agent else rows
