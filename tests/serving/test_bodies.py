"""Bodies of requests that stall, are too large, or say no length, at a real server."""

from __future__ import annotations

import json
import re
from contextlib import closing
from http.client import HTTPConnection
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import pytest

from tests.serving.clients import (
    answer,
    connected,
    has_ended,
    head,
    is_answered,
    known_to,
    open_clients,
)

SEARCH = "/api/v1/workspaces/small/tools/memory_search"
JSON = "Content-Type: application/json"


def status_of_chunks(hub: str, chunks: list[bytes]) -> int:
    """Return what a body without a length is answered."""
    with closing(HTTPConnection(urlsplit(hub).netloc, timeout=60)) as client:
        kind = {"Content-Type": "application/json", **known_to(hub)}
        client.request("POST", SEARCH, iter(chunks), kind)
        return client.getresponse().status


def test_pages_are_answered_while_bodies_stall(hub: str) -> None:
    stalled = head(hub, f"POST {SEARCH}", JSON, "Content-Length: 100") + b"{}"

    with open_clients(hub, 40, stalled) as clients:
        assert is_answered(f"{hub}/w/small/")
        assert not any(map(has_ended, clients))


def test_a_body_that_stalls_is_told_that_it_is_too_slow(hub: str) -> None:
    with connected(hub) as client:
        client.sendall(head(hub, f"POST {SEARCH}", JSON, "Content-Length: 100") + b"{}")

        found = answer(client)

    assert found.startswith(b"HTTP/1.1 408") and b"body-too-slow" in found


@pytest.mark.parametrize("path", [SEARCH, "/mcp", "/w/small/seen/"])
def test_a_client_that_sends_all_first_sees_why_its_body_is_refused(
    hub: str, path: str
) -> None:
    headers = {"Content-Type": "application/json", **known_to(hub)}
    large = Request(hub + path, b" " * 20_000_000, headers)

    with pytest.raises(HTTPError) as refused:
        urlopen(large, timeout=60)

    with refused.value as found:
        assert found.code == 413


def test_a_body_without_a_length_is_limited_too(hub: str) -> None:
    chunks = [b" " * 1_000_000] * 20

    assert status_of_chunks(hub, chunks) == 413


def test_a_body_in_chunks_is_read_as_one_with_a_length(hub: str) -> None:
    body = json.dumps({"query": "ports"}).encode()

    assert status_of_chunks(hub, [body[:5], body[5:]]) == 200


def test_who_asks_before_sending_a_large_body_need_not_send_it(hub: str) -> None:
    asks = (JSON, "Content-Length: 17000000", "Expect: 100-continue")

    with connected(hub) as client:
        client.sendall(head(hub, f"POST {SEARCH}", *asks))
        found = answer(client)

    assert re.findall(rb"HTTP/1.1 (\d+)", found) == [b"413"]


def test_who_asks_before_sending_a_body_is_told_to_go_on(hub: str) -> None:
    body = json.dumps({"query": "ports"}).encode()
    asks = (JSON, f"Content-Length: {len(body)}", "Expect: 100-continue")

    with connected(hub) as client:
        client.sendall(head(hub, f"POST {SEARCH}", *asks, "Connection: close"))
        assert client.recv(1_000).startswith(b"HTTP/1.1 100")
        client.sendall(body)
        assert answer(client).startswith(b"HTTP/1.1 200")


def test_a_stranger_is_refused_before_a_large_body_is_kept(hub: str) -> None:
    with pytest.raises(HTTPError) as refused:
        urlopen(Request(f"{hub}/imports/new/", b" " * 9_000_000), timeout=60)

    with refused.value as found:
        assert (found.code, found.read()) == (
            401,
            b"who sends so much has to be known\n",
        )
