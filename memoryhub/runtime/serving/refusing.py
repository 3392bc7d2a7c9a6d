"""Refusals before the application is called, in its error shape."""

from __future__ import annotations

import json

from memoryhub.errors.shape import Refusal
from memoryhub.people.sites import REFUSAL
from memoryhub.runtime.live import Scope, Send

TOO_SLOW = Refusal("body-too-slow", "the body did not come in time", 408)
CANNOT_KEEP = Refusal("body-not-kept", "there is no room for the body", 507)
UNKNOWN = Refusal("token-missing", "who sends so much has to be known", 401)
OTHER_SITE = Refusal("other-site", REFUSAL, 403)
BUSY = Refusal("busy", "too much is asked at once: try again in a moment", 503)


def is_of_program(scope: Scope) -> bool:
    """Return whether an address is for programs: REST or MCP."""
    path: str = scope["path"]
    return path.startswith("/api/") or path == "/mcp"


async def refuse(
    scope: Scope, send: Send, refusal: Refusal, *, retry_after: int = 0
) -> None:
    """Send a refusal: JSON for programs, a line of text for pages."""
    is_program = is_of_program(scope)
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
