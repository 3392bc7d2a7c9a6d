"""A simulated agent knows what came of a call, however it was answered."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from bench.crew_calls import Client, Ledger


class Hub(BaseHTTPRequestHandler):
    """Does the first call of all, and refuses every other."""

    calls = 0

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        accepted, Hub.calls = not Hub.calls, Hub.calls + 1
        said = {"data": {"state": "open"}} if accepted else {"error": {"code": "no"}}
        self.send_response(200 if accepted else 409)
        self.end_headers()
        self.wfile.write(json.dumps(said).encode())

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def port() -> Iterator[int]:
    Hub.calls = 0
    with HTTPServer(("localhost", 0), Hub) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


def test_two_answers_to_one_call_are_a_violation(port: int, tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ann.jsonl")
    client = Client(port, "shop", "ann", ledger)

    client.change("handoff_send", {}, twice=True)

    assert ledger.untrue == ["answer-untrue: ann-00000 was answered 409 and 200"]
    client.close()


def test_a_call_that_is_refused_both_times_is_refused(
    port: int, tmp_path: Path
) -> None:
    client = Client(port, "shop", "ann", Ledger(tmp_path / "ann.jsonl"))
    client.change("handoff_send", {})

    assert client.change("handoff_take", {}, twice=True).code == "no"
    client.close()
