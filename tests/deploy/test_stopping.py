"""SIGTERM ends a busy hub in the middle of its work, and the next start goes on."""

from __future__ import annotations

import json
import signal
import socket
import sqlite3
import subprocess
import sys
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

import pytest

from memoryhub.disk.files import locked
from tests.browser.hub import ROOT, environment, manage, signed_in_by
from tests.deploy.conftest import notes_hub
from tests.waiting import wait_for

FILES, STREAMS, POLLS = 1_000, 20, 10
_ENTRIES = "SELECT last_seq FROM workspaces_workspace"


def crowd(folder: Path) -> None:
    """Write many files into the workspace, as an agent's tool that unpacks them."""
    line = "- decided: retry twice, because the port is slow\n" * 40
    for number in range(FILES):
        text = f"# Note {number}\n\n{line}"
        (folder / f"notes/memory/note-{number}.md").write_text(text)


def value(folder: Path, statement: str) -> Any:
    place = f"file:{folder / 'data/memoryhub.sqlite3'}?mode=ro"
    with closing(sqlite3.connect(place, uri=True)) as hub:
        return hub.execute(statement).fetchone()[0]


def imports(folder: Path, uuid: UUID) -> bool:
    """Return whether a workspace is being imported: then its lock is held."""
    try:
        with locked(folder / f"data/locks/{uuid}.sync", wait=False):
            return False
    except BlockingIOError:
        return True


def test_a_busy_hub_ends_in_the_middle_of_its_work(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    folder = notes_hub(tmp_path)
    line = ["token", "make", "scout", "--workspace", "notes", "--scope", "read"]
    token = manage(folder, *line).strip()
    uuid = UUID(value(folder, "SELECT uuid FROM workspaces_workspace"))
    server = subprocess.Popen(
        [sys.executable, str(ROOT / "manage.py"), "serve", "--port", "0"],
        env={**environment(folder), "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    request.addfinalizer(server.kill)
    assert server.stdout is not None
    link = server.stdout.readline().split(" at ")[1].strip()
    place = urlsplit(link)
    stream = f"GET /live/ HTTP/1.1\r\nHost: {place.netloc}\r\nCookie: {{}}\r\n\r\n"
    inbox = "/api/v1/workspaces/notes/inbox?wait=60"
    known = f"Authorization: Bearer {token}"
    poll = f"GET {inbox} HTTP/1.1\r\nHost: {place.netloc}\r\n{known}\r\n\r\n"
    assert place.hostname and place.port
    with ExitStack() as opened:
        asked = [stream.format(signed_in_by(link))] * STREAMS + [poll] * POLLS
        for text in asked:
            client = socket.create_connection((place.hostname, place.port), 60)
            opened.enter_context(client).sendall(text.encode())
        crowd(folder)
        wait_for(lambda: imports(folder, uuid))
        assert value(folder, _ENTRIES) < FILES
        server.send_signal(signal.SIGTERM)
        _, complaints = server.communicate(timeout=60)

    # It waited neither for the import nor for streams and polls.
    assert value(folder, _ENTRIES) < FILES
    assert server.returncode == 0, complaints
    assert not list((folder / "data/served").iterdir())
    report = json.loads(manage(folder, "sync", "notes", "--json"))
    assert report["files"] == FILES + 1
