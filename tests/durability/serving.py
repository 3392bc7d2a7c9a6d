"""What programs tell a hub that is killed: by its spool, and over HTTP."""

from __future__ import annotations

import json
import os
import subprocess
import time
from http.client import HTTPConnection, HTTPException
from io import StringIO
from socket import socket

from django.core.management import call_command

from memoryhub.hooks.client import spool_frame
from memoryhub.hooks.delivery import OperatorsHub
from memoryhub.hooks.spool import Spool
from memoryhub.people.services.local_token import local_token
from tests.durability.field import Field, keys, notes
from tests.warm import python

_APPEND = "/api/v1/workspaces/shop/tools/memory_append"


def spool(field: Field, number: int) -> None:
    for key in keys("spool", number):
        if key not in field.acknowledged():
            spool_frame(_compaction(field, key), str(field.data))
            field.acknowledge(key)
    Spool(field.data, OperatorsHub()).deliver()


def _compaction(field: Field, key: str) -> dict[str, bytes]:
    said = (
        f'{{"event": {{"messageCount": 7}}, "ctx": {{"sessionKey": "agent:x:{key}"}}}}'
    )
    return {
        "event": b"before_compaction",
        "key": key.encode(),
        "at_ns": str(time.time_ns()).encode(),
        "folder": os.fsencode(field.root),
        "workspace": b"",
        "agent": b"",
        "body": said.encode(),
    }


def each_is_saved_once(field: Field) -> None:
    Spool(field.data, OperatorsHub()).deliver()
    topics = list((field.root / "memory").glob("context-*spool*.md"))
    saves = [place.read_text().count("Auto-saved") for place in topics]
    assert len(topics) == len(field.acknowledged())
    assert set(saves) <= {1}


def with_a_port(field: Field) -> None:
    notes(field)
    with socket() as free:
        free.bind(("127.0.0.1", 0))
        (field.data.parent / "port").write_text(str(free.getsockname()[1]))


def serve(field: Field, number: int) -> None:
    port = int((field.data.parent / "port").read_text())
    call_command("serve", port=port, no_watch=True, open=False, stdout=StringIO())


def ask_the_server(field: Field, number: int) -> None:
    """Send notes until the server is gone, or all were answered."""
    port = int((field.data.parent / "port").read_text())
    token = local_token()
    for key in keys("server", number):
        body = json.dumps({"content": f"- {key}\n", "day": "2026-11-20"})
        headers = {
            "Authorization": f"Bearer {token}",
            "Content-Type": "application/json",
            "Idempotency-Key": key,
        }
        if not _answered(field, port, body, headers):
            return
        field.acknowledge(key)


def _answered(field: Field, port: int, body: str, headers: dict[str, str]) -> bool:
    """Send a request, again while the server does not listen yet and was not killed."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        over = field.over.exists()
        server = HTTPConnection("127.0.0.1", port, timeout=60)
        try:
            server.request("POST", _APPEND, body, headers)
            answer = server.getresponse()
            said = answer.read()
            assert answer.status == 200, said
            return True
        except ConnectionRefusedError:
            if over:
                return False
            time.sleep(0.02)
        except (ConnectionError, HTTPException):
            return False
        finally:
            server.close()
    return False


def serve_again(field: Field, number: int) -> None:
    """Start the server anew, and send every note of the round once more."""
    field.over.unlink()
    port = (field.data.parent / "port").read_text()
    command = python("manage.py", "serve", "--no-watch", "--port", port)
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as server:
        try:
            ask_the_server(field, number)
        finally:
            server.terminate()
            server.wait(60)
