"""A stand-in for the service of a model, in the form of Anthropic's messages."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

#: A request's JSON -> the block of content that answers it.
Script = Callable[[dict[str, Any]], dict[str, Any]]


def hello(request: dict[str, Any]) -> dict[str, Any]:
    """Answer every message with the same text."""
    return text("hello")


def text(words: str) -> dict[str, Any]:
    """Return a block of text."""
    return {"type": "text", "text": words}


def call(number: int, name: str, values: dict[str, Any]) -> dict[str, Any]:
    """Return a block that calls a tool."""
    return {"type": "tool_use", "id": f"toolu_{number}", "name": name, "input": values}


class Model(ThreadingHTTPServer):
    """Answers messages by a script, and stores the requests."""

    def __init__(self, script: Script = hello) -> None:
        super().__init__(("127.0.0.1", 0), _Answering)
        self.script = script
        self.asked: list[str] = []

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Answering(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        size = int(self.headers.get("content-length", 0))
        assert isinstance(self.server, Model)
        asked = self.rfile.read(size).decode()
        self.server.asked.append(asked)
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        for name, said in _events(self.server.script(json.loads(asked))):
            data = json.dumps({"type": name, **said})
            self.wfile.write(f"event: {name}\ndata: {data}\n\n".encode())

    def log_message(self, *arguments: Any) -> None:
        pass


_USAGE = {"input_tokens": 1, "output_tokens": 1}
_MESSAGE = {"id": "m", "type": "message", "role": "assistant", "model": "m"}


def _events(block: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Return the events of a message with one block, its content in one delta."""
    empty: dict[str, Any]
    if block["type"] == "text":
        delta, empty, reason = ("text_delta", "text"), {"text": ""}, "end_turn"
        content = block["text"]
    else:
        delta, empty, reason = ("input_json_delta", "partial_json"), {"input": {}}, ""
        content = json.dumps(block["input"])
    return [
        ("message_start", {"message": {**_MESSAGE, "content": [], "usage": _USAGE}}),
        ("content_block_start", {"index": 0, "content_block": {**block, **empty}}),
        (
            "content_block_delta",
            {"index": 0, "delta": {"type": delta[0], delta[1]: content}},
        ),
        ("content_block_stop", {"index": 0}),
        (
            "message_delta",
            {"delta": {"stop_reason": reason or "tool_use"}, "usage": _USAGE},
        ),
        ("message_stop", {}),
    ]


@contextmanager
def running_model(script: Script = hello) -> Iterator[Model]:
    """Give a model that answers on a port of its own."""
    with Model(script) as serving:
        threading.Thread(target=serving.serve_forever, daemon=True).start()
        yield serving
        serving.shutdown()
