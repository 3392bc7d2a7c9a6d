"""Asking a server in this process, as the SDK's own client does."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

import anyio
import pytest
from mcp.client import Client
from mcp.shared.exceptions import MCPError

from memoryhub.mcp.connections import Connection
from memoryhub.mcp.server import hub_server
from memoryhub.people.access import Access
from memoryhub.tools.calling import CallerOptions

T = TypeVar("T")

#: A connection that says nothing of who is at the other end.
NOBODY = CallerOptions()


def asked(
    work: Callable[[Client], Awaitable[T]],
    said: CallerOptions = NOBODY,
    profile: str = "",
) -> T:
    """Return what a client gets; `said` is what the connection says of it."""

    async def run() -> T:
        server = hub_server(lambda context: Connection(said, Access(), profile))
        async with Client(server, mode="legacy") as client:
            return await work(client)

    return anyio.run(run)


def error_of(work: Callable[[], object]) -> str:
    """Return what the protocol's error says that comes of this."""
    with pytest.raises(ExceptionGroup) as caught:
        work()
    found: BaseException = caught.value
    while isinstance(found, BaseExceptionGroup):
        (found,) = found.exceptions
    assert isinstance(found, MCPError)
    return found.message
