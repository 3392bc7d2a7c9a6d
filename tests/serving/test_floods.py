"""Requests that hold far more than anybody asks, at a real server."""

from __future__ import annotations

import json
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from tests.serving.clients import known_to
from tests.serving.test_bodies import SEARCH

JSON = {"Content-Type": "application/json"}
MCP = {**JSON, "Accept": "application/json, text/event-stream"}


def answered(request: Request) -> tuple[int, dict[str, Any]]:
    """Return the status and the JSON of an answer."""
    try:
        with urlopen(request, timeout=60) as found:
            return found.status, json.load(found)
    except HTTPError as error:
        with error:
            return error.code, json.load(error)


def many_keys(count: int) -> dict[str, int]:
    return {f"k{n}": 1 for n in range(count)}


@pytest.mark.parametrize("count", [600_000, 1_200_000])
def test_a_flood_of_keys_is_refused_before_it_is_parsed(hub: str, count: int) -> None:
    flood = json.dumps({"query": "x", **many_keys(count)}).encode()

    status, told = answered(Request(hub + SEARCH, flood, {**known_to(hub), **JSON}))

    assert (status, told["error"]["code"]) in [
        (413, "json-too-large"),
        (413, "body-too-large"),
    ]


def test_a_flood_of_keys_is_refused_by_the_protocol_too(hub: str) -> None:
    call = {"name": "memory_search", "arguments": many_keys(300_000)}
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}

    request = Request(
        f"{hub}/mcp?workspace=small",
        json.dumps(asked).encode(),
        {**known_to(hub), **MCP},
    )
    status, told = answered(request)

    assert (status, told["error"]["code"]) == (413, "json-too-large")


def test_the_answer_names_twenty_of_many_unknown_fields(hub: str) -> None:
    asked = json.dumps({"query": "x", **many_keys(900)}).encode()

    status, told = answered(Request(hub + SEARCH, asked, {**known_to(hub), **JSON}))

    details = told["error"]["details"]
    assert (status, len(details["fields"]), details["more"]) == (422, 20, 880)
