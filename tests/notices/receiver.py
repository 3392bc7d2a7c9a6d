"""A real receiver of posts on this machine, that fails and recovers as it is told."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple


class Got(NamedTuple):
    """A post as it came."""

    headers: Mapping[str, str]
    body: bytes


class Receiver:
    """What came, and what the next posts are answered with; then 204."""

    def __init__(self, port: int, scheme: str = "http") -> None:
        self.url = f"{scheme}://127.0.0.1:{port}/hook"
        self.got: list[Got] = []
        self.answers: list[int] = []
        self.location = ""


@contextmanager
def receiver(
    tls: ssl.SSLContext | None = None, *, as_proxy: bool = False
) -> Iterator[Receiver]:
    """Receive posts while the block lasts, over TLS with a context for it.

    `as_proxy`: through tunnels of a proxy, in the place of every host.
    """
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    found = Receiver(server.server_port, "https" if tls and not as_proxy else "http")
    server.receiver, server.tls = found, tls  # type: ignore[attr-defined]
    if tls and not as_proxy:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield found
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        found: Receiver = self.server.receiver  # type: ignore[attr-defined]
        body = self.rfile.read(int(self.headers["Content-Length"]))
        found.got.append(Got(dict(self.headers), body))
        self.send_response(found.answers.pop(0) if found.answers else 204)
        if found.location:
            self.send_header("Location", found.location)
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_GET = do_POST  # noqa: N815

    def do_CONNECT(self) -> None:
        self.send_response(200)
        self.end_headers()
        context: ssl.SSLContext = self.server.tls  # type: ignore[attr-defined]
        self.request = context.wrap_socket(self.connection, server_side=True)
        self.setup()
        self.handle_one_request()
        self.finish()
        self.request.close()

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""
