"""The protocol over standard input and output, for a host that starts the server."""

from __future__ import annotations

from collections.abc import Callable

import anyio
from mcp.server.stdio import stdio_server

from memoryhub.mcp.connections import Connection
from memoryhub.mcp.server import hub_server
from memoryhub.people.access import Access
from memoryhub.tools.callers import Said


def serve_stdio(said: Said, before: Callable[[], object]) -> None:
    """Serve one host until it closes standard input; `said` names who it is.

    `before` is done before each request that asks the database.
    """
    anyio.run(_serve, Connection(said, Access()), before)


async def _serve(connection: Connection, before: Callable[[], object]) -> None:
    server = hub_server(lambda context: connection, before)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())
