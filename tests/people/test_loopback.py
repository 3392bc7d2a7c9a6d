"""Who is let in as a program of the operator: by the local token, on this computer."""

from __future__ import annotations

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from urllib.parse import quote

import pytest
from pytest_django import Settings

from memoryhub.errors.base import ToolError
from memoryhub.people.access import Access, access_of
from memoryhub.people.services.local_token import (
    local_token,
    local_token_file,
    rotated_local_token,
)
from memoryhub.people.sites import is_loopback

Headers = dict[str, str]
HOST = {"host": "localhost:8765"}


@pytest.fixture
def bearer(hub_data: Path) -> Headers:
    """Return what a program sends that read the local token."""
    return {"authorization": f"Bearer {local_token()}"}


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
def test_a_program_of_this_computer_is_let_in_by_the_local_token(
    headers: dict[str, str], bearer: Headers
) -> None:
    assert access_of("127.0.0.1", HOST | headers | bearer) == Access()


def test_nobody_is_let_in_for_being_on_this_computer(hub_data: Path) -> None:
    with pytest.raises(ToolError, match="token-missing"):
        access_of("127.0.0.1", HOST)


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
def test_the_local_token_is_not_taken_from_elsewhere(
    headers: dict[str, str], bearer: Headers, db: None
) -> None:
    with pytest.raises(ToolError, match="token-elsewhere"):
        access_of("127.0.0.1", HOST | bearer | headers)
    with pytest.raises(ToolError, match="token-elsewhere"):
        access_of("10.0.0.1", HOST | bearer)


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


def test_such_a_program_may_say_for_which_agent_it_asks(bearer: Headers) -> None:
    access = access_of("127.0.0.1", HOST | bearer | {"memoryhub-agent": "builder"})

    assert (access.actor, access.agent) == ("builder", "builder")
    assert access_of("127.0.0.1", HOST | bearer).actor == "operator"
    assert not access.person


@pytest.mark.parametrize("name", ["规划", "Señor Zoë", "ê"])
def test_the_name_is_utf8_percent_encoded_or_not(name: str, bearer: Headers) -> None:
    for header in (quote(name), name.encode().decode("latin-1")):
        access = access_of("127.0.0.1", HOST | bearer | {"memoryhub-agent": header})
        assert access.agent == name


@pytest.mark.parametrize("header", ["a/b", "%E8", "\xe9", "a%0Ab", "%", "规划"])
def test_what_is_no_name_in_utf8_is_refused(header: str, bearer: Headers) -> None:
    with pytest.raises(ToolError, match="agent-invalid"):
        access_of("127.0.0.1", HOST | bearer | {"memoryhub-agent": header})


@pytest.mark.parametrize("secret", ["", "nonsense", "mhub_local_", "mhub_local_x"])
def test_another_token_is_invalid(secret: str, bearer: Headers, db: None) -> None:
    with pytest.raises(ToolError, match="token-invalid"):
        access_of("127.0.0.1", HOST | {"authorization": f"Bearer {secret}"})


def test_what_a_proxy_asks_for_is_no_token(hub_data: Path) -> None:
    with pytest.raises(ToolError, match="token-missing"):
        access_of("127.0.0.1", HOST | {"authorization": "Basic eDp5"})


def test_a_token_that_was_changed_is_invalid_at_once(bearer: Headers, db: None) -> None:
    assert stat.S_IMODE(local_token_file().stat().st_mode) == 0o600
    rotated_local_token()

    with pytest.raises(ToolError, match="token-invalid"):
        access_of("127.0.0.1", HOST | bearer)


def test_programs_that_start_together_have_one_token(hub_data: Path) -> None:
    for _ in range(20):
        local_token_file().unlink(missing_ok=True)
        start = Barrier(8)

        def first(_: int, start: Barrier = start) -> str:
            start.wait()
            return local_token()

        with ThreadPoolExecutor(8) as threads:
            assert set(threads.map(first, range(8))) == {local_token()}
    assert [file.name for file in hub_data.iterdir()] == [local_token_file().name]


def test_where_this_computer_is_trusted_nobody_is_asked(
    settings: Settings, hub_data: Path
) -> None:
    settings.MEMORYHUB_TRUST_LOOPBACK = True
    assert access_of("127.0.0.1", HOST) == Access()
    for headers in ({"via": "1.1 x"}, {"authorization": "Basic eDp5"}):
        with pytest.raises(ToolError, match="token-missing"):
            access_of("127.0.0.1", HOST | headers)
