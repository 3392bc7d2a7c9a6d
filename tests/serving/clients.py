"""Clients that behave badly, on sockets of their own."""

from __future__ import annotations

import select
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from tests.browser.hub import cookie_of, local_token_of


def connected(hub: str) -> socket.socket:
    """Return a connection to a hub; it waits for no answer longer than a minute."""
    parts = urlsplit(hub)
    assert parts.hostname and parts.port
    client = socket.create_connection((parts.hostname, parts.port), timeout=60)
    client.settimeout(60)
    return client


def known_to(hub: str) -> dict[str, str]:
    """Return what a browser and a program send that may ask."""
    return {
        "Cookie": cookie_of(hub),
        "Authorization": f"Bearer {local_token_of(hub)}",
    }


def head(hub: str, line: str, *headers: str) -> bytes:
    """Return the head of a request by who may ask."""
    known = (f"{name}: {value}" for name, value in known_to(hub).items())
    lines = (f"{line} HTTP/1.1", f"Host: {urlsplit(hub).netloc}", *known, *headers)
    return "\r\n".join((*lines, "", "")).encode()


@contextmanager
def open_clients(hub: str, count: int, sent: bytes) -> Iterator[list[socket.socket]]:
    """Give clients that have sent this and wait."""
    with ExitStack() as opened:
        clients = [opened.enter_context(connected(hub)) for _ in range(count)]
        for client in clients:
            client.sendall(sent)
        yield clients


def answer(client: socket.socket) -> bytes:
    """Return all that is still sent to a client, until the connection ends."""
    parts = []
    with suppress(ConnectionResetError):
        while part := client.recv(65_536):
            parts.append(part)
    return b"".join(parts)


def is_answered(address: str) -> bool:
    """Return whether a page is given within a minute."""
    signed_in = {"Cookie": cookie_of(address)}
    with urlopen(Request(address, headers=signed_in), timeout=60) as page:
        return bool(page.read())


def has_ended(client: socket.socket) -> bool:
    """Tell whether a client was answered, or closed with or without a reset."""
    return bool(select.select([client], [], [], 0)[0])
