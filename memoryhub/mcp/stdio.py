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
from mcp.server.lowlevel.server import NotificationOptions
from mcp.server.stdio import stdio_server
from mcp.shared._stream_protocols import ReadStream, WriteStream
from mcp.shared.message import SessionMessage
from mcp_types import INVALID_REQUEST, ErrorData
from mcp_types.jsonrpc import (
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    RequestId,
)

from memoryhub.errors.base import BODY_TOO_LARGE, JSON_TOO_LARGE, Refusal
from memoryhub.mcp.connections import Connection
from memoryhub.mcp.server import hub_server
from memoryhub.mcp.subscriptions import StandingSubscriptions
from memoryhub.mcp.waiting import Watch
from memoryhub.people.access import own_access
from memoryhub.tools.calling import CallerOptions
from memoryhub.values.json_bounds import check_size

#: The id of a request in raw JSON: before the parameters, or last.
_ID = rb'"id"\s*:\s*(?:(?P<number>\d{1,15})|"(?P<name>[^"\\]{1,100})")'
_FIRST = re.compile(rb'\s*\{\s*(?:"(?:jsonrpc|method)"\s*:\s*"[^"\\]*"\s*,\s*)*' + _ID)
_LAST = re.compile(rb",\s*" + _ID + rb"\s*\}\s*\Z")
#: Bytes searched for the id at either end of a line; bytes discarded at once.
_ENDS, _PIECE = 500, 65_536
#: Seconds for the answers to open requests after the end of input.
_LAST_ANSWERS = 10
_CANCELLED = "notifications/cancelled"
#: Has no answer as long as its client listens.
_LISTEN = "subscriptions/listen"


def serve_stdio(
    options: CallerOptions,
    before: Callable[[], object],
    *,
    watch: Callable[[], Watch],
    profile: str = "",
) -> None:
    """Serve one host until it closes standard input; `options` name the caller.

    `before` runs before each request that uses the database. `watch` makes, in the
    running event loop, what waits for changes. `profile`: of the tools that are listed.
    """
    anyio.run(_serve, Connection(options, own_access(), profile), before, watch)


async def _serve(
    connection: Connection, before: Callable[[], object], watch: Callable[[], Watch]
) -> None:
    lines = _Lines(_standard_input())
    # The transport only iterates over the lines of this file.
    async with stdio_server(cast(Any, lines)) as (incoming, outgoing):
        lines.refuse = lambda error: outgoing.send(SessionMessage(error))
        unanswered = _Unanswered(incoming, outgoing)
        async with (
            anyio.create_task_group() as relays,
            anyio.create_task_group() as following,
        ):
            relays.start_soon(unanswered.pass_requests)
            relays.start_soon(unanswered.pass_answers)
            made = watch()
            standing = StandingSubscriptions(following, made)
            server = hub_server(lambda context: connection, before, made, standing)
            changes = NotificationOptions(resources_changed=True)
            await server.run(
                unanswered.requests,
                unanswered.answers,
                server.create_initialization_options(changes),
            )
            following.cancel_scope.cancel()


class _Unanswered:
    """Relay between transport and server that knows the open requests.

    The server cancels open requests when its input ends. A host that writes its lines
    and closes the pipe still waits for their answers: the end is passed on after them.
    """

    def __init__(
        self,
        incoming: ReadStream[SessionMessage | Exception],
        outgoing: WriteStream[SessionMessage],
    ) -> None:
        self._incoming, self._outgoing = incoming, outgoing
        self._to_server, self.requests = anyio.create_memory_object_stream[
            SessionMessage | Exception
        ]()
        self.answers, self._from_server = anyio.create_memory_object_stream[
            SessionMessage
        ]()
        self._open: set[RequestId] = set()
        self._answered = anyio.Event()

    async def pass_requests(self) -> None:
        """Forward the host's messages; at their end wait up to 10 s for answers."""
        async with self._to_server:
            async for item in self._incoming:
                if isinstance(item, SessionMessage):
                    self._note(item.message)
                await self._to_server.send(item)
            with anyio.move_on_after(_LAST_ANSWERS):
                while self._open:
                    self._answered = anyio.Event()
                    await self._answered.wait()

    async def pass_answers(self) -> None:
        """Forward the server's messages to the host until the server closes its end."""
        async with self._outgoing, self._from_server:
            async for item in self._from_server:
                await self._outgoing.send(item)
                if isinstance(item.message, JSONRPCResponse | JSONRPCError):
                    self._close(item.message.id)

    def _note(self, message: JSONRPCMessage) -> None:
        if isinstance(message, JSONRPCRequest) and message.method != _LISTEN:
            self._open.add(message.id)
        elif isinstance(message, JSONRPCNotification) and message.method == _CANCELLED:
            self._close((message.params or {}).get("requestId"))

    def _close(self, request: RequestId | None) -> None:
        if request is not None:
            self._open.discard(request)
        self._answered.set()


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
