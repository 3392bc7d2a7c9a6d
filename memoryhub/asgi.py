"""The hub as an ASGI application: the live stream, MCP, and Django for all else.

Django answers in threads: its own ASGI handler takes twice the time for a page.
"""

from __future__ import annotations

import os
from typing import Any

from a2wsgi import WSGIMiddleware
from django.core.wsgi import get_wsgi_application

from memoryhub.live import Receive, Scope, Send, live_stream
from memoryhub.mcp.mount import Mount

_THREADS = 4

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryhub.settings")
_pages: Any = get_wsgi_application()
_django = WSGIMiddleware(_pages, workers=_THREADS)
_mcp = Mount()


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer a request: `/live/` is the stream, `/mcp` MCP, all else Django's."""
    if scope["type"] == "lifespan":
        await _live_and_end(receive, send)
    elif scope["type"] == "http" and scope["path"].startswith("/live/"):
        await live_stream()(scope, receive, send)
    elif scope["type"] == "http" and scope["path"] == "/mcp":
        await _mcp(scope, receive, send)
    else:
        await _django(scope, receive, send)  # type: ignore[arg-type]


async def _live_and_end(receive: Receive, send: Send) -> None:
    """Answer the server's own two messages: it starts, it ends."""
    await receive()
    await send({"type": "lifespan.startup.complete"})
    await receive()
    await _mcp.close()
    await send({"type": "lifespan.shutdown.complete"})
