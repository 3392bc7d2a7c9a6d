"""MCP messages, read and measured before the SDK parses them."""

from __future__ import annotations

import asyncio

from django.conf import settings

from memoryhub.errors.shape import JSON_TOO_LARGE
from memoryhub.runtime.live import Receive, Scope, Send
from memoryhub.runtime.mcp_mount import Mount
from memoryhub.runtime.serving.bodies import (
    Allowance,
    BodyRefused,
    ClientGone,
    body_of,
    replayed,
)
from memoryhub.runtime.serving.refusing import refuse
from memoryhub.values.json_bounds import check_size


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
