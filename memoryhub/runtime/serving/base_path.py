"""The base path of MEMORYHUB_URL, taken off before anything else sees a request.

A proxy may pass it on or take it off itself; programs of this computer leave it out.
"""

from __future__ import annotations

from memoryhub.runtime.asgi_messages import Asgi, Receive, Scope, Send


class WithoutBasePath:
    """An ASGI application that answers below a base path such as ``/hub``."""

    def __init__(self, inner: Asgi, prefix: str) -> None:
        self._inner = inner
        self._prefix = prefix

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._prefix and scope["type"] == "http":
            scope = self._shortened(scope)
        await self._inner(scope, receive, send)

    def _shortened(self, scope: Scope) -> Scope:
        path, raw = scope["path"], scope.get("raw_path") or b""
        if path != self._prefix and not path.startswith(f"{self._prefix}/"):
            return scope
        # The prefix has no escapes, but a client may have escaped its letters.
        length = len(self._prefix)
        is_plain = raw.startswith(self._prefix.encode())
        return {
            **scope,
            "path": path[length:] or "/",
            "raw_path": (raw[length:] or b"/") if is_plain else path[length:].encode(),
        }
