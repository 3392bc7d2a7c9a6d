"""The server beside the pages: the real one, asked over HTTP."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import anyio
import httpx2
import pytest
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import TextContent

from tests.browser.hub import cookie_of, local_token_of, manage, running_hub


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("hub")


@pytest.fixture(scope="module")
def hub(folder: Path) -> Iterator[str]:
    with running_hub(folder) as address:
        yield address


@pytest.fixture
def secret(hub: str, folder: Path) -> str:
    """Return the secret of a token for reading `acme`."""
    line = ["token", "make", "scout", "--workspace", "acme", "--scope", "read"]
    return manage(folder, *line).strip()


def status_of(request: Request) -> int:
    try:
        with urlopen(request) as answer:
            return int(answer.status)
    except HTTPError as error:
        return error.code


@asynccontextmanager
async def asking(address: str, token: str, mode: Any = "auto") -> AsyncIterator[Client]:
    """Give a client of the protocol that sends a token."""
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx2.AsyncClient(headers=headers, timeout=60) as requests:
        transport = streamable_http_client(address, http_client=requests)
        async with Client(transport, mode=mode) as client:
            yield client


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_client_gets_answers(hub: str, mode: str) -> None:
    async def run() -> None:
        address = f"{hub}/mcp?workspace=acme&agent=builder"
        async with asking(address, local_token_of(hub), mode) as client:
            given = await client.call_tool("workspace_status")
            assert given.structured_content["workspace"] == "acme"

    anyio.run(run)


def test_a_workspace_can_be_named_by_each_call(hub: str) -> None:
    async def run() -> None:
        async with asking(f"{hub}/mcp", local_token_of(hub)) as client:
            named = await client.call_tool("workspace_status", {"workspace": "nasty"})
            unnamed = await client.call_tool("workspace_status")
            assert named.structured_content["workspace"] == "nasty"
            assert unnamed.content == [
                TextContent(type="text", text="name one of the workspaces: acme, nasty")
            ]

    anyio.run(run)


def test_a_token_decides_who_asks_and_what_is_allowed(hub: str, secret: str) -> None:
    append = {"content": "- The relay was restarted."}

    async def run() -> None:
        async with asking(f"{hub}/mcp?profile=all", secret) as client:
            listed = await client.list_tools()
            read = await client.call_tool("workspace_status")
            write = await client.call_tool("memory_append", append)
        assert set(listed.tools[0].input_schema["properties"]) == {"session"}
        assert read.structured_content["workspace"] == "acme"
        assert write.is_error and "does not allow memory" in str(write.content)

    anyio.run(run)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "elsewhere.example"}, 400),
        ({"Authorization": "Bearer mhub_nothing"}, 401),
        ({"Authorization": "Basic eDp5"}, 401),
        ({"Authorization": ""}, 401),
        ({"Origin": "https://elsewhere.example"}, 403),
        ({"Content-Type": "text/plain"}, 400),
    ],
)
def test_who_may_not_ask_is_refused(
    hub: str, headers: dict[str, str], status: int
) -> None:
    usual = {
        "Content-Type": "application/json",
        "Accept": "application/json",
        "Authorization": f"Bearer {local_token_of(hub)}",
        # A browser's sign-in is none here.
        "Cookie": cookie_of(hub),
    }
    request = Request(f"{hub}/mcp", b"{}", {**usual, **headers}, method="POST")

    assert status_of(request) == status


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_there_is_no_session_to_listen_to_or_to_end(hub: str, method: str) -> None:
    assert status_of(Request(f"{hub}/mcp", method=method)) == 405
