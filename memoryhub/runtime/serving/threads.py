"""Django in threads: none waits for a client; slow requests have their own."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from tempfile import SpooledTemporaryFile
from typing import IO, Any
from wsgiref.util import FileWrapper

from a2wsgi import WSGIMiddleware
from django.conf import settings

from memoryhub.runtime.live import Message, Receive, Scope, Send
from memoryhub.runtime.serving.admission import (
    BUSY,
    OTHER_SITE,
    is_of_another_site,
    refuse,
)
from memoryhub.runtime.serving.bodies import Allowance, BodyRefused, ClientGone, body_of

#: Key of the body in the ASGI scope, passed through the WSGI environment.
_BODY = "memoryhub.body"
#: Size of parts of an answer; bytes of an answer kept in memory.
_PART, _IN_MEMORY = 65_536, 1_048_576

#: Slow addresses: bulk transfers, and pages that search or compare anew for each
#: request, such as views of a file.
_BULK = re.compile(r"/w/[^/]+/export/download/|/imports/new/")
_SLOW = re.compile(r"/w/[^/]+/(search/|palette|export/|handover(/|\.md|\.zip))")

Start = Callable[..., Any]
Wsgi = Callable[[dict[str, Any], Start], Iterable[bytes]]


class Pool:
    """Threads for one kind of request, with a limit on waiting ones."""

    def __init__(self, wsgi: Any, threads: int, waiting: int) -> None:
        self._run = WSGIMiddleware(wsgi, workers=threads)
        self._most = threads + waiting
        self._inside = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._inside >= self._most:
            await refuse(scope, send, BUSY, retry_after=2)
            return
        self._inside += 1
        with SpooledTemporaryFile(_IN_MEMORY) as body:
            outbox = Outbox(body)
            try:
                await self._run(scope, receive, outbox.put)  # type: ignore[arg-type]
            finally:
                self._inside -= 1
            await outbox.empty_into(send)


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
        self._reads = Pool(app, threads=4, waiting=400)
        self._slow = Pool(app, threads=2, waiting=60)
        self._changes = Pool(app, threads=16, waiting=400)
        self._bulk = Pool(app, threads=2, waiting=8)
        self._body = Allowance(
            settings.DATA_UPLOAD_MAX_MEMORY_SIZE, settings.MEMORYHUB_BODY_SECONDS, 100
        )
        self._upload = Allowance(settings.MEMORYHUB_MAX_UPLOAD_BYTES, 3600.0, 4)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_bulk = is_bulk_request(scope)
        allowed = self._upload if is_bulk else self._body
        if is_of_another_site(scope):
            await refuse(scope, send, OTHER_SITE)
            return
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

    def _pool_of(self, scope: Scope, *, is_bulk: bool) -> Pool:
        if is_bulk:
            return self._bulk
        if is_slow_request(scope):
            return self._slow
        is_read = scope["method"] in ("GET", "HEAD", "OPTIONS")
        return self._reads if is_read else self._changes


def _with_body(wsgi: Wsgi) -> Wsgi:
    """Return a WSGI application whose input is the body already read."""

    def app(environ: dict[str, Any], start: Start) -> Iterable[bytes]:
        body: IO[bytes] = environ["asgi.scope"].pop(_BODY)
        # A chunked body has no Content-Length.
        environ["CONTENT_LENGTH"] = str(body.seek(0, 2))
        body.seek(0)
        environ["wsgi.input"] = body
        environ["wsgi.file_wrapper"] = _parts
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
