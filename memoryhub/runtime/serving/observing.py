"""Observation of requests: metrics, and a line of the log for each.

Neither contains what a request or an answer says, only the kind of page.
"""

from __future__ import annotations

import logging
import re
import time
import uuid
from collections.abc import Iterable
from typing import Any

from django.conf import settings
from django.urls import URLPattern, URLResolver, get_resolver

from memoryhub.runtime.asgi_messages import Asgi, Message, Receive, Scope, Send
from memoryhub.runtime.metrics import observe, observe_wait

_log = logging.getLogger("memoryhub.requests")
_SLUG = re.compile(r"/(?:w|api/v1/workspaces|api/a2a)/([a-z0-9][a-z0-9-]{0,79})(?:/|$)")
_WORKSPACE_PAGE = re.compile(r"/w/[^/]*/?([a-z-]*)")
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_PROGRAMS = {"mcp": "mcp", "live": "live", "static": "static", "metrics": "metrics"}


class Observed:
    """An ASGI application whose answers are counted and, if wished, logged.

    A request has an id, which its log line and its answer's ``X-Request-ID`` state.
    """

    def __init__(self, inner: Asgi) -> None:
        self._inner = inner
        self._logs = settings.MEMORYHUB_LOG == "json"
        self._pages = frozenset(_first_folders(get_resolver().url_patterns))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._inner(scope, receive, send)
            return
        began = time.perf_counter()
        name = uuid.uuid4().hex if self._logs else ""
        status = 0

        async def observed(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                self._note(scope, message, time.perf_counter() - began)
                if name:
                    message["headers"] = [
                        *message["headers"],
                        (b"x-request-id", name.encode()),
                    ]
            await send(message)

        try:
            await self._inner(scope, receive, observed)
        finally:
            if self._logs:
                self._say(scope, name, status, time.perf_counter() - began)

    def _note(self, scope: Scope, message: Message, seconds: float) -> None:
        route = self._route(scope["path"])
        if _lasts(scope, message):
            observe_wait(route, message["status"])
        else:
            method = scope["method"] if scope["method"] in _METHODS else "other"
            observe(route, method, message["status"], seconds)

    def _route(self, path: str) -> str:
        """Return the kind of page: never a name that a client has chosen."""
        if page := _WORKSPACE_PAGE.match(path):
            name = f"w/{page[1]}".rstrip("/")
            return name if name in self._pages else "w/other"
        first = path.split("/", 2)[1] if path.startswith("/") else ""
        return _PROGRAMS.get(first) or (first if first in self._pages else "other")

    def _say(self, scope: Scope, name: str, status: int, seconds: float) -> None:
        slug = _SLUG.match(scope["path"])
        about: dict[str, Any] = {
            "request": name,
            "method": scope["method"] if scope["method"] in _METHODS else "other",
            "route": self._route(scope["path"]),
            "status": status,
            "ms": round(seconds * 1000, 1),
            "workspace": slug[1] if slug and status not in (0, 401, 404) else "",
        }
        _log.info("request", extra={"about": about})


def _lasts(scope: Scope, message: Message) -> bool:
    """Return whether an answer is a stream, or was waited for on purpose."""
    kind = dict(message["headers"]).get(b"content-type", b"")
    return kind.startswith(b"text/event-stream") or b"wait=" in scope["query_string"]


def _first_folders(
    patterns: Iterable[URLPattern | URLResolver], before: str = ""
) -> Iterable[str]:
    """Return the first fixed folder of each address; of workspaces' pages two."""
    for pattern in patterns:
        text = str(pattern.pattern)
        if isinstance(pattern, URLResolver) and not text:
            yield from _first_folders(pattern.url_patterns, before)
        elif text.startswith("w/<") and isinstance(pattern, URLResolver):
            yield from _first_folders(pattern.url_patterns, "w/")
        else:
            whole = re.sub(r"^w/<[^>]*>/", "w/", text)
            start = "w/" if whole.startswith("w/") else before
            first = re.split(r"[/.<?]", whole.removeprefix("w/"), maxsplit=1)[0]
            yield f"{start}{first}".rstrip("/")
