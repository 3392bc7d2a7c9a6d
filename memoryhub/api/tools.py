"""Every tool as an operation of its own, with its request and answer as models."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from django.http import HttpResponse
from ninja import Header, Router

from memoryhub.api.door import (
    KEY,
    KEY_HEADER,
    NAME_LENGTH,
    SESSION_HEADER,
    ApiRequest,
    caller_of,
)
from memoryhub.api.shapes import answered, responses
from memoryhub.tools.base import Request, Tool
from memoryhub.tools.calling import call
from memoryhub.tools.registry import TOOLS

Key = Annotated[str, Header(alias=KEY_HEADER, max_length=NAME_LENGTH, description=KEY)]
Session = Annotated[
    str,
    Header(
        alias=SESSION_HEADER,
        max_length=NAME_LENGTH,
        description="The key of the agent's session",
    ),
]


def add_tools(router: Router) -> None:
    """Add an operation for each tool of the registry."""
    for tool in TOOLS.values():
        router.add_api_operation(
            f"/workspaces/{{slug}}/tools/{tool.name}",
            ["POST"],
            operation_of(tool),
            response=responses(tool.answer),
            operation_id=f"tool_{tool.name}",
            url_name=f"tool-{tool.name}",
            summary=tool.title,
            description=tool.description,
            tags=["tools"],
        )


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
    operation.__annotations__ |= {"body": tool.request, "session": Session}
    if not tool.reads_only:
        operation.__annotations__["key"] = Key
    return operation


def _called(
    tool: Tool, request: ApiRequest, slug: str, body: Request, given: dict[str, Any]
) -> HttpResponse:
    caller = caller_of(request, slug, tool.scope, **given)
    return answered(call(tool, caller, body))
