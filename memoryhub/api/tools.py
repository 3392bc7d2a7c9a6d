"""One operation per tool, with its request and answer as models."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Annotated, Any

from django.http import HttpResponse
from ninja import Header, Router
from pydantic import ValidationError, WrapValidator

from memoryhub.api.door import (
    KEY,
    KEY_HEADER,
    NAME_LENGTH,
    ApiRequest,
    Session,
    caller_of,
)
from memoryhub.api.shapes import answered, responses
from memoryhub.tools.base import Request, Tool
from memoryhub.tools.calling import dated_call, invalid
from memoryhub.tools.registry import TOOLS, tool_named

router = Router(tags=["tools"])

Key = Annotated[str, Header(alias=KEY_HEADER, max_length=NAME_LENGTH, description=KEY)]


def operation_of(tool: Tool) -> Callable[..., HttpResponse]:
    """Return the operation that calls a tool."""

    def read(
        request: ApiRequest, slug: str, body: Request, session: str = ""
    ) -> HttpResponse:
        return _called(tool, request, slug, body, {"session": session})

    def change(
        request: ApiRequest, slug: str, body: Request, session: str = "", key: str = ""
    ) -> HttpResponse:
        given = {"session": session, "key": key}
        return _called(tool, request, slug, body, given)

    operation = read if tool.reads_only else change
    body: Any = Annotated[tool.request, WrapValidator(partial(_exact, tool))]
    operation.__annotations__ |= {"body": body, "session": Session}
    if not tool.reads_only:
        operation.__annotations__["key"] = Key
    return operation


def _exact(tool: Tool, value: Any, _: object) -> Request:
    """Validate a request strictly, without type conversion.

    Raises:
        ToolError: ``request-invalid``, with each invalid field.
    """
    try:
        return tool.request.model_validate_json(json.dumps(value), strict=True)
    except ValidationError as error:
        fields = value if isinstance(value, dict) else {}
        raise invalid(tool.name, error, tool.request.lacking(fields)) from error


def _called(
    tool: Tool, request: ApiRequest, slug: str, body: Request, given: dict[str, Any]
) -> HttpResponse:
    caller = caller_of(request, slug, tool.scope_for(body), look=False, **given)
    answer, request.as_of = dated_call(tool, caller, body)
    return answered(answer)


for _tool in TOOLS.values():
    router.add_api_operation(
        f"/workspaces/{{slug}}/tools/{_tool.name}",
        ["POST"],
        operation_of(_tool),
        response=responses(_tool.answer),
        operation_id=f"tool_{_tool.name}",
        url_name=f"tool-{_tool.name}",
        summary=_tool.title,
        description=_tool.description,
    )


@router.post("/workspaces/{slug}/tools/{name}", include_in_schema=False)
def unknown_tool(request: ApiRequest, slug: str, name: str) -> None:
    """Refuse an unknown tool, with the nearest name."""
    request.auth.workspace(slug)
    tool_named(name)
