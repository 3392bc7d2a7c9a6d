"""What the server lists and answers, asked by the SDK's own client."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client import Client
from mcp.shared.exceptions import MCPError

from memoryhub.mcp.connections import Connection
from memoryhub.mcp.server import hub_server
from memoryhub.mcp.tools import ERROR_META
from memoryhub.people.access import Access
from memoryhub.tools.callers import Said
from memoryhub.tools.registry import TOOLS
from tests.conftest import MakeWorkspace

pytestmark = pytest.mark.django_db(transaction=True)


def asked(said: Said, *work: Callable[[Client], Any]) -> list[Any]:
    """Return what a client of a server in this process gets."""

    async def run() -> list[Any]:
        server = hub_server(lambda context: Connection(said, Access()))
        async with Client(server, mode="legacy") as client:
            return [await each(client) for each in work]

    return anyio.run(run)


def test_every_tool_is_listed_with_what_it_is() -> None:
    (given,) = asked(Said(), lambda client: client.list_tools())

    status = {tool.name: tool for tool in given.tools}["workspace_status"]
    assert [tool.name for tool in given.tools] == list(TOOLS)
    assert set(status.input_schema["properties"]) == {"workspace", "agent", "session"}
    assert status.output_schema["properties"]["files"] == {
        "title": "Files",
        "type": "integer",
    }
    assert status.annotations.read_only_hint and not status.annotations.open_world_hint


def test_what_the_connection_says_is_not_asked_for() -> None:
    said = Said(workspace="notes", agent="builder")
    (given,) = asked(said, lambda client: client.list_tools())

    assert set(given.tools[0].input_schema["properties"]) == {"session"}


def test_a_call_answers_in_text_and_in_fields(
    make_workspace: MakeWorkspace, workspace_root: Path
) -> None:
    make_workspace(workspace_root)
    (given,) = asked(Said(), lambda client: client.call_tool("workspace_status"))

    assert given.structured_content["workspace"] == "notes"
    assert '"workspace": "notes"' in given.content[0].text


def test_a_refusal_names_what_is_wrong(
    make_workspace: MakeWorkspace, workspace_root: Path
) -> None:
    make_workspace(workspace_root)
    wrong = {"files": 1}
    (given,) = asked(Said(), lambda client: client.call_tool("workspace_status", wrong))

    assert given.is_error
    assert "files: Extra inputs are not permitted" in given.content[0].text
    assert given.meta[ERROR_META]["code"] == "request-invalid"


def test_an_unknown_tool_is_an_error_of_the_protocol() -> None:
    with pytest.raises(ExceptionGroup) as caught:
        asked(Said(), lambda client: client.call_tool("nothing"))

    assert caught.group_contains(MCPError, match="there is no tool nothing", depth=None)
