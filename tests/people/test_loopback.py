"""Whether a request without a token is the operator's own."""

from __future__ import annotations

from urllib.parse import quote

import pytest

from memoryhub.people.access import access_of
from memoryhub.people.loopback import is_loopback, why_not_local
from memoryhub.tools.base import ToolError

HOST = {"host": "localhost:8765"}


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"host": "127.0.0.1:8765"},
        {"host": "[::1]:8765"},
        {"sec-fetch-site": "none"},
        {"sec-fetch-site": "same-origin", "origin": "http://localhost:8765"},
    ],
)
def test_a_program_of_this_computer_needs_no_token(headers: dict[str, str]) -> None:
    assert why_not_local("127.0.0.1", HOST | headers) == ""


@pytest.mark.parametrize(
    "headers",
    [
        {"host": ""},
        {"host": "evil.example:8765"},
        {"host": "localhost.evil.example"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"origin": "null"},
        {"origin": "https://evil.example"},
        {"origin": "http://localhost:3000"},
        {"x-forwarded-for": "127.0.0.1"},
        {"forwarded": "for=127.0.0.1"},
        {"via": "1.1 proxy"},
    ],
)
def test_a_web_page_or_a_proxy_needs_one(headers: dict[str, str]) -> None:
    with pytest.raises(ToolError, match="token-missing"):
        access_of("127.0.0.1", HOST | headers)


@pytest.mark.parametrize(
    ("address", "own"),
    [
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("::1", True),
        ("::ffff:127.0.0.1", True),
        ("::ffff:10.0.0.1", False),
        ("10.0.0.1", False),
        ("0.0.0.0", False),
        ("", False),
        ("unix:", False),
    ],
)
def test_only_loopback_addresses_are_this_computer(address: str, own: bool) -> None:
    assert is_loopback(address) is own


def test_such_a_program_may_say_for_which_agent_it_asks() -> None:
    access = access_of("127.0.0.1", HOST | {"memoryhub-agent": "builder"})

    assert (access.actor, access.agent) == ("builder", "builder")
    assert access_of("127.0.0.1", HOST).actor == "operator"


@pytest.mark.parametrize("name", ["规划", "Señor Zoë", "ê"])
def test_the_name_is_utf8_percent_encoded_or_not(name: str) -> None:
    for header in (quote(name), name.encode().decode("latin-1")):
        access = access_of("127.0.0.1", HOST | {"memoryhub-agent": header})
        assert access.agent == name


@pytest.mark.parametrize("header", ["a/b", "%E8", "\xe9", "a%0Ab", "%", "规划"])
def test_what_is_no_name_in_utf8_is_refused(header: str) -> None:
    with pytest.raises(ToolError, match="agent-invalid"):
        access_of("127.0.0.1", HOST | {"memoryhub-agent": header})


@pytest.mark.parametrize("credentials", ["Basic eDp5", "Bearer", "Bearer nonsense"])
def test_other_credentials_are_invalid_even_here(credentials: str, db: None) -> None:
    with pytest.raises(ToolError, match="token-invalid"):
        access_of("127.0.0.1", HOST | {"authorization": credentials})
