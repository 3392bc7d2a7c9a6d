"""Clients of the hooks' socket that do not come to an end."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress

import pytest

from memoryhub.hooks import listener
from memoryhub.hooks.listener import _received


def test_a_client_that_trickles_has_no_more_time_than_one_that_is_silent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(listener, "_PATIENCE", 0.3)
    client, server = socket.socketpair()
    over = threading.Event()

    def trickle() -> None:
        with suppress(OSError):
            while not over.wait(0.05):
                client.sendall(b"x")

    thread = threading.Thread(target=trickle)
    thread.start()
    server.settimeout(60)
    try:
        with pytest.raises(TimeoutError):
            _received(server)
    finally:
        over.set()
        thread.join()
        client.close()
        server.close()
