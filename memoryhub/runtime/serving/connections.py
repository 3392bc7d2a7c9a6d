"""Connections with limits: header size and time, unread bodies, slow readers.

uvicorn leaves open that a head may trickle in for ever and has no size limit.
"""

from __future__ import annotations

import asyncio
import sys
import time
from contextlib import suppress
from http import HTTPStatus
from typing import Any

from django.conf import settings
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from memoryhub.runtime.serving.proxied import pass_on

if sys.platform != "win32":
    import resource

#: Limits of a request's head: bytes, number of headers.
MAX_HEAD_BYTES, MAX_HEADERS = 65_536, 100
#: Limits for draining a refused request, so that its sender reads the answer.
_LINGER_BYTES, _LINGER_SECONDS = 4_000_000, 5.0
#: Seconds until an idle connection is closed. Longer than proxies keep theirs (nginx
#: 60, Traefik 90, Caddy 120): whichever end closes first must not be the one that gets
#: requests, because a request on its way to a closed connection fails.
IDLE_SECONDS = 130
#: File descriptors reserved for databases and watched folders.
_OTHER_FILES = 128


def connection_limit() -> int:
    """Return the most open connections: as set, bounded by open files."""
    wanted: int = settings.MEMORYHUB_MAX_CONNECTIONS
    if sys.platform != "win32":
        files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = min(wanted, files - _OTHER_FILES)
    return max(16, wanted)


class BoundedProtocol(HttpToolsProtocol):
    """HTTP on one connection, closed when its client only occupies it.

    Above the limit, the connection that has waited longest for a head is closed.
    """

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._limit = connection_limit()
        self._timer: asyncio.TimerHandle | None = None
        self._stalled: asyncio.TimerHandle | None = None
        self._idle_since = time.monotonic()
        self._in_head = False
        self._head_bytes = 0
        self._refused = False
        self._discarded = 0

    @property
    def is_idle(self) -> bool:
        """Return whether no complete request is being answered."""
        return self.cycle is None or self.cycle.response_complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._start_timer(settings.MEMORYHUB_CLIENT_SECONDS, self._head_late)
        if len(self.connections) > self._limit:
            idle = [
                other
                for other in self.connections
                if isinstance(other, BoundedProtocol) and other.is_idle
            ]
            longest = min(idle, key=lambda other: other._idle_since)
            if longest is self:
                self._refuse(HTTPStatus.SERVICE_UNAVAILABLE)
            else:
                longest.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        self._writable()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._refused:
            self._discard(len(data))
            return
        super().data_received(data)
        if self._in_head:
            self._head_bytes += len(data)
            if self._head_bytes > MAX_HEAD_BYTES:
                self._refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._in_head, self._head_bytes = True, 0
        self._start_timer(settings.MEMORYHUB_CLIENT_SECONDS, self._head_late)

    def on_header(self, name: bytes, value: bytes) -> None:
        # Trailers of a chunked body are ignored: the head has been checked by then.
        if self._in_head:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._in_head = False
        self._stop_timer()
        size = sum(len(name) + len(value) for name, value in self.headers)
        if size + len(self.url) > MAX_HEAD_BYTES or len(self.headers) > MAX_HEADERS:
            self._refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)
        elif not self._refused:
            pass_on(self.headers, self.client[0] if self.client else "")
            super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        if self._refused:
            return
        if self.cycle.response_complete:
            self._discard(len(body))
        super().on_body(body)

    def on_message_complete(self) -> None:
        if self._refused:
            return
        super().on_message_complete()
        if self.cycle.response_complete:
            self._start_timer(self.timeout_keep_alive, self.timeout_keep_alive_handler)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._idle_since = time.monotonic()
        self._discarded = 0
        if self.cycle.more_body:
            # The answer came before the end of its request, which must follow soon.
            self._unset_keepalive_if_required()
            self._start_timer(_LINGER_SECONDS, self._end)

    def timeout_keep_alive_handler(self) -> None:
        self._end()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._writable()
        self._stalled = self.loop.call_later(
            settings.MEMORYHUB_ANSWER_SECONDS, self.transport.abort
        )

    def resume_writing(self) -> None:
        self._writable()
        super().resume_writing()

    def _head_late(self) -> None:
        if self._in_head:
            self._refuse(HTTPStatus.REQUEST_TIMEOUT)
        else:
            self._end()

    def _refuse(self, status: HTTPStatus) -> None:
        """Answer without calling the application, and close once that is read."""
        if self._refused or self.transport.is_closing():
            return
        self._refused = True
        text = f"{status.phrase}\n".encode()
        head = (
            f"HTTP/1.1 {status.value} {status.phrase}\r\nconnection: close\r\n"
            "content-type: text/plain; charset=utf-8\r\n"
            f"content-length: {len(text)}\r\nretry-after: 1\r\n\r\n"
        )
        self.transport.write(head.encode() + text)
        with suppress(OSError, RuntimeError):
            self.transport.write_eof()
        self._start_timer(_LINGER_SECONDS, self._end)

    def _discard(self, size: int) -> None:
        """Count the discarded bytes of a request that is already answered."""
        self._discarded += size
        if self._discarded > _LINGER_BYTES:
            self.transport.abort()

    def _end(self) -> None:
        """Close; abort if the rest is not read in time."""
        if not self.transport.is_closing():
            self.transport.close()
        self._start_timer(settings.MEMORYHUB_ANSWER_SECONDS, self.transport.abort)

    def _start_timer(self, seconds: float, then: Any) -> None:
        self._stop_timer()
        self._timer = self.loop.call_later(seconds, then)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _writable(self) -> None:
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None
