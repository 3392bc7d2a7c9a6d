"""The door in the web server, before and after it is opened."""

from __future__ import annotations

import asyncio
import subprocess
import sys

import pytest

from memoryhub.mcp.http import HttpDoor
from memoryhub.runtime import mcp_mount as mount
from memoryhub.runtime.asgi_messages import Message, Scope
from memoryhub.runtime.inbox_watch import InboxWatch
from memoryhub.runtime.live import live_stream


async def nothing() -> Message:
    return {"type": "http.disconnect"}


async def unheard(message: Message) -> None:
    return None


def test_the_web_server_does_not_load_the_sdk_before_it_is_asked() -> None:
    code = "import sys, memoryhub.asgi; sys.exit('mcp.server' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_door_that_cannot_be_loaded_is_tried_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(mount, "_DOOR", "memoryhub.mcp.nothing.Door")
    closed = mount.Mount(InboxWatch(live_stream()))

    for _ in range(2):
        with pytest.raises(ImportError):
            asyncio.run(closed({}, nothing, unheard))


@pytest.mark.django_db(transaction=True)
def test_nobody_is_let_in_where_the_database_is_of_another_version(
    other_version: None,
) -> None:
    sent: list[Message] = []

    async def heard(message: Message) -> None:
        sent.append(message)

    scope: Scope = {"type": "http", "method": "POST", "headers": [], "client": None}
    asyncio.run(HttpDoor()(scope, nothing, heard))

    assert sent[0]["status"] == 503
    assert b"database-other" in sent[1]["body"]
