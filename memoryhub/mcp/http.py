"""Streamable HTTP: the protocol at `/mcp`, beside the pages of the same server."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from ipaddress import ip_address
from typing import Any

from django.conf import settings
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import Request as HttpRequest
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from memoryhub.mcp.connections import Connection
from memoryhub.mcp.server import Context, hub_server
from memoryhub.tools.callers import Said

#: What an address can say of the caller: `/mcp?workspace=main&agent=builder`.
_SAID = ("workspace", "agent", "session")


class HttpDoor:
    """An ASGI application; every request stands for itself, so no session is kept."""

    def __init__(self) -> None:
        self._manager = StreamableHTTPSessionManager(
            hub_server(_connection_of),
            json_response=True,
            stateless=True,
            security_settings=own_hosts(settings.ALLOWED_HOSTS),
            max_request_body_size=settings.MEMORYHUB_MAX_FILE_BYTES,
        )

    def running(self) -> AbstractAsyncContextManager[None]:
        """Return what holds the door open; it can be entered once."""
        return self._manager.run()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = _refusal(scope)
        await (refusal or self._manager.handle_request)(scope, receive, send)


def own_hosts(hosts: list[str]) -> TransportSecuritySettings:
    """Return the guard against pages of other hosts that reach for this one."""
    return TransportSecuritySettings(
        allowed_hosts=[f"{host}{port}" for host in hosts for port in ("", ":*")],
        allowed_origins=[
            f"{scheme}://{host}{port}"
            for scheme in ("http", "https")
            for host in hosts
            for port in ("", ":*")
        ],
    )


def _refusal(scope: Scope) -> PlainTextResponse | None:
    if scope["method"] != "POST":
        return PlainTextResponse("POST only", 405, {"allow": "POST"})
    if not _is_loopback(scope):
        return PlainTextResponse("a token is needed", 401)
    return None


def _is_loopback(scope: Scope) -> bool:
    client = scope.get("client")
    return client is not None and ip_address(client[0]).is_loopback


def _connection_of(context: Context) -> Connection:
    request = context.request
    assert isinstance(request, HttpRequest)
    said: dict[str, Any] = {
        name: request.query_params[name]
        for name in _SAID
        if name in request.query_params
    }
    return Connection(Said(**said))
