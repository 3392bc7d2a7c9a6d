"""The hub as an ASGI application: the live stream, MCP, and Django for all else.

Django answers in threads: its own ASGI handler takes twice the time for a page.
The limits of what is asked are in `memoryhub.runtime.serving`.
"""

from __future__ import annotations

from functools import partial

from django.conf import settings

# First of all: it sets Django up, which what follows needs.
from memoryhub import wsgi
from memoryhub.runtime.asgi_messages import Receive, Scope, Send, answer
from memoryhub.runtime.inbox_waits import InboxWaits
from memoryhub.runtime.inbox_watch import InboxWatch
from memoryhub.runtime.live import live_stream
from memoryhub.runtime.mcp_mount import Mount, WholeMessages
from memoryhub.runtime.metrics import metrics
from memoryhub.runtime.serving.admission import (
    Guarded,
    is_for_agents,
    stream_refusal,
)
from memoryhub.runtime.serving.base_path import WithoutBasePath
from memoryhub.runtime.serving.observing import Observed
from memoryhub.runtime.serving.rates import Callers, RateLimited
from memoryhub.runtime.serving.threads import Pages

_callers = Callers()
_pages = Pages(wsgi.application)
_watch = InboxWatch(live_stream())
_django = RateLimited(InboxWaits(_pages, _watch), _callers)
_mount = Mount(_watch)
_mcp = RateLimited(WholeMessages(_mount), _callers)


async def _all(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer a request: `/live/` is the stream, `/mcp` MCP, all else Django's."""
    if scope["type"] == "lifespan":
        await _live_and_end(receive, send)
    elif scope["type"] == "http" and scope["path"].startswith("/live/"):
        refused = await stream_refusal(scope)
        stream = partial(answer, status=refused) if refused else live_stream()
        await stream(scope, receive, send)
    elif scope["type"] == "http" and scope["path"] == "/metrics":
        await metrics(scope, receive, send)
    elif scope["type"] == "http" and scope["path"] == "/mcp":
        await _mcp(scope, receive, send)
    else:
        await _django(scope, receive, send)


async def _agents(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer REST and MCP, and nothing else: other computers may reach these."""
    if scope["type"] == "http" and not is_for_agents(scope):
        await answer(scope, receive, send, status=404)
    else:
        await _all(scope, receive, send)


application = WithoutBasePath(Observed(Guarded(_all)), settings.FORCE_SCRIPT_NAME or "")
for_agents_alone = WithoutBasePath(
    Observed(Guarded(_agents)), settings.FORCE_SCRIPT_NAME or ""
)


async def _live_and_end(receive: Receive, send: Send) -> None:
    """Answer the server's own two messages: it starts, it ends."""
    await receive()
    await send({"type": "lifespan.startup.complete"})
    await receive()
    await _mount.close()
    _pages.close()
    await send({"type": "lifespan.shutdown.complete"})
