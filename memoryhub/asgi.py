"""The hub as an ASGI application: the live stream, and Django for all else.

Django answers in threads: its own ASGI handler takes twice the time for a page.
"""

from __future__ import annotations

import os
from typing import Any

from a2wsgi import WSGIMiddleware
from django.core.wsgi import get_wsgi_application

from memoryhub.live import Receive, Scope, Send, live_stream

_THREADS = 4

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryhub.settings")
_pages: Any = get_wsgi_application()
_django = WSGIMiddleware(_pages, workers=_THREADS)


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer a request; `/live/` is the stream, all other paths are Django's."""
    if scope["type"] == "http" and scope["path"].startswith("/live/"):
        await live_stream()(scope, receive, send)
    else:
        await _django(scope, receive, send)  # type: ignore[arg-type]
