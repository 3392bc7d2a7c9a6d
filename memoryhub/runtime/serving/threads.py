"""Django in threads: none waits for a client; slow requests have their own.

Pages under pressure are made by a second process (`page_process`).
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable
from tempfile import SpooledTemporaryFile
from typing import IO, Any
from wsgiref.util import FileWrapper

from a2wsgi import WSGIMiddleware
from django.conf import settings

from memoryhub.journal.page_cache import PINNED
from memoryhub.runtime.asgi_messages import Message, Receive, Scope, Send
from memoryhub.runtime.serving.admission import (
    BUSY,
    is_for_agents,
    refuse,
)
from memoryhub.runtime.serving.bodies import Allowance, BodyRefused, ClientGone, body_of
from memoryhub.runtime.serving.page_process import PageProcess, Pressure

#: Key of the body in the ASGI scope, passed through the WSGI environment.
_BODY = "memoryhub.body"
#: Key of further entries of the WSGI environment.
_EXTRA = "memoryhub.extra"
#: Size of parts of an answer; bytes of an answer kept in memory.
_PART, _IN_MEMORY = 65_536, 1_048_576

#: Addresses of a workspace's pages; methods that change nothing.
_PAGES, _READING = "/w/", ("GET", "HEAD", "OPTIONS")
#: Slow addresses: bulk transfers, and pages that search or compare anew for each
#: request, such as views of a file.
_BULK = re.compile(r"/w/[^/]+/export/download/|/imports/new/")
_SLOW = re.compile(r"/w/[^/]+/(search/|palette|export/|handover(/|\.md|\.zip))")

Start = Callable[..., Any]
Wsgi = Callable[[dict[str, Any], Start], Iterable[bytes]]


class Pool:
    """Threads for one kind of request, with a limit on waiting ones.

    `done` is called with each request before its answer is sent.
    """

    def __init__(
        self,
        wsgi: Any,
        threads: int,
        waiting: int,
        done: Callable[[Scope], None] = lambda _: None,
    ) -> None:
        self._run = WSGIMiddleware(wsgi, workers=threads)
        self._most = threads + waiting
        self._inside = 0
        self._done = done

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._inside >= self._most:
            await refuse(scope, send, BUSY, retry_after=2)
            return
        self._inside += 1
        with SpooledTemporaryFile(_IN_MEMORY) as body:
            outbox = Outbox(body)
            try:
                await self._fill(outbox, scope, receive)
            finally:
                self._inside -= 1
                self._done(scope)
            await outbox.empty_into(send)

    async def _fill(self, outbox: Outbox, scope: Scope, receive: Receive) -> None:
        await self._run(scope, receive, outbox.put)  # type: ignore[arg-type]


class PagePool(Pool):
    """Threads for pages, here or, once there was pressure, in a second process."""

    def __init__(self, wsgi: Any, threads: int, waiting: int) -> None:
        super().__init__(wsgi, threads, waiting)
        self._process = PageProcess()
        self._pressure = Pressure()
        self._changed_at = 0.0

    def note_change(self, scope: Scope) -> None:
        """Refresh the state of later pages if a request changed something."""
        if scope["method"] not in _READING and not is_for_agents(scope):
            self._changed_at = time.monotonic()

    def close(self) -> None:
        self._process.close()

    async def _fill(self, outbox: Outbox, scope: Scope, receive: Receive) -> None:
        extra: dict[str, Any] = {}
        if scope["path"].startswith(_PAGES) and self._pressure.note(scope):
            self._process.start(self._pressure.pages)
            # A part of a page follows news, and must be as new as these.
            if b"hx-request" not in dict(scope["headers"]):
                extra = {PINNED: self._changed_at}
        takes = self._process.is_ready and not is_for_agents(scope)
        if takes and await outbox.filled_by(self._process, scope, extra):
            return
        scope[_EXTRA] = extra
        await super()._fill(outbox, scope, receive)


def is_bulk_request(scope: Scope) -> bool:
    """Return whether a request transfers a whole workspace."""
    return bool(_BULK.fullmatch(scope["path"]))


def is_slow_request(scope: Scope) -> bool:
    """Return whether a request searches, or compares texts."""
    return bool(_SLOW.fullmatch(scope["path"])) or b"view=" in scope["query_string"]


class Pages:
    """An ASGI application: reads a request, has Django answer it, sends the answer."""

    def __init__(self, wsgi: Wsgi) -> None:
        app = _with_body(wsgi)
        self._reads = PagePool(app, threads=4, waiting=400)
        done = self._reads.note_change
        self._slow = Pool(app, threads=2, waiting=60, done=done)
        self._changes = Pool(app, threads=16, waiting=400, done=done)
        self._bulk = Pool(app, threads=2, waiting=8, done=done)
        self._body = Allowance(
            settings.DATA_UPLOAD_MAX_MEMORY_SIZE, settings.MEMORYHUB_BODY_SECONDS, 100
        )
        self._upload = Allowance(settings.MEMORYHUB_MAX_UPLOAD_BYTES, 3600.0, 4)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_bulk = is_bulk_request(scope)
        allowed = self._upload if is_bulk else self._body
        try:
            body = await body_of(scope, receive, allowed)
        except BodyRefused as error:
            await refuse(scope, send, error.refusal)
            return
        except ClientGone:
            return
        with body:
            scope[_BODY] = body
            await self._pool_of(scope, is_bulk=is_bulk)(scope, receive, send)

    def close(self) -> None:
        """End the process that makes pages, if there is one."""
        self._reads.close()

    def _pool_of(self, scope: Scope, *, is_bulk: bool) -> Pool:
        if is_bulk:
            return self._bulk
        if is_slow_request(scope):
            return self._slow
        return self._reads if scope["method"] in _READING else self._changes


def _with_body(wsgi: Wsgi) -> Wsgi:
    """Return a WSGI application whose input is the body already read."""

    def app(environ: dict[str, Any], start: Start) -> Iterable[bytes]:
        body: IO[bytes] = environ["asgi.scope"].pop(_BODY)
        # A chunked body has no Content-Length.
        environ["CONTENT_LENGTH"] = str(body.seek(0, 2))
        body.seek(0)
        environ["wsgi.input"] = body
        environ["wsgi.file_wrapper"] = _parts
        environ |= environ["asgi.scope"].get(_EXTRA, {})
        return wsgi(environ, start)

    return app


def _parts(file: IO[bytes], _: int) -> FileWrapper:
    return FileWrapper(file, _PART)


class Outbox:
    """Buffer of an answer: filled at the speed of Django, sent at the client's."""

    def __init__(self, body: IO[bytes]) -> None:
        self._start: Message | None = None
        self._body = body

    async def put(self, message: Message) -> None:
        """Store an ASGI message of the answer."""
        if message["type"] == "http.response.start":
            self._start = message
        else:
            self._body.write(message.get("body", b""))

    async def filled_by(
        self, process: PageProcess, scope: Scope, extra: dict[str, Any]
    ) -> bool:
        """Have a process fill it; return False, and stay empty, if that has ended."""
        self._start = await process.answer(scope, extra, self._body)
        if self._start is None:
            self._body.seek(0)
            self._body.truncate()
        return self._start is not None

    async def empty_into(self, send: Send) -> None:
        """Send the stored answer in parts."""
        if self._start is None:
            return
        await send(self._start)
        size = self._body.seek(0, 2)
        self._body.seek(0)
        for at in range(_PART, size + _PART, _PART):
            part = {"type": "http.response.body", "body": self._body.read(_PART)}
            await send({**part, "more_body": at < size})
        if not size:
            await send({"type": "http.response.body", "body": b""})
