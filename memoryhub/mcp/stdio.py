"""MCP over standard input and output, for a host that starts the server."""

from __future__ import annotations

import os
import re
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, BinaryIO, cast

import anyio
from anyio import to_thread
from django.conf import settings
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp_types import INVALID_REQUEST, ErrorData
from mcp_types.jsonrpc import JSONRPCError

from memoryhub.errors.base import BODY_TOO_LARGE, JSON_TOO_LARGE, Refusal
from memoryhub.mcp.connections import Connection
from memoryhub.mcp.server import hub_server
from memoryhub.people.access import Access
from memoryhub.tools.calling import CallerOptions
from memoryhub.values.json_bounds import check_size

#: The id of a request in raw JSON: before the parameters, or last.
_ID = rb'"id"\s*:\s*(?:(?P<number>\d{1,15})|"(?P<name>[^"\\]{1,100})")'
_FIRST = re.compile(rb'\s*\{\s*(?:"(?:jsonrpc|method)"\s*:\s*"[^"\\]*"\s*,\s*)*' + _ID)
_LAST = re.compile(rb",\s*" + _ID + rb"\s*\}\s*\Z")
#: Bytes searched for the id at either end of a line; bytes discarded at once.
_ENDS, _PIECE = 500, 65_536


def serve_stdio(options: CallerOptions, before: Callable[[], object]) -> None:
    """Serve one host until it closes standard input; `options` name the caller.

    `before` runs before each request that uses the database.
    """
    anyio.run(_serve, Connection(options, Access()), before)


async def _serve(connection: Connection, before: Callable[[], object]) -> None:
    server = hub_server(lambda context: connection, before)
    lines = _Lines(_standard_input())
    # The transport only iterates over the lines of this file.
    async with stdio_server(cast(Any, lines)) as (incoming, outgoing):
        lines.refuse = lambda error: outgoing.send(SessionMessage(error))
        await server.run(incoming, outgoing, server.create_initialization_options())


def _standard_input() -> BinaryIO:
    """Return standard input, and leave an empty one to child processes."""
    source = os.fdopen(os.dup(0), "rb", closefd=False)
    with Path(os.devnull).open("rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    return source


class _Lines:
    """The messages of a host, one per line; too large ones are refused unparsed.

    `refuse` sends an error to the host; set it before the first line is read.
    """

    def __init__(self, source: BinaryIO) -> None:
        self._source = source
        self.refuse: Callable[[JSONRPCError], Any]

    async def __aiter__(self) -> AsyncIterator[str]:
        while found := await to_thread.run_sync(_next_line, self._source):
            if isinstance(found, JSONRPCError):
                await self.refuse(found)
            else:
                yield found


def _next_line(source: BinaryIO) -> str | JSONRPCError:
    """Return the next line, an error if it is too large, "" at the end."""
    most = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
    line = end = source.readline(most + 1)
    if len(line) > most:
        while not end.endswith(b"\n") and (piece := source.readline(_PIECE)):
            end = end[-_ENDS:] + piece
        return _refused(BODY_TOO_LARGE, line, end)
    try:
        check_size(line)
    except ValueError:
        return _refused(JSON_TOO_LARGE, line, line)
    return line.decode("utf-8", "replace")


def _refused(refusal: Refusal, begin: bytes, end: bytes) -> JSONRPCError:
    """Return a refusal as the response to the request in a line, by its id."""
    found = _FIRST.match(begin[:_ENDS]) or _LAST.search(end[-_ENDS:])
    request_id: int | str | None = None
    if found is not None:
        name = found["name"]
        request_id = name.decode("utf-8", "replace") if name else int(found["number"])
    error = ErrorData(
        code=INVALID_REQUEST,
        message=refusal.as_text(),
        data=refusal.as_json()["error"],
    )
    return JSONRPCError(jsonrpc="2.0", id=request_id, error=error)
