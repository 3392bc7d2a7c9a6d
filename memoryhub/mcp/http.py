"""Streamable HTTP: MCP at `/mcp` of the web server."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from functools import partial

from django.conf import settings
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.requests import Request as HttpRequest
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from memoryhub.mcp.connections import ARGUMENTS, Connection
from memoryhub.mcp.server import Context, hub_server, in_thread
from memoryhub.people.access import Access, access_of
from memoryhub.tools.calling import (
    CallerOptions,
    check_version,
)
from memoryhub.web.kit.refusals import Refusal, refusal_or_none

#: Key of the ASGI scope that holds the request's `Access`.
_ACCESS = "memoryhub.access"


class HttpDoor:
    """A stateless ASGI application: requests share no session."""

    def __init__(self) -> None:
        self._manager = StreamableHTTPSessionManager(
            hub_server(_connection_of),
            json_response=True,
            stateless=True,
            # Access control is done in `__call__`, the same for the whole hub.
            security_settings=TransportSecuritySettings(
                enable_dns_rebinding_protection=False
            ),
            max_request_body_size=settings.DATA_UPLOAD_MAX_MEMORY_SIZE,
        )

    def running(self) -> AbstractAsyncContextManager[None]:
        """Return the context manager of the running application; enter it once."""
        return self._manager.run()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        answer: ASGIApp = self._manager.handle_request
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


def _access(scope: Scope) -> Access:
    check_version()
    peer, _ = scope["client"] or ("", 0)
    return access_of(peer, Headers(scope=scope))


def _refusal(refusal: Refusal) -> JSONResponse:
    return JSONResponse(refusal.as_json(), refusal.status, refusal.headers)


def _connection_of(context: Context) -> Connection:
    """Return the connection of a request, from its query string and headers."""
    request = context.request
    assert isinstance(request, HttpRequest)
    query = request.query_params
    options = CallerOptions(**{name: query.get(name, "") for name in ARGUMENTS})
    return Connection(options, request.scope[_ACCESS])
