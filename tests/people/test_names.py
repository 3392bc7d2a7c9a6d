"""Names of agents: none passes for a person or for another agent."""

from __future__ import annotations

import pytest

from memoryhub.errors.base import ToolError
from memoryhub.journal.models import Agent, Workspace
from memoryhub.journal.scopes import Scope
from memoryhub.people.access import Access
from memoryhub.people.services.names import checked_agent
from memoryhub.people.services.tokens import make_token
from tests.factories import make_workspace_row


@pytest.fixture
def workspace(db: None) -> Workspace:
    workspace = make_workspace_row("acme")
    Agent.objects.create(id=7, workspace=workspace, name="builder", first_seq=3)
    return workspace


@pytest.mark.parametrize(
    "name",
    [
        "operator", "Operator", "\u043eperator", "\uff4fperator", "0perator",
        "op\u0435r\u0430tor", "oper-ator", "human", "you", "me", "person",
        "\uff59\uff4f\uff55", "system", "admin", "s\u0443stem", "MemoryHub",
        "用户", "管理员",
    ],
)  # fmt: skip
def test_a_name_that_stands_for_a_person_or_looks_so_is_refused(name: str) -> None:
    with pytest.raises(ToolError, match="agent-invalid"):
        checked_agent(name)


@pytest.mark.parametrize("name", ["ope\u200brator", "\u202eoperator", "a\u2060b", ""])
def test_a_name_with_letters_that_nobody_sees_is_refused(name: str) -> None:
    with pytest.raises(ToolError, match="agent-invalid"):
        checked_agent(name)


@pytest.mark.parametrize(
    "name", ["规划者", "строитель", "Οδηγός", "بناء", "planner-2", "Jürgen", "ビルダー"]
)
def test_names_in_any_script_are_possible(workspace: Workspace, name: str) -> None:
    assert checked_agent(name, workspace) == name


@pytest.mark.parametrize(
    "name", ["\uff42uilder", "bui1der", "buil\u0501er", "BUILD\u0415R"]
)
def test_a_name_that_looks_like_another_agents_is_refused(
    workspace: Workspace, name: str
) -> None:
    with pytest.raises(ToolError, match="agent-look-alike"):
        Access(name).caller("acme", Scope.READ)
    with pytest.raises(ToolError, match="agent-look-alike"):
        make_token(workspace, name, [Scope.READ])


def test_an_agent_goes_on_by_its_own_name_whoever_came_later(
    workspace: Workspace,
) -> None:
    Agent.objects.create(id=8, workspace=workspace, name="build\u0435r", first_seq=9)

    assert Access("builder").caller("acme", Scope.READ).agent == "builder"
    assert Access("Builder").caller("acme", Scope.READ).agent == "Builder"
    with pytest.raises(ToolError, match="agent-look-alike"):
        Access("build\u0435r").caller("acme", Scope.READ)


def test_a_name_that_looks_like_that_of_a_token_is_refused(
    workspace: Workspace,
) -> None:
    make_token(workspace, "scout", [Scope.READ])

    with pytest.raises(ToolError, match="agent-look-alike") as refused:
        make_token(workspace, "sc\u043eut", [Scope.READ])
    assert refused.value.parameters["other"] == "scout"
