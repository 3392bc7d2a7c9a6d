"""Subscriptions and calls that wait, by the SDK's own client at real servers."""

from __future__ import annotations

import os
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import StdioServerParameters
from mcp.client import Client
from mcp.client.stdio import stdio_client
from mcp.client.subscriptions import ResourceUpdated
from mcp.shared.exceptions import MCPError
from mcp_types import ResourceListChangedNotification, ResourceUpdatedNotification

from memoryhub import __version__
from tests.browser.hub import ROOT, local_token_of, manage, running_hub
from tests.mcp_server.test_http import asking
from tests.serving.test_inbox_waits import TASK, tool
from tests.warm import python

#: Clients of the earlier revisions subscribe in the earlier way.
pytestmark = pytest.mark.filterwarnings("ignore:resources/.* is removed")

ROLES = "# AGENTS\n\n## Roles\n\n- **planner**: Plans\n- **agent-01**: Works\n"
INBOX = "memoryhub://crew/inbox/agent-01"
BOARD = "memoryhub://crew/board"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("listening")


@pytest.fixture(scope="module")
def hub(folder: Path) -> Iterator[str]:
    (folder / "crew").mkdir()
    (folder / "crew/AGENTS.md").write_text(ROLES)
    with running_hub(folder, [folder / "crew"]) as address:
        yield address


def send(hub: str, to: str = "agent-01") -> str:
    sent = tool(hub, "planner", "handoff_send", {"to": to, **TASK})
    task_id: str = sent["task_id"]
    return task_id


def stdio_server(folder: Path) -> StdioServerParameters:
    """Return how a host starts a server for `agent-01`."""
    command, *arguments = python(
        ROOT / "manage.py", "mcp", "--workspace", "crew", "--agent", "agent-01"
    )
    env = {**os.environ, "MEMORYHUB_DATA": str(folder / "data")}
    return StdioServerParameters(
        command=str(command), args=[*map(str, arguments)], env=env
    )


@asynccontextmanager
async def over_stdio(
    folder: Path, mode: Any, heard: list[Any]
) -> AsyncIterator[Client]:
    """Give a client of a server that it starts itself, beside the hub's own."""

    async def note(message: Any) -> None:
        heard.append(message)

    transport = stdio_client(stdio_server(folder))
    async with Client(transport, mode=mode, message_handler=note) as client:
        yield client


async def until(happened: Any, seconds: float = 60) -> bool:
    with anyio.move_on_after(seconds):
        while not happened():
            await anyio.sleep(0.02)
        return True
    return False


def test_who_listens_over_http_hears_that_the_inbox_has_changed(hub: str) -> None:
    async def run() -> None:
        address = f"{hub}/mcp?workspace=crew&agent=agent-01"
        async with (
            asking(address, local_token_of(hub)) as client,
            client.listen(resource_subscriptions=[INBOX]) as stream,
        ):
            await anyio.sleep(0.5)
            task_id = await anyio.to_thread.run_sync(send, hub)
            with anyio.fail_after(60):
                event = await anext(aiter(stream))
            assert event == ResourceUpdated(INBOX)
            (contents,) = (await client.read_resource(INBOX)).contents
            assert task_id in contents.text  # type: ignore[union-attr]

    anyio.run(run)


def test_what_concerns_others_is_not_heard_of(hub: str) -> None:
    async def run() -> None:
        address = f"{hub}/mcp?workspace=crew&agent=agent-01"
        async with (
            asking(address, local_token_of(hub)) as client,
            client.listen(resource_subscriptions=[INBOX]) as stream,
        ):
            await anyio.to_thread.run_sync(send, hub, "planner")
            with anyio.move_on_after(1.5):
                pytest.fail(f"heard of {await anext(aiter(stream))}")

    anyio.run(run)


def test_the_token_decides_what_can_be_listened_to(hub: str, folder: Path) -> None:
    line = ["token", "make", "agent-01", "--workspace", "crew", "--scope", "read"]
    token = manage(folder, *line).strip()

    async def listened(uri: str) -> str:
        async with asking(f"{hub}/mcp", token) as client:
            try:
                async with client.listen(resource_subscriptions=[uri]):
                    return "open"
            except MCPError as error:
                return error.message

    assert anyio.run(listened, INBOX) == "open"
    assert "another agent" in anyio.run(listened, "memoryhub://crew/inbox/planner")
    assert "no workspace" in anyio.run(listened, "memoryhub://other/board")


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_call_waits_for_the_first_news(hub: str, mode: str) -> None:
    async def run() -> None:
        address = f"{hub}/mcp?workspace=crew&agent=agent-01"
        async with asking(address, local_token_of(hub), mode) as client:
            first = await client.call_tool("handoff_inbox")
            given = {"since": first.structured_content["cursor"], "wait": 50}
            sent = []

            async def soon() -> None:
                await anyio.sleep(0.7)
                sent.append(await anyio.to_thread.run_sync(send, hub))

            async with anyio.create_task_group() as tasks:
                tasks.start_soon(soon)
                told = await client.call_tool("handoff_inbox", given)
            assert [n["task_id"] for n in told.structured_content["news"]] == sent
            refused = await client.call_tool("handoff_inbox", {"wait": 1000})
            assert refused.is_error and "wait" in str(refused.content)

    anyio.run(run)


def revoke(folder: Path, token: str) -> None:
    manage(folder, "token", "revoke", token[:13], "--workspace", "crew")


def test_a_wait_gives_nothing_to_a_token_that_was_revoked_meanwhile(
    hub: str, folder: Path
) -> None:
    line = ["token", "make", "agent-01", "--workspace", "crew", "--scope", "read"]
    token = manage(folder, *line).strip()
    told: list[Any] = []

    async def run() -> None:
        async with asking(f"{hub}/mcp", token) as client:
            first = await client.call_tool("handoff_inbox")
            given = {"since": first.structured_content["cursor"], "wait": 50}

            async def wait() -> None:
                told.append(await client.call_tool("handoff_inbox", given))

            async with anyio.create_task_group() as tasks:
                tasks.start_soon(wait)
                await anyio.sleep(0.7)
                await anyio.to_thread.run_sync(revoke, folder, token)
                await anyio.to_thread.run_sync(send, hub)

    anyio.run(run)

    assert told[0].is_error and "news" not in (told[0].structured_content or {})


def test_a_subscription_ends_with_its_token(hub: str, folder: Path) -> None:
    line = ["token", "make", "agent-01", "--workspace", "crew", "--scope", "read"]
    token = manage(folder, *line).strip()

    async def run() -> list[Any]:
        async with (
            asking(f"{hub}/mcp", token) as client,
            client.listen(resource_subscriptions=[INBOX]) as stream,
        ):
            await anyio.to_thread.run_sync(revoke, folder, token)
            await anyio.to_thread.run_sync(send, hub)
            with anyio.fail_after(60):
                return [event async for event in stream]

    assert anyio.run(run) == []


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_client_of_its_own_server_subscribes(
    hub: str, folder: Path, mode: str
) -> None:
    heard: list[Any] = []

    def updated() -> set[str]:
        found = [m for m in heard if isinstance(m, ResourceUpdatedNotification)]
        return {str(m.params.uri) for m in found}

    async def run() -> None:
        async with over_stdio(folder, mode, heard) as client:
            server, offers = client.server_info, client.server_capabilities.resources
            assert server and server.version == __version__
            assert offers and offers.subscribe
            if mode == "legacy":
                await client.list_resources()
                await client.subscribe_resource(INBOX)
                await client.subscribe_resource(BOARD)
                await anyio.to_thread.run_sync(send, hub)
                assert await until(lambda: updated() == {INBOX, BOARD})
                await client.unsubscribe_resource(BOARD)
                heard.clear()
                await anyio.to_thread.run_sync(send, hub)
                assert await until(updated) and updated() == {INBOX}
                (folder / "crew/memory").mkdir(exist_ok=True)
                new = folder / f"crew/memory/context-{time.monotonic_ns()}.md"
                new.write_text("# Context: new\n\n## Current Status\nBegun\n")
                changed = ResourceListChangedNotification
                assert await until(lambda: any(isinstance(m, changed) for m in heard))
            else:
                async with client.listen(resource_subscriptions=[BOARD]) as stream:
                    await anyio.to_thread.run_sync(send, hub)
                    with anyio.fail_after(60):
                        assert await anext(aiter(stream)) == ResourceUpdated(BOARD)

    anyio.run(run)


def test_what_is_not_there_cannot_be_subscribed_to(hub: str, folder: Path) -> None:
    async def run() -> None:
        async with over_stdio(folder, "legacy", []) as client:
            with pytest.raises(MCPError, match="no resource"):
                await client.subscribe_resource("memoryhub://crew/nothing")

    anyio.run(run)
