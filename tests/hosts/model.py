"""A stand-in for the service of a model, in the form of Anthropic's messages."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Model(ThreadingHTTPServer):
    """Says the same to every message, and keeps what it was sent."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answering)
        self.asked: list[str] = []

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Answering(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        size = int(self.headers.get("content-length", 0))
        assert isinstance(self.server, Model)
        self.server.asked.append(self.rfile.read(size).decode())
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        for name, said in _EVENTS:
            data = json.dumps({"type": name, **said})
            self.wfile.write(f"event: {name}\ndata: {data}\n\n".encode())

    def log_message(self, *arguments: Any) -> None:
        pass


_USAGE = {"input_tokens": 1, "output_tokens": 1}
_MESSAGE = {"id": "m", "type": "message", "role": "assistant", "model": "m"}
_EVENTS: list[tuple[str, dict[str, Any]]] = [
    ("message_start", {"message": {**_MESSAGE, "content": [], "usage": _USAGE}}),
    (
        "content_block_start",
        {"index": 0, "content_block": {"type": "text", "text": ""}},
    ),
    (
        "content_block_delta",
        {"index": 0, "delta": {"type": "text_delta", "text": "hello"}},
    ),
    ("content_block_stop", {"index": 0}),
    ("message_delta", {"delta": {"stop_reason": "end_turn"}, "usage": _USAGE}),
    ("message_stop", {}),
]


@contextmanager
def running_model() -> Iterator[Model]:
    """Give a model that answers on a port of its own."""
    with Model() as serving:
        threading.Thread(target=serving.serve_forever, daemon=True).start()
        yield serving
        serving.shutdown()
