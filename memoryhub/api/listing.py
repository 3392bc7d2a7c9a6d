"""Shared by all lists: parameters, cursors and pages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Self, TypeVar

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
from memoryhub.api.queries import PAGE_SIZE
from memoryhub.api.shapes import answered
from memoryhub.errors.base import ToolError
from memoryhub.values.cursors import (
    MAX_LENGTH,
    TimeKey,
    decode_time_key,
    encode_cursor,
)
from snapshots.models import Told
from topics.models import Decision

T = TypeVar("T")
K = TypeVar("K")


class ListQuery(BaseModel):
    """Where a list is to begin."""

    cursor: str = Field(
        "", max_length=MAX_LENGTH, description="The next of a page before"
    )

    @model_validator(mode="after")
    def _refuse_unknown(self, info: ValidationInfo) -> Self:
        """Refuse parameters that the list does not have."""
        sent = info.context["request"].GET if info.context else {}
        unknown: list[InitErrorDetails] = [
            {"type": "extra_forbidden", "loc": (name,), "input": sent[name]}
            for name in sent
            if name not in type(self).model_fields
        ]
        if unknown:
            raise ValidationError.from_exception_data("query", unknown)
        return self

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

    q: str = Field("", max_length=NAME_LENGTH, description="Only what has this text")


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


def time_cursor(row: Told | Decision) -> str:
    """Return the cursor of a row in a list by time."""
    return encode_cursor(row.occurred_at, row.id)
