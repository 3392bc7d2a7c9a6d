"""Who may listen to the live stream, and what a server for agents alone answers."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from django.conf import settings
from django.db import connections
from django.http import parse_cookie

from memoryhub.errors.base import ToolError
from memoryhub.people.access import access_of
from memoryhub.people.services.sign_in import person_by_cookie
from memoryhub.people.sites import is_refused
from memoryhub.runtime.live import Scope


def is_for_agents(scope: Scope) -> bool:
    """Tell whether an address is of REST or of MCP."""
    path: str = scope["path"]
    return path == "/mcp" or path.startswith("/api/v1/")


async def why_not_streamed(scope: Scope) -> int:
    """Return the status by which a request for the live stream is refused; else 0."""
    headers = _headers(scope)
    if is_refused(scope["method"], headers):
        return 403
    peer, _ = scope["client"] or ("", 0)
    return 0 if await asyncio.to_thread(_is_known, peer, headers) else 401


def is_of_another_site(scope: Scope) -> bool:
    """Tell whether a page of another site asks, and no link that a person followed.

    For REST that is told by its own door, in its own words.
    """
    if is_for_agents(scope):
        return False
    return is_refused(scope["method"], _headers(scope))


async def may_send(scope: Scope) -> bool:
    """Tell whether a person who is signed in sends a request, or who has a token."""
    headers = _headers(scope)
    if is_refused(scope["method"], headers):
        return False
    peer, _ = scope["client"] or ("", 0)
    return await asyncio.to_thread(_is_somebody, peer, headers)


def _headers(scope: Scope) -> dict[str, str]:
    return {
        name.decode("latin1"): text.decode("latin1") for name, text in scope["headers"]
    }


def _is_somebody(peer: str, headers: Mapping[str, str]) -> bool:
    """Tell whether a person is signed in, or a program has a token."""
    cookie = parse_cookie(headers.get("cookie", "")).get(settings.SESSION_COOKIE_NAME)
    try:
        if cookie and person_by_cookie(cookie):
            return True
        access_of(peer, headers)
    except ToolError:
        return False
    finally:
        connections.close_all()
    return True


def _is_known(peer: str, headers: Mapping[str, str]) -> bool:
    """Tell whether a person is signed in, or a program of the operator asks."""
    cookie = parse_cookie(headers.get("cookie", "")).get(settings.SESSION_COOKIE_NAME)
    try:
        if cookie and person_by_cookie(cookie):
            return True
        # What grows in other workspaces is nothing for the token of an agent.
        return access_of(peer, headers).token is None
    except ToolError:
        return False
    finally:
        connections.close_all()
