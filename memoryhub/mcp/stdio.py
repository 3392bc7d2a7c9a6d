"""The protocol over standard input and output, for a host that starts the server."""

from __future__ import annotations

import anyio
from mcp.server.stdio import stdio_server

from memoryhub.mcp.connections import Connection
from memoryhub.mcp.server import hub_server
from memoryhub.people.access import Access
from memoryhub.tools.callers import Said


def serve_stdio(said: Said) -> None:
    """Serve one host until it closes standard input; `said` names who it is."""
    anyio.run(_serve, Connection(said, Access()))


async def _serve(connection: Connection) -> None:
    server = hub_server(lambda context: connection)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())
