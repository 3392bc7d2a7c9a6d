"""The two shapes of responses: data with a cursor, and an error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Generic, TypeVar

from django.http import JsonResponse
from pydantic import BaseModel, Field

T = TypeVar("T")


class Data(BaseModel, Generic[T]):
    """An answer; `next` is the cursor of the next page, null at the last one."""

    data: T
    next: str | None = Field(description="Give it as cursor for the next page")


class ErrorFacts(BaseModel):
    """An error: code for programs, message for people, details."""

    code: str
    message: str
    details: dict[str, Any]


class Failure(BaseModel):
    """Why nothing was done."""

    error: ErrorFacts


#: All error statuses of operations.
FAILURES = frozenset(
    {400, 401, 403, 404, 405, 408, 409, 410, 412, 413, 415, 422, 428, 429, 503, 507}
)


def responses(model: Any) -> Mapping[Any, Any]:
    """Return the response declaration of an operation with this model."""
    return {200: Data[model], FAILURES: Failure}


def answered(
    data: BaseModel | Sequence[BaseModel], following: str | None = None
) -> JsonResponse:
    """Return a response with data and the cursor of the next page."""
    if isinstance(data, BaseModel):
        said: Any = data.model_dump(mode="json")
    else:
        said = [row.model_dump(mode="json") for row in data]
    return JsonResponse({"data": said, "next": following})
