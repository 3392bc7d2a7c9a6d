"""Settings that make no sense are named at the start."""

from __future__ import annotations

import pytest
from django.core.exceptions import ImproperlyConfigured

from memoryhub.environment import env_secret, env_url

NAME, SECRET = "MEMORYHUB_TEST_URL", "MEMORYHUB_TEST_SECRET"


@pytest.mark.parametrize("url", ["https://hooks.example/a?b=c", "http://[::1]:8080/"])
def test_an_address_of_the_web_is_taken(
    monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    monkeypatch.setenv(NAME, f" {url} ")

    assert env_url(NAME) == url


@pytest.mark.parametrize(
    "url",
    ["file:///etc/passwd", "ftp://host/", "hooks.example", "https://", "http://[::1"],
)
def test_any_other_address_is_refused_without_telling_it(
    monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    monkeypatch.setenv(NAME, url)

    with pytest.raises(ImproperlyConfigured, match=NAME) as refused:
        env_url(NAME)
    assert url not in str(refused.value).replace("https://...", "")


def test_a_secret_is_needed_where_something_asks_for_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert env_secret(SECRET, needed_by=NAME) == ""

    monkeypatch.setenv(NAME, "https://hooks.example/")
    with pytest.raises(ImproperlyConfigured, match=SECRET):
        env_secret(SECRET, needed_by=NAME)
    monkeypatch.setenv(SECRET, "s")
    assert env_secret(SECRET, needed_by=NAME) == "s"
