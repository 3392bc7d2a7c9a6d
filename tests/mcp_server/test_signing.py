"""A decision that an agent may not sign off: its person gets the link, where it can."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client import Client
from mcp.client.stdio import stdio_client
from mcp_types import ElicitRequestURLParams, ElicitResult

from tests.browser.hub import local_token_of, running_hub
from tests.mcp_server.test_http import asking
from tests.mcp_server.test_subscriptions import ROLES, stdio_server
from tests.serving.test_inbox_waits import tool

DECISION = {"type": "decision", "context": "Use two hinges", "input": "doors.md"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("signing")


@pytest.fixture(scope="module")
def hub(folder: Path) -> Iterator[str]:
    (folder / "crew").mkdir()
    (folder / "crew/AGENTS.md").write_text(ROLES)
    with running_hub(folder, [folder / "crew"]) as address:
        yield address


@pytest.fixture(scope="module")
def decision(hub: str) -> str:
    sent = tool(hub, "planner", "handoff_send", {"to": "agent-01", **DECISION})
    task_id: str = sent["task_id"]
    return task_id


@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.parametrize(
    ("name", "more"), [("handoff_take", {}), ("handoff_update", {"action": "sign_off"})]
)
def test_a_host_that_opens_pages_asks_whether_to(
    hub: str, folder: Path, decision: str, mode: Any, name: str, more: dict[str, str]
) -> None:
    asked: list[str] = []

    async def answer(context: Any, params: Any) -> ElicitResult:
        assert isinstance(params, ElicitRequestURLParams)
        asked.append(params.url)
        return ElicitResult(action="accept")

    async def run() -> Any:
        transport = stdio_client(stdio_server(folder))
        async with Client(transport, mode=mode, elicitation_callback=answer) as client:
            return await client.call_tool(name, {"task_id": decision, **more})

    told = anyio.run(run)
    page = f"{hub}/w/crew/handoffs/{decision}/"
    assert asked == [page]
    # Nobody signed it: to open the page is no consent.
    assert told.is_error and page in str(told.content)


def test_other_hosts_get_the_link_in_the_refusal(hub: str, decision: str) -> None:
    async def run() -> Any:
        address = f"{hub}/mcp?workspace=crew&agent=agent-01"
        async with asking(address, local_token_of(hub), "legacy") as client:
            return await client.call_tool("handoff_take", {"task_id": decision})

    told = anyio.run(run)
    assert told.is_error
    assert f"{hub}/w/crew/handoffs/{decision}/" in told.content[1].text
    assert (
        tool(hub, "planner", "handoff_list", {"task_id": decision})["whole"][
            "signed_by"
        ]
        == ""
    )
