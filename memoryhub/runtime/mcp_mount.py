"""Mount of the MCP application, loaded at the first request; messages are measured.

The SDK takes longer to load than all else, and most runs never need it.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

from django.conf import settings
from django.utils.module_loading import import_string

from memoryhub.errors.base import JSON_TOO_LARGE
from memoryhub.runtime.asgi_messages import Receive, Scope, Send
from memoryhub.runtime.inbox_watch import InboxWatch
from memoryhub.runtime.serving.admission import refuse
from memoryhub.runtime.serving.bodies import (
    Allowance,
    BodyRefused,
    ClientGone,
    body_of,
    replayed,
)
from memoryhub.values.json_bounds import check_size

_DOOR = "memoryhub.mcp.http.HttpDoor"


class Mount:
    """An ASGI application that loads and starts the MCP application on first use."""

    def __init__(self, watch: InboxWatch) -> None:
        self._watch = watch
        self._opened: asyncio.Future[Any] | None = None
        self._holder: asyncio.Task[None] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._opened is None:
            self._opened = asyncio.get_running_loop().create_future()
            self._holder = asyncio.create_task(self._hold(self._opened))
        door = await asyncio.shield(self._opened)
        await door(scope, receive, send)

    async def close(self) -> None:
        """Stop the MCP application, so that the server can shut down."""
        if self._holder is not None:
            self._holder.cancel()
            with suppress(asyncio.CancelledError):
                await self._holder

    async def _hold(self, opened: asyncio.Future[Any]) -> None:
        """Run the MCP application until cancelled: it must end in its own task."""
        try:
            door = (await asyncio.to_thread(import_string, _DOOR))(self._watch)
        except Exception as error:
            self._opened = None
            opened.set_exception(error)
            return
        async with door.running():
            opened.set_result(door)
            await asyncio.Event().wait()


class WholeMessages:
    """An ASGI application that passes each request on with its whole body."""

    def __init__(self, inner: Mount) -> None:
        self._inner = inner
        self._body = Allowance(
            settings.DATA_UPLOAD_MAX_MEMORY_SIZE, settings.MEMORYHUB_BODY_SECONDS, 50
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            with await body_of(scope, receive, self._body) as body:
                data = body.read()
            await asyncio.to_thread(check_size, data)
        except ValueError:
            await refuse(scope, send, JSON_TOO_LARGE)
        except BodyRefused as error:
            await refuse(scope, send, error.refusal)
        except ClientGone:
            return
        else:
            await self._inner(scope, replayed(data, receive), send)
