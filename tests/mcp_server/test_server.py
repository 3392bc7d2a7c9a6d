"""What the server lists and answers, asked by the SDK's own client."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client
from mcp_types import CallToolResult, TextContent

from memoryhub.journal.models import Workspace
from memoryhub.mcp.server import INSTRUCTIONS
from memoryhub.mcp.tools import ERROR_META, MORE_TOOLS, SAFETY_FIELD
from memoryhub.people.callers import Caller
from memoryhub.tools.base import Answer
from memoryhub.tools.calling import CallerOptions
from memoryhub.tools.registry import TOOLS
from tests.conftest import MakeWorkspace
from tests.mcp_server.asking import NOBODY, asked, error_of

pytestmark = pytest.mark.django_db(transaction=True)

STATUS = "workspace_status"


@pytest.fixture
def workspace(make_workspace: MakeWorkspace, workspace_root: Path) -> Workspace:
    return make_workspace(workspace_root)


def called(
    name: str, arguments: dict[str, Any] | None = None, said: CallerOptions = NOBODY
) -> CallToolResult:
    return asked(lambda client: client.call_tool(name, arguments), said)


def text_of(given: CallToolResult) -> str:
    (content,) = given.content
    assert isinstance(content, TextContent)
    return content.text


def test_every_tool_is_listed_with_what_it_is() -> None:
    tools = asked(Client.list_tools, profile="all").tools

    assert [tool.name for tool in tools] == list(TOOLS)
    for tool in tools:
        own = TOOLS[tool.name]
        assert (tool.title, tool.description) == (own.title, own.description)
        assert tool.annotations is not None and tool.output_schema is not None
        assert tool.annotations.read_only_hint is own.reads_only
        assert tool.annotations.destructive_hint is own.destructive
        assert tool.annotations.open_world_hint is False
        assert tool.output_schema["type"] == "object"


def test_a_call_can_say_what_the_connection_does_not() -> None:
    named = CallerOptions(workspace="notes", agent="builder")
    listed = asked(Client.list_tools, named, "all").tools
    unnamed = asked(Client.list_tools, profile="all").tools

    assert set(listed[0].input_schema["properties"]) == {"session"}
    assert set(unnamed[0].input_schema["properties"]) == {
        "workspace",
        "agent",
        "session",
    }


@pytest.mark.parametrize("name", TOOLS)
def test_no_tool_has_a_field_that_means_another_thing(name: str) -> None:
    assert SAFETY_FIELD not in TOOLS[name].answer.model_fields
    assert not {"workspace", "key"} & set(TOOLS[name].request.model_fields)


def test_a_call_answers_in_text_and_in_fields(workspace: Workspace) -> None:
    given = called(STATUS)

    assert given.structured_content is not None
    assert given.structured_content["workspace"] == workspace.slug
    assert f'"workspace": "{workspace.slug}"' in text_of(given)
    assert "historical reference only" in given.structured_content[SAFETY_FIELD]


def test_a_refusal_names_what_is_wrong(workspace: Workspace) -> None:
    given = called(STATUS, {"files": 1})

    assert given.is_error and given.meta
    assert "files: Extra inputs are not permitted" in text_of(given)
    assert given.meta[ERROR_META]["code"] == "request-invalid"


@pytest.mark.parametrize("agent", [1, "x" * 81, "operator", "a\nb"])
def test_an_agent_that_cannot_be_is_refused(
    workspace: Workspace, agent: object
) -> None:
    assert called(STATUS, {"agent": agent}).is_error


def test_what_the_connection_says_cannot_be_said_otherwise(
    workspace: Workspace,
) -> None:
    given = called(
        STATUS, {"workspace": "other"}, CallerOptions(workspace=workspace.slug)
    )

    assert "workspace: Extra inputs are not permitted" in text_of(given)


@pytest.mark.parametrize("text", ["a\0b", "\ud800", "../" * 2_000, "x" * 3_000_000])
def test_odd_texts_are_refused_or_answered(workspace: Workspace, text: str) -> None:
    for arguments in ({"path": text}, {"path": "MEMORY.md", text: 1}):
        given = called("memory_get", arguments)

        assert given.is_error and text_of(given)


def test_a_tool_that_fails_tells_nothing_of_how(
    workspace: Workspace,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def fail(caller: Caller, request: object) -> Answer:
        raise RuntimeError("a secret of the machine")

    monkeypatch.setitem(TOOLS, STATUS, replace(TOOLS[STATUS], run=fail))

    assert "the hub failed" in error_of(lambda: called(STATUS))
    assert "a secret of the machine" in caplog.text


def test_an_unknown_tool_is_an_error_of_the_protocol() -> None:
    assert error_of(lambda: called("nothing")) == "there is no tool nothing."
    near = "there is no tool core_memroy. Did you mean core_memory?"
    assert error_of(lambda: called("core_memroy")) == near


def test_a_model_is_told_of_tools_that_there_are() -> None:
    named = set(re.findall(r"\w+_\w+", INSTRUCTIONS))

    assert named <= {*TOOLS, MORE_TOOLS}
    assert asked(instructions_of) == INSTRUCTIONS


async def instructions_of(client: Client) -> str | None:
    return client.instructions
