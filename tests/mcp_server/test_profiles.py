"""Profiles of tools: which are listed, at what cost, and what a call may still send."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema_rs import Draft202012Validator
from mcp.client import Client
from mcp_types import ListToolsResult

from memoryhub.errors.base import ToolError
from memoryhub.journal.models import Workspace
from memoryhub.journal.scopes import Scope
from memoryhub.mcp.connections import Connection
from memoryhub.mcp.tools import more_tools, tools_of
from memoryhub.people.access import Access
from memoryhub.people.services.tokens import make_token
from memoryhub.tools.calling import CallerOptions
from memoryhub.tools.profiles import PROFILES
from memoryhub.tools.registry import TOOLS
from memoryhub.values.tokens import shown
from tests.factories import make_workspace_row
from tests.mcp_server.asking import asked, error_of
from tests.tools.examples import EXAMPLES

#: Most tokens of the list that a worker gets, and who names no profile, as sent.
MOST = 4_000


@pytest.fixture
def workspace(db: None) -> Workspace:
    return make_workspace_row("acme")


def names(connection: Connection) -> list[str]:
    return [tool.name for tool in tools_of(connection)]


def listed(profile: str, options: CallerOptions | None = None) -> ListToolsResult:
    connection = Connection(options or CallerOptions(), Access(), profile)
    return ListToolsResult(tools=tools_of(connection))


def cost(listing: ListToolsResult) -> int:
    sent = listing.model_dump(mode="json", by_alias=True, exclude_none=True)
    return shown(json.dumps(sent, ensure_ascii=False, separators=(",", ":")))


def test_a_worker_pays_at_most_4000_tokens_for_the_list() -> None:
    assert cost(listed("worker")) <= MOST
    assert cost(listed("worker", CallerOptions(workspace="a", agent="b"))) <= 4_000
    assert (
        cost(listed("memory")) < cost(listed("coordinator")) < cost(listed("all")) / 4
    )


def test_without_a_profile_what_an_agent_at_work_needs_is_listed() -> None:
    found = names(Connection(CallerOptions(), Access()))

    assert cost(listed("")) <= MOST
    assert found == [*PROFILES["agent"], "more_tools"]
    assert {"recall", "memory_append", "snapshot_save", "context_snap"} <= set(found)
    assert names(Connection(CallerOptions(), Access(), "all")) == list(TOOLS)


@pytest.mark.django_db(transaction=True)
def test_the_other_tools_are_listed_described_and_called(workspace: Workspace) -> None:
    def more(**arguments: Any) -> Any:
        return asked(lambda client: client.call_tool("more_tools", arguments))

    listed = more().structured_content["tools"]
    described = more(name="decisions").structured_content
    done = more(name="workspace_status", arguments={"workspace": "acme"})

    assert set(listed) == set(TOOLS) - set(PROFILES["agent"])
    assert "decisions" in listed and "text" in described["inputSchema"]["properties"]
    assert done.structured_content["workspace"] == "acme"
    assert more(name="memory_append", arguments={}).is_error
    message = error_of(lambda: more(name="nothing", arguments={}))
    assert "there is no tool nothing" in message


@pytest.mark.django_db(transaction=True)
def test_a_tool_that_is_not_listed_can_be_called_by_its_name(
    workspace: Workspace,
) -> None:
    for profile in ("", *PROFILES):
        done = asked(lambda client: client.call_tool("decisions"), profile=profile)
        assert not done.is_error


def test_a_token_lists_only_the_other_tools_that_it_allows(
    workspace: Workspace,
) -> None:
    token = make_token(workspace, "scout", [Scope.READ]).row
    told = more_tools(Connection(CallerOptions(), Access("scout", token)), "")

    assert told.structured_content is not None
    others = told.structured_content["tools"]
    assert "decisions" in others and "scaffold" not in others


@pytest.mark.parametrize("profile", PROFILES)
def test_a_profile_lists_tools_that_there_are(profile: str) -> None:
    found = [tool.name for tool in listed(profile).tools if tool.name in TOOLS]

    assert found == list(PROFILES[profile])
    assert not any("handoff" in name for name in found) or profile != "memory"


def test_an_unknown_profile_is_refused_with_those_there_are() -> None:
    with pytest.raises(ToolError) as caught:
        names(Connection(CallerOptions(), Access(), "wörker"))

    assert "worker" in caught.value.parameters["known"]


@pytest.mark.parametrize("profile", PROFILES)
def test_calls_of_agents_fit_the_short_schemas(profile: str) -> None:
    schemas = {tool.name: tool.input_schema for tool in listed(profile).tools}

    for name in PROFILES[profile]:
        _, fields = EXAMPLES[name][-1]
        if "xml" not in fields:
            Draft202012Validator(schemas[name]).validate(dict(fields))


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("handoff_send", {"to": "b", "type": "write", "context": "c"}),
        ("handoff_send", {"to": "b", "type": "", "context": "c", "input": "i"}),
        ("handoff_report", {"task_id": "20261120-01"}),
        ("memory_search", {}),
    ],
)
def test_short_schemas_say_what_is_required(name: str, fields: dict[str, str]) -> None:
    (schema,) = (t.input_schema for t in listed("worker").tools if t.name == name)

    assert not Draft202012Validator(schema).is_valid(fields)


def test_only_what_the_token_allows_is_listed(workspace: Workspace) -> None:
    token = make_token(workspace, "scout", [Scope.READ]).row
    connection = Connection(CallerOptions(), Access("scout", token))

    found = names(connection)
    assert "memory_search" in found and "handoff_inbox" in found
    assert not {"memory_append", "handoff_send", "scaffold"} & set(found)
    # It may list memories, though not write them.
    assert "core_memory" in found


def test_the_token_and_then_the_connection_choose(workspace: Workspace) -> None:
    token = make_token(workspace, "scout", list(Scope), profile="memory").row
    access = Access("scout", token)

    assert names(Connection(CallerOptions(), access)) == list(PROFILES["memory"])
    asked_for = Connection(CallerOptions(), access, "worker")
    assert names(asked_for) == list(PROFILES["worker"])
    assert names(Connection(CallerOptions(), access, "all")) == list(TOOLS)


def test_a_call_reports_all_its_faults_at_once() -> None:
    wrong: dict[str, Any] = {"type": "rw", "priority": "now", "due": 5, "surprise": 1}
    given = asked(lambda client: client.call_tool("handoff_send", wrong))

    text = given.content[0].text  # type: ignore[union-attr]
    for field in ("type", "priority", "surprise", "to", "context", "input"):
        assert f"{field}: " in text


def test_the_list_of_a_client_has_the_profile(db: None) -> None:
    tools = asked(Client.list_tools, profile="worker").tools

    assert [tool.name for tool in tools] == list(PROFILES["worker"])
    assert not any(tool.output_schema for tool in tools)
