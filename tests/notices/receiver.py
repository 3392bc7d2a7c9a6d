"""A real receiver of posts on this machine, that fails and recovers as it is told."""

from __future__ import annotations

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

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}/hook"
        self.got: list[Got] = []
        self.answers: list[int] = []
        self.location = ""


@contextmanager
def receiver() -> Iterator[Receiver]:
    """Receive posts while the block lasts."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.receiver = found = Receiver(server.server_port)  # type: ignore[attr-defined]
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

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""
