"""Refusals before the application: other sites, unknown senders, limits."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from functools import partial

from django.conf import settings
from django.db import connections
from django.http import parse_cookie

from memoryhub.accounts.second_factor import person_let_in
from memoryhub.errors.base import Refusal, ToolError
from memoryhub.people.access import access_of
from memoryhub.people.roles import is_team
from memoryhub.people.sites import refusal_of
from memoryhub.runtime.asgi_messages import Asgi, Receive, Scope, Send
from memoryhub.runtime.live import PERSON, STILL_KNOWN

TOO_SLOW = Refusal("body-too-slow", "the body did not come in time", 408)
CANNOT_KEEP = Refusal("body-not-kept", "there is no room for the body", 507)
UNKNOWN = Refusal("token-missing", "who sends so much has to be known", 401)
BUSY = Refusal("busy", "too much is asked at once: try again in a moment", 503)


class Guarded:
    """An ASGI application behind the rule of `people.sites`, whatever the address."""

    def __init__(self, inner: Asgi) -> None:
        self._inner = inner

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            headers = _headers(scope)
            refusal = refusal_of(scope["method"], scope["scheme"], headers)
            if refusal is not None:
                await refuse(scope, send, refusal)
                return
        await self._inner(scope, receive, send)


def is_for_agents(scope: Scope) -> bool:
    """Return whether an address is of REST or MCP."""
    path: str = scope["path"]
    return path == "/mcp" or path.startswith("/api/")


async def stream_refusal(scope: Scope) -> int:
    """Return the status that refuses a request for the live stream; 0 if admitted.

    The stream of a person in team mode is narrowed to the workspaces of that person,
    and ends soon after the person's session.
    """
    # An agent's token gives no access to news of other workspaces.
    known = partial(asyncio.to_thread, _is_known, scope, agents=False)
    scope[STILL_KNOWN] = known
    return 0 if await known() else 401


async def may_send(scope: Scope) -> bool:
    """Return whether a request's sender is signed in or has a token."""
    return await asyncio.to_thread(_is_known, scope, agents=True)


def _headers(scope: Scope) -> Mapping[str, str]:
    return {
        name.decode("latin1"): text.decode("latin1") for name, text in scope["headers"]
    }


def _is_known(scope: Scope, *, agents: bool) -> bool:
    """Return whether a person or the operator's program asks; with `agents`, or one."""
    headers = _headers(scope)
    peer, _ = scope["client"] or ("", 0)
    cookie = parse_cookie(headers.get("cookie", "")).get(settings.SESSION_COOKIE_NAME)
    try:
        if cookie and (person := person_let_in(cookie)):
            if is_team():
                scope[PERSON] = person.pk
            return True
        return access_of(peer, headers).token is None or agents
    except ToolError:
        return False
    finally:
        connections.close_all()


async def refuse(
    scope: Scope, send: Send, refusal: Refusal, *, retry_after: int = 0
) -> None:
    """Send a refusal: JSON for programs, a line of text for pages."""
    is_program = is_for_agents(scope)
    body = json.dumps(refusal.as_json()) if is_program else f"{refusal.message}\n"
    data = body.encode()
    kind = b"application/json" if is_program else b"text/plain; charset=utf-8"
    headers = [
        (b"content-type", kind),
        (b"content-length", str(len(data)).encode()),
        (b"x-content-type-options", b"nosniff"),
    ]
    if retry_after:
        headers.append((b"retry-after", str(retry_after).encode()))
    if refusal.status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    if refusal.status in (401, 408, 413, 507):
        # The unread rest must not be parsed as a next request.
        headers.append((b"connection", b"close"))
    start = {"type": "http.response.start", "status": refusal.status}
    await send({**start, "headers": headers})
    await send({"type": "http.response.body", "body": data})
