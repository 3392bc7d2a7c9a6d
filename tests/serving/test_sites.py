"""Requests by other sites and to other hosts: one rule for every door of a hub."""

from __future__ import annotations

from pathlib import Path

import httpx2 as httpx
import pytest

from tests.browser.hub import (
    cookie_of,
    local_token_of,
    manage,
)

_APPEND = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/call",
    "params": {"name": "memory_append", "arguments": {"content": "- from elsewhere"}},
}
_SEND = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "SendMessage",
    "params": {"message": {"messageId": "m1", "parts": [{"text": "from elsewhere"}]}},
}
#: A door of each kind: method, address and body.
DOORS = [
    ("GET", "/w/notes/", None),
    ("GET", "/w/notes/export/download/", None),
    ("POST", "/me/", None),
    ("GET", "/static/css/tokens.css", None),
    ("GET", "/healthz", None),
    ("GET", "/metrics", None),
    ("GET", "/live/", None),
    ("GET", "/api/v1/workspaces", None),
    (
        "POST",
        "/api/v1/workspaces/notes/tools/memory_append",
        {"content": "- elsewhere"},
    ),
    ("POST", "/api/a2a/notes/scout", _SEND),
    ("POST", "/mcp?workspace=notes", _APPEND),
]
#: What a page of another site, or a name that points here, makes a browser send.
FOREIGN = [
    ({"Host": "evil.example:8765"}, 400),
    ({"Host": "localhost.evil.example"}, 400),
    ({"Host": ""}, 400),
    ({"Origin": "http://evil.example"}, 403),
    ({"Origin": "http://localhost:1"}, 403),
    ({"Origin": "null"}, 403),
    ({"Sec-Fetch-Site": "cross-site"}, 403),
    ({"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "cors"}, 403),
    ({"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}, 403),
    (
        {
            "Sec-Fetch-Site": "same-site",
            "Sec-Fetch-Mode": "navigate",
            "Sec-Fetch-Dest": "iframe",
        },
        403,
    ),
]
_LINK = {
    "Sec-Fetch-Site": "cross-site",
    "Sec-Fetch-Mode": "navigate",
    "Sec-Fetch-Dest": "document",
}


@pytest.fixture(scope="module")
def callers(notes_folder: Path, notes_hub: str) -> list[dict[str, str]]:
    """Return the credentials of a browser, of an agent and of a local program."""
    line = [
        "token",
        "make",
        "scout",
        "--workspace",
        "notes",
        "--scope",
        "read",
        "--scope",
        "memory",
    ]
    secret = manage(notes_folder, *line).strip()
    return [
        {"Cookie": cookie_of(notes_hub)},
        {"Authorization": f"Bearer {secret}"},
        {"Authorization": f"Bearer {local_token_of(notes_hub)}"},
    ]


@pytest.mark.parametrize("door", DOORS, ids=lambda door: f"{door[0]} {door[1]}")
def test_every_door_refuses_other_sites_and_other_hosts(
    notes_folder: Path,
    notes_hub: str,
    callers: list[dict[str, str]],
    door: tuple[str, str, object],
) -> None:
    method, address, body = door
    with httpx.Client(base_url=notes_hub, timeout=60) as client:
        for caller in callers:
            for headers, status in FOREIGN:
                both = caller | headers | {"Accept": "application/json"}
                answer = client.request(method, address, json=body, headers=both)
                assert answer.status_code == status, (caller, headers, answer.text)
    assert "elsewhere" not in "".join(
        file.read_text() for file in (notes_folder / "notes").rglob("*.md")
    )


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Origin": "{hub}", "Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors"},
        {"Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate"},
    ],
)
def test_the_hubs_own_pages_and_programs_pass(
    notes_hub: str, callers: list[dict[str, str]], headers: dict[str, str]
) -> None:
    own = {name: value.format(hub=notes_hub) for name, value in headers.items()}
    _, agent, local = callers
    listed = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    both = {"Accept": "application/json"} | own
    with httpx.Client(base_url=notes_hub, timeout=60) as client:
        assert client.get("/healthz", headers=own).status_code == 200
        assert client.get("/w/notes/", headers=own | callers[0]).status_code == 200
        assert client.get("/api/v1/workspaces", headers=local | own).status_code == 200
        address = "/mcp?workspace=notes"
        found = client.post(address, json=listed, headers=both | agent)
        assert found.status_code == 200


def test_a_followed_link_to_a_page_passes_and_a_form_does_not(
    notes_hub: str, callers: list[dict[str, str]]
) -> None:
    with httpx.Client(
        base_url=notes_hub, timeout=60, headers=callers[0] | _LINK
    ) as client:
        assert client.get("/w/notes/").status_code == 200
        assert client.post("/me/").status_code == 403
