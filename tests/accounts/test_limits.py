"""Attempts, codes and links of accounts cannot be repeated by a change of address."""

from __future__ import annotations

import time

import pytest
from allauth.core.exceptions import SignupClosedException
from allauth.mfa.totp.internal import auth
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialLogin
from allauth.socialaccount.providers.openid_connect.provider import (
    OpenIDConnectProvider,
)
from django.contrib.auth.hashers import MD5PasswordHasher
from django.core import mail
from django.core.cache import cache
from django.test import Client, RequestFactory
from django.test.utils import override_script_prefix
from pytest_django import Settings

from memoryhub.accounts import adapters
from memoryhub.accounts.adapters import INVITED, ProviderAdapter
from memoryhub.accounts.models import BrowserSession
from memoryhub.accounts.services.invitations import Offer, accept, invite
from memoryhub.accounts.services.persons import create_person, set_active
from memoryhub.audit import failures
from memoryhub.audit.models import AuditEntry
from memoryhub.errors.base import ToolError
from memoryhub.people.models import User
from tests.accounts.conftest import PASSWORD
from tests.waiting import wait_for


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
    clock, secret = {"now": 1_800_000_000.0}, "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
    totp = auth.TOTP.activate(kim, secret)
    monkeypatch.setattr(time, "time", lambda: clock["now"])
    # The code of the next half minute is accepted already.
    code, later = (
        auth.format_hotp_value(auth.hotp_value(secret, 60_000_000 + n)) for n in (1, 2)
    )
    assert totp.validate_code(code)

    cache.clear()
    for seconds in (1, 30, 28):
        clock["now"] += seconds
        assert not totp.validate_code(code)
    assert totp.validate_code(later)


def test_links_in_messages_lead_to_the_hub_whatever_host_was_asked(
    browser: Client, settings: Settings
) -> None:
    settings.MEMORYHUB_URL = "https://hub.example.org"
    settings.EMAIL_HOST = "mail.example.org"
    create_person("lee", email="lee@example.org", password=PASSWORD)

    form = {"email": "lee@example.org"}
    browser.post("/accounts/password/reset/", form, HTTP_HOST="localhost:6666")

    wait_for(lambda: mail.outbox)
    (message,) = mail.outbox
    assert "https://hub.example.org/accounts/password/reset/" in message.body
    assert "6666" not in f"{message.subject} {message.body}"


@pytest.mark.parametrize(
    "wanted", ["//evil.example/", "https://evil.example/", "http://localhost/x", "/\\a"]
)
def test_a_sign_in_leads_to_pages_of_the_hub_only(
    browser: Client, kim: User, settings: Settings, wanted: str
) -> None:
    settings.ALLOWED_HOSTS = ["localhost", "hub.example.org"]
    form = {"login": "kim", "password": PASSWORD, "next": wanted}
    answer = browser.post("/accounts/login/", form, HTTP_HOST="hub.example.org")

    assert (answer.status_code, answer["Location"]) == (302, "/")


@pytest.mark.parametrize(
    ("wanted", "leads_to"),
    [
        ("/hub/me/", "/hub/me/"),
        ("/hub/me/?a=1#b", "/hub/me/?a=1#b"),
        ("/hub", "/hub"),
        ("/outside/", "/hub/"),
        ("/hubris/", "/hub/"),
        ("/hub/../outside/", "/hub/"),
        ("/hub/%2e%2e/outside/", "/hub/"),
        ("", "/hub/"),
    ],
)
def test_a_sign_in_stays_below_the_base_path(
    browser: Client, kim: User, wanted: str, leads_to: str
) -> None:
    form = {"login": "kim", "password": PASSWORD, "next": wanted}
    with override_script_prefix("/hub/"):
        answer = browser.post("/accounts/login/", form, SCRIPT_NAME="/hub")
        gone = browser.post("/accounts/logout/", SCRIPT_NAME="/hub")

    assert (answer["Location"], gone["Location"]) == (leads_to, "/hub/")


def test_the_audit_log_has_new_passwords_and_no_typed_ones(
    browser: Client, kim: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(failures, "_MINUTE_NOW", failures._Minute())
    AuditEntry.objects.all()._raw_delete("default")
    for name in (PASSWORD, "KIM"):
        sign_in(browser, name, "kim", "localhost", "1")
    sign_in(browser, "kim", PASSWORD, "localhost", "1")
    new = "another horse 99"
    form = {"oldpassword": PASSWORD, "password1": new, "password2": new}
    assert browser.post("/accounts/password/", form).status_code == 302

    rows = AuditEntry.objects.order_by("id").values_list("action", "subject", "actor")
    assert list(rows)[:3] == [
        ("sign-in", "", ""),
        ("sign-in", "kim", ""),
        ("sign-in", "kim", "kim"),
    ]
    assert ("account.password", "kim", "kim") in rows


def test_a_person_of_the_provider_who_comes_second_leaves_no_account(
    kim: User, rf: RequestFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = invite(Offer(), kim).row
    accept(row, kim)
    request = rf.get("/")
    request.session = {INVITED: "read before it was used"}  # type: ignore[assignment]
    monkeypatch.setattr(adapters, "pending_invitation", lambda request: row)
    account = SocialAccount(provider="sso", uid="7", extra_data={})
    login = SocialLogin(user=User(username="ada"), account=account)
    login.provider = OpenIDConnectProvider(request, app=SocialApp(name="Lodge"))

    with pytest.raises(SignupClosedException):
        ProviderAdapter().save_user(request, login)

    assert not User.objects.filter(username="ada").exists()


def test_a_person_and_a_group_cannot_have_the_same_name(kims: Client) -> None:
    created = kims.post("/groups/", {"name": "leads", "members": []})
    assert created.status_code == 303

    with pytest.raises(ToolError, match="person-look-alike"):
        create_person("leads")
    create_person("ann")
    assert kims.post("/groups/", {"name": "Ann", "members": []}).status_code == 422


class CountingHasher(MD5PasswordHasher):
    """A hasher that counts its work."""

    algorithm = "counted"
    count = 0

    def encode(self, password: str, salt: str) -> str:
        CountingHasher.count += 1
        return super().encode(password, salt)


def test_a_sign_in_takes_as_long_for_a_name_or_address_that_nobody_has(
    browser: Client, kim: User, settings: Settings
) -> None:
    settings.PASSWORD_HASHERS = [f"{__name__}.CountingHasher"]
    create_person("lee", email="lee@example.org", password=PASSWORD)
    out = create_person("out", email="out@example.org", password=PASSWORD)
    set_active(out, active=False, by="kim")
    create_person("by-provider")

    def work(name: str) -> int:
        before = CountingHasher.count
        assert sign_in(browser, name, "wrong", "localhost", "1") == 200
        return CountingHasher.count - before

    names = ("lee", "out", "by-provider", "nobody")
    addresses = ("lee@example.org", "out@example.org", "nobody@example.org")
    assert len({work(name) for name in names}) == 1
    assert len({work(address) for address in addresses}) == 1
    assert sign_in(browser, "lee@example.org", PASSWORD, "localhost", "1") == 302


def test_a_reset_is_answered_alike_where_mail_cannot_be_sent(
    browser: Client, settings: Settings
) -> None:
    settings.EMAIL_HOST = "127.0.0.1"
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_PORT = 9
    settings.DEFAULT_FROM_EMAIL = "hub@example.org"
    create_person("lee", email="lee@example.org", password=PASSWORD)

    answers = {
        browser.post("/accounts/password/reset/", {"email": email}).status_code
        for email in ("lee@example.org", "nobody@example.org")
    }

    assert answers == {302}


def test_strangers_cannot_fill_the_database_with_challenges(browser: Client) -> None:
    asked = {"x-requested-with": "XMLHttpRequest", "accept": "application/json"}
    answers = [
        Client().get("/accounts/passkeys/login/", headers=asked).status_code
        for _ in range(40)
    ]

    assert (answers.count(200), answers.count(429)) == (30, 10)
    assert BrowserSession.objects.count() == 30


def test_a_user_name_that_no_pattern_can_hold_is_wrong(browser: Client) -> None:
    assert sign_in(browser, "k" * 100_000, "wrong", "localhost", "9") == 200
