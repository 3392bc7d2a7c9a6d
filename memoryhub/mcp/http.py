"""Streamable HTTP: MCP at `/mcp` of the web server."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from django.conf import settings
from mcp.server import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.inbound import MCP_PROTOCOL_VERSION_HEADER
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from starlette.datastructures import Headers
from starlette.requests import Request as HttpRequest
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from memoryhub.audit.origins import Door, Origin, entered
from memoryhub.mcp.connections import ARGUMENTS, Connection
from memoryhub.mcp.server import Context, hub_server, in_thread
from memoryhub.mcp.waiting import Watch
from memoryhub.people.access import Access, access_of
from memoryhub.people.addresses import client_address
from memoryhub.tools.calling import (
    CallerOptions,
    check_version,
)
from memoryhub.web.kit.refusals import Refusal, refusal_or_none

#: Header that names a profile, where the address does not.
PROFILE_HEADER = "memoryhub-profile"
#: Key of the ASGI scope that holds the request's `Access`.
_ACCESS = "memoryhub.access"


class HttpDoor:
    """A stateless ASGI application: requests share no session."""

    def __init__(self, watch: Watch | None = None) -> None:
        server = hub_server(_connection_of, watch=watch)
        self._plain = _manager(server, json_response=True)
        # Answers that take long, or that are streams, are events.
        self._streaming = _manager(server, json_response=False)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Run the application while the context lasts; enter it once."""
        async with self._plain.run(), self._streaming.run():
            yield

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        manager = self._plain if _has_handshake(scope) else self._streaming
        answer: ASGIApp = manager.handle_request
        try:
            scope[_ACCESS] = await in_thread(partial(_access, scope))
        except Exception as error:
            refusal = refusal_or_none(error)
            if refusal is None:
                raise
            answer = _refusal(refusal)
        if scope["method"] != "POST":
            answer = PlainTextResponse("POST only", 405, {"allow": "POST"})
        await answer(scope, receive, send)


def _manager(
    server: Server[Any], *, json_response: bool
) -> StreamableHTTPSessionManager:
    return StreamableHTTPSessionManager(
        server,
        json_response=json_response,
        stateless=True,
        # `runtime.serving.admission.Guarded` checks Host and Origin of all doors.
        security_settings=TransportSecuritySettings(
            enable_dns_rebinding_protection=False
        ),
        max_request_body_size=settings.DATA_UPLOAD_MAX_MEMORY_SIZE,
    )


def _has_handshake(scope: Scope) -> bool:
    """Return whether a request is of a revision before 2026-07-28."""
    version = Headers(scope=scope).get(MCP_PROTOCOL_VERSION_HEADER)
    return version is None or version in HANDSHAKE_PROTOCOL_VERSIONS


def _access(scope: Scope) -> Access:
    check_version()
    peer, _ = scope["client"] or ("", 0)
    with entered(Origin(Door.MCP, address=_address(scope))):
        return access_of(peer, Headers(scope=scope))


def _address(scope: Scope) -> str:
    peer, _ = scope["client"] or ("", 0)
    return client_address(peer, Headers(scope=scope))


def _refusal(refusal: Refusal) -> JSONResponse:
    return JSONResponse(refusal.as_json(), refusal.status, refusal.headers)


def _connection_of(context: Context) -> Connection:
    """Return the connection of a request, from its query string and headers."""
    request = context.request
    assert isinstance(request, HttpRequest)
    query = request.query_params
    options = CallerOptions(**{name: query.get(name, "") for name in ARGUMENTS})
    profile = query.get("profile") or request.headers.get(PROFILE_HEADER, "")
    address = _address(request.scope)
    return Connection(options, request.scope[_ACCESS], profile, address)
