"""Django in threads: no thread waits for a client, and slow work has threads apart."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from tempfile import SpooledTemporaryFile
from typing import IO, Any
from wsgiref.util import FileWrapper

from a2wsgi import WSGIMiddleware
from django.conf import settings

from memoryhub.runtime.admission import is_of_another_site
from memoryhub.runtime.live import Message, Receive, Scope, Send
from memoryhub.runtime.serving.bodies import Allowance, BodyRefused, ClientGone, body_of
from memoryhub.runtime.serving.refusing import BUSY, OTHER_SITE, refuse

#: An ASGI server's own part of an environment of WSGI.
_BODY = "memoryhub.body"
#: Answers are sent in parts of so many bytes; more than so many go into a file.
_PART, _IN_MEMORY = 65_536, 1_048_576

#: Addresses whose work takes long: what is taken in and given away whole, and what
#: is looked for or compared anew for each request, as views of a file are.
_BULK = re.compile(r"/w/[^/]+/export/download/|/imports/new/")
_SLOW = re.compile(r"/w/[^/]+/(search|palette|export)/")

Start = Callable[..., Any]
Wsgi = Callable[[dict[str, Any], Start], Iterable[bytes]]


class Pool:
    """Threads for one kind of request, and how many may wait for one."""

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


class Pages:
    """An ASGI application: reads a request, has Django answer it, and sends that."""

    def __init__(self, wsgi: Wsgi) -> None:
        app = _with_body(wsgi)
        self._reads = Pool(app, threads=4, waiting=400)
        self._slow = Pool(app, threads=2, waiting=60)
        self._changes = Pool(app, threads=4, waiting=400)
        self._bulk = Pool(app, threads=2, waiting=8)
        self._body = Allowance(
            settings.DATA_UPLOAD_MAX_MEMORY_SIZE, settings.MEMORYHUB_BODY_SECONDS, 100
        )
        self._upload = Allowance(settings.MEMORYHUB_MAX_UPLOAD_BYTES, 3600.0, 4)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_bulk = bool(_BULK.fullmatch(scope["path"]))
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
        if _SLOW.fullmatch(scope["path"]) or b"view=" in scope["query_string"]:
            return self._slow
        is_read = scope["method"] in ("GET", "HEAD", "OPTIONS")
        return self._reads if is_read else self._changes


def _with_body(wsgi: Wsgi) -> Wsgi:
    """Return a WSGI application that reads the body that was read already."""

    def app(environ: dict[str, Any], start: Start) -> Iterable[bytes]:
        body: IO[bytes] = environ["asgi.scope"].pop(_BODY)
        # A body that came in chunks has no length of its own.
        environ["CONTENT_LENGTH"] = str(body.seek(0, 2))
        body.seek(0)
        environ["wsgi.input"] = body
        environ["wsgi.file_wrapper"] = _parts
        return wsgi(environ, start)

    return app


def _parts(file: IO[bytes], _: int) -> FileWrapper:
    return FileWrapper(file, _PART)


class Outbox:
    """An answer on its way: taken as fast as it is made, sent as its client reads."""

    def __init__(self, body: IO[bytes]) -> None:
        self._start: Message | None = None
        self._body = body

    async def put(self, message: Message) -> None:
        """Take a part of the answer."""
        if message["type"] == "http.response.start":
            self._start = message
        else:
            self._body.write(message.get("body", b""))

    async def empty_into(self, send: Send) -> None:
        """Send what was put in, part by part."""
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
