"""The doors of a tool, each asked as its callers ask, and what they give."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import anyio
from django.core.management import CommandError, call_command
from mcp.client import Client as McpClient
from mcp_types import CallToolResult, TextContent

from memoryhub.mcp.connections import Connection
from memoryhub.mcp.server import KEY_META, hub_server
from memoryhub.mcp.tools import ERROR_META, SAFETY_FIELD
from memoryhub.people.access import Access
from memoryhub.tools.calling import (
    CallerOptions,
    call,
    caller_of,
    request_of,
)
from memoryhub.tools.registry import tool_named
from memoryhub.web.kit.refusals import REFUSED, refusal_of
from tests.signing import own_program


@dataclass(frozen=True, slots=True)
class Given:
    """Fields, or what was wrong; and a text, where the door has one."""

    fields: Any
    text: str | None = None
    refused: bool = False

    def has_text_of(self, other: Given) -> bool:
        """Tell whether its text is the other's; a terminal ends it with a line end."""
        if self.text is None or other.text is None:
            return True
        return self.text.rstrip("\n") == other.text.rstrip("\n")


Door = Callable[[CallerOptions, str, Mapping[str, Any]], Given]


def directly(said: CallerOptions, name: str, fields: Mapping[str, Any]) -> Given:
    """Ask without a door between."""
    tool = tool_named(name)
    try:
        request = request_of(tool, fields)
        answer = call(tool, caller_of(Access(), said, tool.scope), request)
    except REFUSED as error:
        refusal = refusal_of(error)
        return Given(refusal.as_json(), refusal.as_text(), refused=True)
    return Given(answer.model_dump(mode="json"), answer.as_text())


def by_command(said: CallerOptions, name: str, fields: Mapping[str, Any]) -> Given:
    """Ask on the command line, once as a program and once as a person."""
    told = {key: value for key, value in said.model_dump().items() if value}
    options = [f"--{key}={value}" for key, value in told.items()]
    line = ["tool", name, f"--request={json.dumps(fields)}", *options]
    for_program, for_person = io.StringIO(), io.StringIO()
    try:
        call_command(*line, "--json", stdout=for_program)
    except CommandError as error:
        return Given(json.loads(for_program.getvalue()), str(error), refused=True)
    call_command(*line, stdout=for_person)
    return Given(json.loads(for_program.getvalue()), for_person.getvalue())


def by_rest(said: CallerOptions, name: str, fields: Mapping[str, Any]) -> Given:
    """Ask the API."""
    headers = {
        "memoryhub-agent": said.agent,
        "memoryhub-session": said.session,
        "idempotency-key": said.key,
    }
    client = own_program(**headers)
    url = f"/api/v1/workspaces/{said.workspace}/tools/{name}"
    response = client.post(url, json.dumps(fields), "application/json")
    told = response.json()
    if response.status_code != 200:
        return Given(told, refused=True)
    return Given(told["data"])


def by_mcp(said: CallerOptions, name: str, fields: Mapping[str, Any]) -> Given:
    """Ask as a host of the protocol does, with the SDK's own client."""
    server = hub_server(lambda context: Connection(said, Access()))

    meta: Any = {KEY_META: said.key}

    async def asked() -> CallToolResult:
        async with McpClient(server, mode="legacy") as client:
            return await client.call_tool(name, dict(fields), meta=meta)

    given = anyio.run(asked)
    (content,) = given.content
    assert isinstance(content, TextContent)
    if given.is_error:
        return Given({"error": (given.meta or {})[ERROR_META]}, content.text, True)
    assert isinstance(given.structured_content, dict)
    assert given.structured_content.pop(SAFETY_FIELD)
    return Given(given.structured_content, content.text)


DOORS: Mapping[str, Door] = {"cli": by_command, "rest": by_rest, "mcp": by_mcp}
