"""Channels of a real hub: how soon, what a kill leaves, who is kept waiting."""

from __future__ import annotations

import os
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from functools import partial
from pathlib import Path

import pytest

from tests.browser.hub import ROOT, post, prepare_hub, serving_hub
from tests.migrated import DATABASE
from tests.notices.channel import Chat, chat
from tests.notices.test_notices import decision
from tests.running import run
from tests.waiting import wait_for

#: Sends what is due and dies after the receiver has it, before that is noted.
_DYING = """
import os, signal
from memoryhub.journal.models import Workspace
from memoryhub.notices.models import Channel
from memoryhub.runtime import channel_posts
from memoryhub.runtime.notifier import notify
channel_posts.delivered = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
notify(Workspace.objects.get())
channel_posts.send_due(Channel.objects.get().pk)
"""


@pytest.fixture
def phone() -> Iterator[Chat]:
    with chat() as found:
        yield found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "crew"
    root.mkdir()
    (root / "MEMORY.md").write_text("# Memory\n")
    prepare_hub(tmp_path, [root])
    return tmp_path


def write_decision(folder: Path, number: int) -> None:
    for path, text in decision(number, f"Use plan {number}.").items():
        place = folder / "crew" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(str(text))


def add(folder: Path, address: str, name: str = "Phone") -> None:
    ended = run(folder / "data", "channel", "add", name, stdin=f"{address}\n")
    assert ended.returncode == 0, ended.stderr


def came(phone: Chat, number: int) -> bool:
    return len(phone.titles) == number


def test_a_change_reaches_a_channel_while_another_hangs(
    folder: Path, phone: Chat
) -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as silent,
        serving_hub(folder, watch=True) as hub,
    ):
        hanging = f"json://127.0.0.1:{silent.getsockname()[1]}/"
        for name, address in (("Hangs", hanging), ("Phone", phone.address)):
            known = {"name": name, "address": address, "kinds": "sign-off"}
            post(hub, "/me/channels/", "/me/channels/", {**known, "base": hub})
        for number in range(1, 4):
            write_decision(folder, number)
            wait_for(partial(came, phone, number))

    assert phone.titles[-1] == "crew · Needs you: Sign off: Use plan 3"


def test_a_hub_killed_before_it_noted_a_message_sends_it_once_more(
    folder: Path, phone: Chat
) -> None:
    write_decision(folder, 1)
    run(folder / "data", "sync")
    add(folder, phone.address)
    killed = run(folder / "data", "shell", "-c", _DYING)
    assert killed.returncode == -signal.SIGKILL and len(phone.titles) == 1

    with closing(sqlite3.connect(folder / "data" / DATABASE)) as hub, hub:
        found = hub.execute("SELECT state, attempts FROM notices_delivery").fetchall()
        hub.execute("UPDATE notices_delivery SET lease_until = '2026-01-01 00:00:00'")
    assert found == [("sending", 1)]
    for _ in range(2):
        with serving_hub(folder, watch=True):
            wait_for(lambda: len(phone.titles) == 2)
            time.sleep(2)
    assert len(phone.texts) == 2 and phone.texts[1].startswith("This message may have")


def couriers_of(pid: int) -> list[int]:
    """Return the children of a process that are couriers."""
    found = []
    for place in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            parent = place.read_text().rpartition(")")[2].split()[1]
            line = place.with_name("cmdline").read_bytes()
            if int(parent) == pid and b"courier.py" in line:
                found.append(int(place.parent.name))
    return found


def test_no_courier_outlives_a_killed_hub(folder: Path, phone: Chat) -> None:
    add(folder, phone.address)
    server = subprocess.Popen(
        [sys.executable, ROOT / "manage.py", "serve", "--port", "0", "--no-open"],
        env={**os.environ, "MEMORYHUB_DATA": str(folder / "data")},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_for(lambda: couriers_of(server.pid))
        (courier,) = couriers_of(server.pid)
    finally:
        server.kill()
        server.communicate()

    wait_for(lambda: not Path(f"/proc/{courier}/cmdline").exists())
