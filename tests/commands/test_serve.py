"""`memoryhub serve` and `memoryhub watch` as processes of their own."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.core.management import CommandError

from memoryhub.management.commands.serve import address_of, listen
from tests.browser.hub import empty_hub, signed_in_by

ROOT = Path(__file__).parents[2]


class Hub:
    """A hub with a folder of its own, whose commands are processes."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "notes"
        self.root.mkdir()
        (self.root / "MEMORY.md").write_text("# Index\n")
        empty_hub(folder)
        self._environment = {
            **os.environ,
            "MEMORYHUB_DATA": str(folder / "data"),
            "PYTHONUNBUFFERED": "1",
        }
        self.started: list[subprocess.Popen[str]] = []

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, str(ROOT / "manage.py"), *arguments],
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.started.append(process)
        return process

    def line(self, process: subprocess.Popen[str]) -> str:
        assert process.stdout is not None
        return process.stdout.readline().strip()


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Hub]:
    hub = Hub(tmp_path)
    assert hub.start("add", str(hub.root)).wait(60) == 0
    yield hub
    for process in hub.started:
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


def test_it_serves_imports_tells_and_ends_at_once(hub: Hub) -> None:
    process = hub.start("serve", "--port", "0")
    link = hub.line(process).removeprefix("MemoryHub is at ")
    address, signed_in = urlsplit(link).netloc, {"Cookie": signed_in_by(link)}
    assert hub.line(process).startswith("notes: Import #1, 1 file: 1 added")
    pages = http.client.HTTPConnection(address, timeout=60)
    pages.request("GET", "/static/css/tokens.css")
    assert pages.getresponse().read().startswith(b"/*")
    live = http.client.HTTPConnection(address, timeout=60)
    live.request("GET", "/live/?workspace=notes&after=1", headers=signed_in)
    stream = live.getresponse()
    assert stream.getheader("Content-Type", "").startswith("text/event-stream")

    (hub.root / "MEMORY.md").write_text("# Index\n\n- more\n")

    events = iter(stream.readline, b"")
    assert any(line == b"event: changed\n" for line in events)
    assert hub.line(process).startswith("notes: Import #2, 1 file: 1 changed")
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 0
    live.close()
    pages.close()


def test_a_stranger_by_name_is_refused(hub: Hub) -> None:
    process = hub.start("serve", "--port", "0", "--no-watch")
    link = hub.line(process).removeprefix("MemoryHub is at ")
    address, cookie = urlsplit(link).netloc, signed_in_by(link)
    for path in ("/live/", "/"):
        connection = http.client.HTTPConnection(address, timeout=60)
        headers = {"Host": "evil.example", "Cookie": cookie}
        connection.request("GET", path, headers=headers)
        assert connection.getresponse().status == 400
        connection.close()


def test_an_import_without_changes_is_not_told(hub: Hub) -> None:
    assert hub.start("sync").wait(60) == 0
    process = hub.start("serve", "--port", "0")
    hub.line(process)

    (hub.root / "notes.md").write_text("x")

    assert hub.line(process).startswith("notes: Import #2, 2 files: 1 added")


def test_watch_prints_each_import(hub: Hub) -> None:
    process = hub.start("watch", "--json")
    assert json.loads(hub.line(process))["added"] == 1

    (hub.root / "notes.md").write_text("x")

    assert json.loads(hub.line(process))["added"] == 1
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == 0


def test_a_port_that_is_taken_is_named() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]

        with pytest.raises(CommandError, match=f"port {port} is taken"):
            listen("127.0.0.1", port)


@pytest.mark.parametrize(
    ("host", "port"), [("192.0.2.1", 0), ("nowhere.invalid", 0), ("127.0.0.1", 99999)]
)
def test_an_address_that_cannot_be_is_one_line(host: str, port: int) -> None:
    with pytest.raises(CommandError) as raised:
        listen(host, port)

    assert "\n" not in str(raised.value)


def test_its_address_is_one_that_a_browser_opens() -> None:
    with listen("127.0.0.1", 0) as listening:
        port = listening.getsockname()[1]

        assert address_of(listening) == f"http://127.0.0.1:{port}/"
