"""Connections that are opened and kept for nothing, at a real server."""

from __future__ import annotations

import time
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from memoryhub.runtime.serving.connections import IDLE_SECONDS
from tests.serving.clients import (
    answer,
    connected,
    has_ended,
    head,
    is_answered,
    known_to,
    open_clients,
)
from tests.waiting import wait_for

#: Seconds for which proxies keep an idle connection to a server, by their manuals.
PROXIES = {"nginx": 60, "traefik": 90, "caddy": 120}


def test_half_sent_heads_are_ended_and_told_so(hub: str) -> None:
    half = head(hub, "GET /healthz")[:-2]

    with open_clients(hub, 20, half) as clients:
        answers = [answer(client) for client in clients]

    assert {found[:12] for found in answers} == {b"HTTP/1.1 408"}


def test_connections_that_say_nothing_are_ended(hub: str) -> None:
    with connected(hub) as client:
        assert answer(client) == b""


def test_an_answered_connection_outlives_the_idle_ones_of_a_proxy(hub: str) -> None:
    """Who closes last gets no request on a connection that it has just closed."""
    with connected(hub) as client:
        for pause in (7.0, 0.0):
            client.sendall(head(hub, "GET /healthz"))
            answered = b""
            while not answered.endswith(b"ok\n"):
                part = client.recv(10_000)
                assert part, answered
                answered += part
            time.sleep(pause)

    assert max(PROXIES.values()) < IDLE_SECONDS


def test_a_second_head_on_a_connection_has_to_end_too(hub: str) -> None:
    with connected(hub) as client:
        client.sendall(head(hub, "GET /healthz"))
        assert client.recv(10_000).startswith(b"HTTP/1.1 200")
        client.sendall(head(hub, "GET /healthz")[:-2])

        assert b"HTTP/1.1 408" in answer(client)


def test_a_head_of_megabytes_is_refused_as_soon_as_it_is_too_large(hub: str) -> None:
    with connected(hub) as client:
        client.sendall(head(hub, "GET /healthz")[:-2] + b"X-Large: " + b"x" * 2_000_000)

        assert answer(client).startswith(b"HTTP/1.1 431")


def test_a_complete_head_that_is_too_large_is_refused(hub: str) -> None:
    with connected(hub) as client:
        client.sendall(head(hub, "GET /healthz", "X-Large: " + "x" * 100_000))

        assert answer(client).startswith(b"HTTP/1.1 431")


def test_a_head_with_many_headers_is_refused(hub: str) -> None:
    with connected(hub) as client:
        client.sendall(head(hub, "GET /healthz", *(f"X-{n}: 1" for n in range(200))))

        assert answer(client).startswith(b"HTTP/1.1 431")


def is_established(here: int, there: int) -> bool:
    """Tell whether a connection of two ports of this computer is open, from `there`."""
    ends = (
        line.split()[1:4] for line in Path("/proc/net/tcp").read_text().splitlines()
    )
    pairs = {(end[0][-4:], end[1][-4:], end[2]) for end in ends}
    return (f"{there:04X}", f"{here:04X}", "01") in pairs


def test_who_takes_no_answer_is_dropped(hub: str) -> None:
    """The system holds megabytes for a client; what is asked for here is more."""
    font = "GET /static/fonts/inter-latin-wght-normal.woff2"
    with connected(hub) as client:
        client.sendall(head(hub, font) * 400)
        first = client.recv(1)
        ports = client.getsockname()[1], client.getpeername()[1]
        # The list of connections changes while it is read: one look can miss ours.
        wait_for(lambda: not any(is_established(*ports) for _ in range(3)))
        rest = answer(client)

    assert first == b"H"
    assert rest.count(b"HTTP/1.1 200") < 400


def test_more_connections_than_may_be_open_leave_room_for_a_page(hub: str) -> None:
    half = head(hub, "GET /healthz")[:-2]

    with open_clients(hub, 1_100, half) as clients:
        assert is_answered(f"{hub}/healthz")
        # The first hundred made room.
        wait_for(lambda: has_ended(clients[0]))


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_cookies_are_secure_where_a_server_in_front_says_https(
    hub: str, scheme: str
) -> None:
    asked = head(hub, "GET /me/", f"X-Forwarded-Proto: {scheme}", "Connection: close")
    with connected(hub) as client:
        client.sendall(asked)
        lines = answer(client).split(b"\r\n\r\n")[0].lower().splitlines()

    cookies = [line for line in lines if line.startswith(b"set-cookie:")]
    assert cookies
    assert all((b"secure" in line) == (scheme == "https") for line in cookies)


def test_a_trailer_of_a_body_is_no_header(hub: str) -> None:
    line = f"GET /api/v1/workspaces HTTP/1.1\r\nHost: {urlsplit(hub).netloc}\r\n"
    body = "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n1\r\na\r\n0\r\n"
    credential = f"Authorization: {known_to(hub)['Authorization']}\r\n"

    answers = []
    for request in (line + credential + body, line + body + credential):
        with connected(hub) as client:
            client.sendall(f"{request}\r\n".encode())
            answers.append(answer(client)[:12])

    assert answers == [b"HTTP/1.1 200", b"HTTP/1.1 401"]
