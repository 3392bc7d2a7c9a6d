"""A second process that makes pages: pages and writes then use two processors.

The server starts it when many pages are asked for, and sends it their WSGI
environments, over one socket for each of its threads (`page_worker`). It reads the
database like any process. It is never needed: without it, or if it ends or hangs, the
server makes pages itself.
"""

from __future__ import annotations

import asyncio
import json
import logging
import socket
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterable
from contextlib import suppress
from io import BytesIO
from typing import IO, TYPE_CHECKING, Any, cast

from a2wsgi.wsgi import build_environ
from django.conf import settings

from memoryhub.runtime.asgi_messages import Message, Scope
from memoryhub.runtime.serving import page_worker
from memoryhub.runtime.serving.page_worker import SIZE

if TYPE_CHECKING:
    from a2wsgi.asgi_typing import HTTPScope
    from a2wsgi.wsgi import Body

#: Threads of the process.
_THREADS = 4
#: So many pages within so many seconds are pressure.
_PAGES, _SECONDS = 8, 2.0
#: Seconds after a failure until the process is started again.
_PAUSE = 10.0
#: Seconds for a page besides those for its reads, then the process counts as hung.
_PATIENCE = 20.0
_PROGRAM = (
    "import sys; sys.path[:] = sys.argv[2:]; "
    f"from {page_worker.__name__} import main; main(sys.argv[1].split(','))"
)
#: Entries of a WSGI environment that cannot be sent.
_LOCAL = ("asgi.scope", "wsgi.input", "wsgi.errors", "wsgi.version")
_log = logging.getLogger(__name__)


class Pressure:
    """Whether more pages are requested than one person opens."""

    def __init__(self) -> None:
        self._begun: deque[tuple[float, Scope]] = deque(maxlen=_PAGES)

    @property
    def pages(self) -> list[Scope]:
        """The requests of the last pages."""
        return [scope for _, scope in self._begun]

    def note(self, scope: Scope) -> bool:
        """Count a page; return whether there were many just now."""
        now = time.monotonic()
        self._begun.append((now, scope))
        return len(self._begun) == _PAGES and now - self._begun[0][0] <= _SECONDS


class PageProcess:
    """Client of the process: starts it, sends it requests, notices its end."""

    def __init__(self) -> None:
        self._streams: list[_Stream] = []
        self._free: asyncio.LifoQueue[_Stream] = asyncio.LifoQueue()
        self._process: asyncio.subprocess.Process | None = None
        self._starting: asyncio.Task[None] | None = None
        self._may_start_at = self._answered_at = 0.0

    @property
    def is_ready(self) -> bool:
        return bool(self._streams)

    @property
    def pid(self) -> int:
        """The id of the process; 0 if it was never started."""
        return self._process.pid if self._process else 0

    def start(self, pages: Iterable[Scope]) -> None:
        """Start the process, unless it runs or has just failed; returns at once.

        It is ready once it has made these pages: the first ones take seconds.
        """
        if self._starting is None and time.monotonic() >= self._may_start_at:
            first = [_request(page, {}) for page in pages]
            self._starting = asyncio.ensure_future(self._start(first))

    async def answer(
        self, scope: Scope, extra: dict[str, Any], body: IO[bytes]
    ) -> Message | None:
        """Have a request without a body answered; `extra` goes to its environment.

        Return the head of the answer, whose body is then in `body`; None if the process
        has ended, or was killed because it hung.
        """
        free = self._free
        stream = await free.get()
        begun, is_lost = time.monotonic(), False
        try:
            async with asyncio.timeout(_PATIENCE + settings.MEMORYHUB_PAGE_SECONDS):
                head = await stream.exchange(_request(scope, extra), body)
            self._answered_at = time.monotonic()
            return head
        except TimeoutError:
            # Where others were answered meanwhile, it is busy: it goes on without this.
            is_lost = self._answered_at > begun and len(self._streams) > 1
            if is_lost:
                stream.close()
                self._streams = [one for one in self._streams if one is not stream]
            else:
                self._end("it hangs", stream)
            return None
        # uvloop raises a RuntimeError for what is written to a closed stream.
        except (OSError, RuntimeError, asyncio.IncompleteReadError):
            self._end("it has ended", stream)
            return None
        except asyncio.CancelledError:
            # The rest of the answer is still in the stream.
            self._end("a request was cancelled", stream)
            raise
        finally:
            # A closed stream fails for the next one who waits, too.
            if not is_lost:
                free.put_nowait(stream)

    def close(self) -> None:
        """End the process."""
        self._end("")

    async def _start(self, first: list[bytes]) -> None:
        pairs = [socket.socketpair() for _ in range(_THREADS)]
        theirs = [other.fileno() for _, other in pairs]
        given = ",".join(map(str, theirs))
        command = [sys.executable, "-c", _PROGRAM, given, *sys.path]
        try:
            self._process = await asyncio.create_subprocess_exec(
                *command,
                pass_fds=theirs,
                stdin=subprocess.DEVNULL,
                # Ctrl-C reaches only the server.
                start_new_session=True,
            )
            for _, other in pairs:
                other.close()
            streams = [await _Stream.of(mine) for mine, _ in pairs]
            for stream in streams:
                await stream.read()
            for request in first:
                await streams[0].exchange(request, BytesIO())
        except Exception as error:  # pages are made without it
            self._end(f"it did not start: {error!r}")
            return
        self._free = asyncio.LifoQueue()
        for stream in streams:
            self._free.put_nowait(stream)
        self._streams = streams

    def _end(self, why: str, failed: _Stream | None = None) -> None:
        """Close all streams and kill the process: a hung one would stay.

        A failed stream of a process before it says nothing about this one.
        """
        if failed is not None and failed not in self._streams:
            return
        if why and self._starting is not None:
            _log.warning("the server makes pages itself, without its process: %s", why)
        for stream in self._streams:
            stream.close()
        if self._process is not None and self._process.returncode is None:
            with suppress(ProcessLookupError):
                self._process.kill()
        self._streams, self._starting = [], None
        self._may_start_at = time.monotonic() + _PAUSE


def _request(scope: Scope, extra: dict[str, Any]) -> bytes:
    """Return the WSGI environment of a request, without its body, as JSON."""
    environ = build_environ(cast("HTTPScope", scope), cast("Body", None))
    sent = {name: value for name, value in environ.items() if name not in _LOCAL}
    return json.dumps(sent | extra).encode()


class _Stream:
    """A socket to a thread of the process: a request, then its answer."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self._reader, self._writer = reader, writer

    @classmethod
    async def of(cls, connection: socket.socket) -> _Stream:
        return cls(*await asyncio.open_connection(sock=connection))

    async def exchange(self, request: bytes, body: IO[bytes]) -> Message:
        self._writer.write(SIZE.pack(len(request)) + request)
        await self._writer.drain()
        status, headers = json.loads(await self.read())
        while part := await self.read():
            body.write(part)
        return {
            "type": "http.response.start",
            "status": status,
            "headers": [
                (name.lower().encode("latin1"), value.encode("latin1"))
                for name, value in headers
            ],
        }

    async def read(self) -> bytes:
        (size,) = SIZE.unpack(await self._reader.readexactly(SIZE.size))
        return await self._reader.readexactly(size)

    def close(self) -> None:
        # Not `close`, which waits until a hung process has read the rest.
        self._writer.transport.abort()
