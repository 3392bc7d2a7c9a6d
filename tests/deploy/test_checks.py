"""Settings of a deployment: Django's own checks, and addresses that make no sense."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from memoryhub.environment import (
    env_choice,
    env_networks,
    env_public_address,
    env_token,
)
from tests.running import refused, run

NAME = "MEMORYHUB_TEST"


def test_the_checks_of_a_deployment_find_nothing(tmp_path: Path) -> None:
    own = {"MEMORYHUB_URL": "https://hub.example.org/hub/", "MEMORYHUB_TEAM": "1"}

    checked = run(tmp_path, "check", "--deploy", "--fail-level", "WARNING", env=own)

    assert checked.returncode == 0, checked.stderr


def test_the_checks_of_a_deployment_find_plain_http(tmp_path: Path) -> None:
    own = {"MEMORYHUB_URL": "http://hub.example.org/"}

    checked = run(tmp_path, "check", "--deploy", "--fail-level", "WARNING", env=own)

    assert checked.returncode == 1
    assert "security.W012" in checked.stderr


@pytest.mark.parametrize(
    ("written", "url", "host", "prefix"),
    [
        ("https://Hub.Example", "https://hub.example/", "hub.example", ""),
        ("https://h.example:443/", "https://h.example/", "h.example", ""),
        ("http://h.example:81/a/b", "http://h.example:81/a/b/", "h.example", "/a/b"),
        ("https://[2001:DB8::1]/h/", "https://[2001:db8::1]/h/", "[2001:db8::1]", "/h"),
        ("https://b\u00fc.ex", "https://xn--b-eha.ex/", "xn--b-eha.ex", ""),
    ],
)
def test_a_public_address_is_read_as_browsers_write_it(
    monkeypatch: pytest.MonkeyPatch, written: str, url: str, host: str, prefix: str
) -> None:
    monkeypatch.setenv(NAME, written)

    found = env_public_address(NAME)

    assert (found.url, found.host, found.prefix) == (url, host, prefix)
    assert found.is_https == url.startswith("https")


@pytest.mark.parametrize(
    "written",
    [
        "hub.example.org",
        "ftp://hub.example.org/",
        "https://ada:pw@hub.example.org/",
        "https://hub.example.org/?a=b",
        "https://hub.example.org/#x",
        "https://hub.example.org/a//b/",
        "https://hub.example.org/../",
        "https://hub.example.org/a%20b/",
    ],
)
def test_an_address_that_is_none_is_refused(
    monkeypatch: pytest.MonkeyPatch, written: str
) -> None:
    monkeypatch.setenv(NAME, written)

    with pytest.raises(ImproperlyConfigured, match=NAME):
        env_public_address(NAME)


def test_words_networks_and_short_secrets_are_checked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(NAME, "10.0.0.7, 172.18.0.0/16,::1")
    assert env_networks(NAME, default=[]) == ["10.0.0.7", "172.18.0.0/16", "::1"]
    for reading in (
        lambda: env_choice(NAME, "text", "json"),
        lambda: env_networks(NAME, default=[]),
    ):
        monkeypatch.setenv(NAME, "10.0.0.300")
        with pytest.raises(ImproperlyConfigured, match=NAME):
            reading()
    monkeypatch.setenv(NAME, "guess-me")
    with pytest.raises(ImproperlyConfigured, match="too short") as said:
        env_token(NAME)
    assert "guess-me" not in str(said.value)


def test_trust_of_this_computer_and_a_public_address_exclude_each_other(
    tmp_path: Path,
) -> None:
    own = {"MEMORYHUB_URL": "https://h.example/", "MEMORYHUB_TRUST_LOOPBACK": "1"}

    assert "MEMORYHUB_TRUST_LOOPBACK" in refused(tmp_path, "serve", env=own)
