"""Completions of arguments, as a host asks for them while its user types."""

from __future__ import annotations

from pathlib import Path

import pytest
from mcp.client import Client
from mcp_types import PromptReference, ResourceTemplateReference

from memoryhub.journal.models import Workspace
from memoryhub.people.callers import Caller
from memoryhub.tools.calling import CallerOptions
from tests.conftest import MakeWorkspace
from tests.mcp_server.asking import NOBODY, asked
from tests.tools.asking import given
from tests.writing import say

pytestmark = pytest.mark.django_db(transaction=True)

ROLES = "# AGENTS\n\n## Roles\n\n- **builder**: Builds\n- **规划者**: Plans\n"
TASK = {"type": "read_only", "context": "Look", "input": "src"}


@pytest.fixture
def workspace(make_workspace: MakeWorkspace, workspace_root: Path) -> Workspace:
    workspace = make_workspace(workspace_root)
    text = "\n\n## Current Status\nx\n"
    named = {f"memory/context-{n}.md": f"# Context: {n}{text}" for n in ("api", "beta")}
    say(workspace, {"AGENTS.md": ROLES, **named})
    planner = Caller(workspace, "规划者", "规划者")
    for _ in range(3):
        given(planner, "handoff_send", to="builder", **TASK)
    return workspace


def offered(kind: str, typed: str, said: CallerOptions = NOBODY) -> list[str]:
    """Return what is offered for the argument of a resource's address."""
    name = {"handoffs": "id", "snapshots": "id", "inbox": "agent"}.get(kind, "topic")
    uri = f"memoryhub://{{workspace}}/{kind}/{{{name}}}"
    ref = ResourceTemplateReference(uri=uri)

    async def run(client: Client) -> list[str]:
        argument = {"name": name, "value": typed}
        return (await client.complete(ref, argument)).completion.values

    return asked(run, said)


def test_ids_of_handoffs_are_offered_newest_first(workspace: Workspace) -> None:
    ids = offered("handoffs", "-0")

    assert [name[-2:] for name in ids] == ["03", "02", "01"]
    assert offered("handoffs", "nothing-like-it") == []


def test_names_of_agents_in_any_script_are_offered(workspace: Workspace) -> None:
    assert offered("inbox", "BUI") == ["builder"]
    assert offered("inbox", "规") == ["规划者"]


def test_what_begins_with_the_text_is_offered_first(workspace: Workspace) -> None:
    assert offered("topics", "b") == ["beta"]
    assert offered("topics", "a") == ["api", "beta"]


def test_a_prompt_completes_topics_and_workspaces(workspace: Workspace) -> None:
    async def run(client: Client) -> list[str]:
        ref, found = PromptReference(name="recovery"), []
        for name, value in (("topic", "ap"), ("workspace", ""), ("mood", "x")):
            told = await client.complete(ref, {"name": name, "value": value})
            found += told.completion.values
        return found

    assert asked(run) == ["api", workspace.slug]


def test_completions_are_declared() -> None:
    async def run(client: Client) -> bool:
        return client.server_capabilities.completions is not None

    assert asked(run)
