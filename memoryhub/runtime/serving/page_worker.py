"""The process that makes pages for a server (`page_process`).

Each descriptor it is given is a socket to the server, served by a thread: a request
comes as the JSON of its WSGI environment; its answer goes back as the JSON of its head,
its body in parts, and an empty part. Every message is preceded by its size. The process
ends when the server closes its sockets.
"""

from __future__ import annotations

import json
import os
import socket
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from io import BytesIO
from struct import Struct
from threading import Event, Thread
from typing import IO, Any, cast

from django.core.wsgi import get_wsgi_application

from memoryhub.runtime import error_reports
from memoryhub.runtime.memory import bound_memory, give_back

SIZE = Struct("!I")
#: Thread switch interval in seconds, as in the server.
_TURN_SECONDS = 0.001
_PART = 65_536

Wsgi = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


def main(descriptors: Iterable[str]) -> None:
    """Answer requests from these sockets until all are closed."""
    bound_memory()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryhub.settings")
    application = get_wsgi_application()
    error_reports.start()
    sys.setswitchinterval(_TURN_SECONDS)
    threads = [
        Thread(target=_serve, args=(application, int(one))) for one in descriptors
    ]
    ended = Event()
    for thread in (*threads, Thread(target=give_back, args=(ended,))):
        thread.start()
    for thread in threads:
        thread.join()
    ended.set()


def _serve(application: Wsgi, descriptor: int) -> None:
    with socket.socket(fileno=descriptor) as connection:
        stream = cast("IO[bytes]", connection.makefile("rwb"))
        # The server may end at any moment.
        with suppress(OSError, EOFError):
            _write(stream, b"")
            while True:
                answer_to(application, json.loads(_read(stream)), stream)


def answer_to(wsgi: Wsgi, environ: dict[str, Any], stream: IO[bytes]) -> None:
    """Write a WSGI application's answer to a request without a body."""
    head: list[Any] = []

    def start(status: str, headers: list[tuple[str, str]], *_: object) -> None:
        head[:] = [int(status.split(" ", 1)[0]), headers]

    local = {
        "wsgi.input": BytesIO(),
        "wsgi.errors": sys.stderr,
        "wsgi.version": (1, 0),
    }
    answer = wsgi(environ | local, start)
    try:
        _write(stream, json.dumps(head).encode())
        for part in answer:
            for at in range(0, len(part), _PART):
                _write(stream, part[at : at + _PART])
        _write(stream, b"")
    finally:
        if hasattr(answer, "close"):
            answer.close()


def _write(stream: IO[bytes], message: bytes) -> None:
    stream.write(SIZE.pack(len(message)) + message)
    if not message:
        stream.flush()


def _read(stream: IO[bytes]) -> bytes:
    (size,) = SIZE.unpack(_exactly(stream, SIZE.size))
    return _exactly(stream, size)


def _exactly(stream: IO[bytes], size: int) -> bytes:
    data = stream.read(size)
    if len(data) < size:
        raise EOFError
    return data
