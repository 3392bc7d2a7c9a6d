"""Reports to a receiver of Sentry's protocol: what failed and where, and no text."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from memoryhub import __version__
from tests.browser.hub import ROOT, environment

_FAILING = """
import django, logging, threading
django.setup()
from memoryhub.runtime.error_reports import finish, start
start()
def parsed(memory):
    raise ValueError(f"no date in {memory}")
def unhandled():
    parsed("the key of the safe is safe-4711-0815")
try:
    parsed("Ada lives in Paris")
except ValueError:
    logging.getLogger("memoryhub.sync").exception("%s: %s", "secret-plan.md", "Ada")
thread = threading.Thread(target=unhandled)
thread.start()
thread.join()
finish()
"""


@pytest.fixture
def receiver() -> Iterator[tuple[str, list[bytes]]]:
    """Give the address of a receiver, and the bodies it gets."""
    bodies: list[bytes] = []

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            is_packed = self.headers.get("Content-Encoding") == "gzip"
            bodies.append(gzip.decompress(body) if is_packed else body)
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Receiver) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://public@127.0.0.1:{server.server_port}/7", bodies
        server.shutdown()
        thread.join()


def failed(folder: Path, dsn: str) -> subprocess.CompletedProcess[str]:
    """Run a program of the hub that fails twice."""
    own = {"MEMORYHUB_SENTRY_DSN": dsn, "PYTHONPATH": str(ROOT)}
    own["DJANGO_SETTINGS_MODULE"] = "memoryhub.settings"
    return subprocess.run(
        [sys.executable, "-c", _FAILING],
        env={**environment(folder), **own},
        capture_output=True,
        text=True,
        check=True,
    )


def events_in(bodies: list[bytes]) -> list[dict[str, Any]]:
    lines = [line for body in bodies for line in body.splitlines()]
    return [event for event in map(json.loads, lines) if "exception" in event]


def test_reports_say_what_failed_and_where(
    receiver: tuple[str, list[bytes]], tmp_path: Path
) -> None:
    dsn, bodies = receiver

    failed(tmp_path, dsn)

    events = events_in(bodies)
    assert len(events) == 2
    raised = [event["exception"]["values"][-1] for event in events]
    assert {one["type"] for one in raised} == {"ValueError"}
    assert all(one["stacktrace"]["frames"] for one in raised)
    assert {event["release"] for event in events} == {f"memoryhub@{__version__}"}
    sent = b"\n".join(bodies).decode()
    for text in ("Ada", "Paris", "safe-4711-0815", "secret-plan", str(tmp_path)):
        assert text not in sent


def test_without_an_address_nothing_is_reported(tmp_path: Path) -> None:
    assert "safe-4711-0815" in failed(tmp_path, "").stderr
