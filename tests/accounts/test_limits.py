"""Attempts, codes and links of accounts cannot be repeated by a change of address."""

from __future__ import annotations

import time

import pytest
from allauth.mfa.totp.internal import auth
from django.core import mail
from django.core.cache import cache
from django.test import Client
from pytest_django import Settings

from memoryhub.accounts.services.persons import create_person
from memoryhub.people.models import User
from tests.accounts.conftest import PASSWORD


def sign_in(browser: Client, name: str, password: str, host: str, peer: str) -> int:
    form = {"login": name, "password": password}
    answer = browser.post(
        "/accounts/login/", form, HTTP_HOST=host, REMOTE_ADDR=f"10.0.0.{peer}"
    )
    return answer.status_code


@pytest.mark.parametrize("by", ["port", "host", "e-mail"])
def test_wrong_passwords_of_an_account_are_counted_whatever_names_it(
    browser: Client, by: str
) -> None:
    create_person("lee", email="lee@example.org", password=PASSWORD)
    hosts = {"port": [f"localhost:{n}" for n in range(5)], "host": ["127.0.0.1"] * 5}
    name = "lee@example.org" if by == "e-mail" else "LEE"
    for number, host in enumerate(hosts.get(by, ["localhost"] * 5)):
        sign_in(browser, name, "wrong", host, str(number))

    assert sign_in(browser, "lee", PASSWORD, "localhost", "9") == 200
    create_person("ann", password=PASSWORD)
    assert sign_in(browser, "ann", PASSWORD, "localhost", "9") == 302


def test_a_code_counts_once_for_as_long_as_it_is_valid(
    kim: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret, now = auth.generate_totp_secret(), 1_800_000_000.0
    totp = auth.TOTP.activate(kim, secret)
    monkeypatch.setattr(time, "time", lambda: now)
    # The code of the next half minute is accepted already.
    code = auth.format_hotp_value(auth.hotp_value(secret, int(now) // 30 + 1))
    assert totp.validate_code(code)

    cache.clear()
    for now in (now + 1, now + 31, now + 59):
        assert not totp.validate_code(code)
    fresh = auth.format_hotp_value(auth.hotp_value(secret, int(now) // 30))
    assert fresh == code or totp.validate_code(fresh)


def test_links_in_messages_lead_to_the_hub_whatever_host_was_asked(
    browser: Client, settings: Settings
) -> None:
    settings.MEMORYHUB_URL = "https://hub.example.org"
    settings.EMAIL_HOST = "mail.example.org"
    create_person("lee", email="lee@example.org", password=PASSWORD)

    form = {"email": "lee@example.org"}
    browser.post("/accounts/password/reset/", form, HTTP_HOST="localhost:6666")

    (message,) = mail.outbox
    assert "https://hub.example.org/accounts/password/reset/" in message.body
    assert "6666" not in message.body + message.subject
