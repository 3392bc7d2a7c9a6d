"""Admission checks before the program: live stream, cross-site, known senders."""

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
    """Return whether an address is of REST or MCP."""
    path: str = scope["path"]
    return path == "/mcp" or path.startswith("/api/v1/")


async def why_not_streamed(scope: Scope) -> int:
    """Return the status that refuses a request for the live stream; 0 if admitted."""
    headers = _headers(scope)
    if is_refused(scope["method"], headers):
        return 403
    peer, _ = scope["client"] or ("", 0)
    return 0 if await asyncio.to_thread(_is_known, peer, headers) else 401


def is_of_another_site(scope: Scope) -> bool:
    """Return whether a request is a refused cross-site one, other than to REST and MCP.

    Those refuse it themselves, in their own error shape.
    """
    if is_for_agents(scope):
        return False
    return is_refused(scope["method"], _headers(scope))


async def may_send(scope: Scope) -> bool:
    """Return whether a request's sender is signed in or has a token."""
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
    """Return whether a person is signed in, or a program has a token."""
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
    """Return whether a person is signed in, or a program of the operator asks."""
    cookie = parse_cookie(headers.get("cookie", "")).get(settings.SESSION_COOKIE_NAME)
    try:
        if cookie and person_by_cookie(cookie):
            return True
        # An agent's token gives no access to news of other workspaces.
        return access_of(peer, headers).token is None
    except ToolError:
        return False
    finally:
        connections.close_all()
