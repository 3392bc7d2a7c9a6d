"""Shared by all lists: cursor parameter and page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from django.http import HttpResponse
from pydantic import BaseModel, Field

from memoryhub.api.cursors import LENGTH, cursor_at
from memoryhub.api.door import NAME_LENGTH
from memoryhub.api.queries import PAGE_SIZE
from memoryhub.api.shapes import answered
from snapshots.models import Told

T = TypeVar("T")


class Asked(BaseModel):
    """Where a list is to begin."""

    cursor: str = Field("", max_length=LENGTH, description="The next of a page before")


class Searched(Asked):
    """Rows of a list by a text."""

    q: str = Field("", max_length=NAME_LENGTH, description="Only what has this text")


class Narrowed(Asked):
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


def cursor_of_told(row: Told) -> str:
    """Return the cursor of a row in a list ordered by time."""
    return cursor_at(row.occurred_at, row.id)
