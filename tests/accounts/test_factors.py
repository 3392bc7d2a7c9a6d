"""Secrets of second factors, and settings of the mail server."""

from __future__ import annotations

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP
from django.core.exceptions import ImproperlyConfigured
from django.test import Client

from memoryhub.accounts.services.persons import reset_second_factor, second_factors
from memoryhub.audit import failures
from memoryhub.audit.models import AuditEntry
from memoryhub.mail_server import mail_server
from memoryhub.people.models import User
from tests.accounts.conftest import PASSWORD

KEY = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"


def test_the_database_has_no_readable_secret_of_a_second_factor(kim: User) -> None:
    TOTP.activate(kim, KEY)
    codes = RecoveryCodes.activate(kim)
    stored = repr(list(Authenticator.objects.values_list("data", flat=True)))

    assert KEY not in stored and "~sealed." in stored
    assert len(codes.get_unused_codes()) == 10
    assert not [code for code in codes.get_unused_codes() if code in stored]


def test_second_factors_are_counted_and_removed_by_an_administrator(kim: User) -> None:
    TOTP.activate(kim, KEY)
    RecoveryCodes.activate(kim)
    found = second_factors(kim)
    assert (found.totp, found.any, found.recovery_codes) == (True, True, 10)

    assert reset_second_factor(kim, "lee") == 2
    assert not second_factors(kim).any


def test_recovery_codes_are_downloaded_and_each_look_at_them_is_audited(
    kims: Client, kim: User
) -> None:
    TOTP.activate(kim, KEY)
    codes = RecoveryCodes.activate(kim).get_unused_codes()
    seen = AuditEntry.objects.filter(action="secrets.recovery-codes", actor="kim")
    pages = [
        "/accounts/second-factor/codes/",
        "/accounts/second-factor/codes/download/",
    ]
    assert {kims.get(page).status_code for page in pages} == {302}
    assert not seen.exists()

    kims.post("/accounts/confirm/", {"password": PASSWORD})
    shown, loaded = (kims.get(page) for page in pages)

    assert all(code in shown.content.decode() for code in codes)
    assert loaded["Content-Type"].startswith("text/plain")
    assert loaded.content.decode().split() == codes
    assert [row.subject for row in seen.order_by("id")] == pages


@pytest.mark.parametrize(
    ("url", "parts"),
    [
        ("smtp://a%40b:p%2Fw@mail:25", ("mail", 25, "a@b", "p/w", True, False)),
        ("smtps://mail", ("mail", 465, "", "", False, True)),
        ("smtp+plain://localhost", ("localhost", 25, "", "", False, False)),
    ],
)
def test_a_mail_server_is_read_from_its_address(
    monkeypatch: pytest.MonkeyPatch, url: str, parts: tuple[object, ...]
) -> None:
    monkeypatch.setenv("MAIL", url)
    monkeypatch.setenv("FROM", "hub@example.org")
    found = mail_server("MAIL", sender="FROM")

    taken = (found.host, found.port, found.user, found.password)
    assert (*taken, found.starts_tls, found.is_tls) == parts
    assert found.sender == "hub@example.org"


@pytest.mark.parametrize(
    "url",
    ["mail.example.org", "http://u:secret@x", "smtp://", "smtp://u:secret@h:port"],
)
def test_an_unusable_address_is_refused_without_repeating_its_password(
    monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    monkeypatch.setenv("MAIL", url)
    monkeypatch.setenv("FROM", "hub@example.org")

    with pytest.raises(ImproperlyConfigured, match="Unexpected value of MAIL") as said:
        mail_server("MAIL", sender="FROM")
    assert "secret" not in str(said.value)


def test_a_mail_server_needs_a_sender(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAIL", "smtp://user:password@mail")
    monkeypatch.delenv("FROM", raising=False)

    with pytest.raises(ImproperlyConfigured, match="FROM is missing"):
        mail_server("MAIL", sender="FROM")


@pytest.mark.parametrize("code", ["000000", "1234567890", "x" * 40])
def test_a_wrong_code_is_in_the_audit_log_with_its_account(
    browser: Client, kim: User, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(failures, "_MINUTE_NOW", failures._Minute())
    TOTP.activate(kim, KEY)
    browser.post("/accounts/login/", {"login": "kim", "password": PASSWORD})
    AuditEntry.objects.all()._raw_delete("default")

    browser.post("/accounts/second-factor/enter/", {"code": code})

    (entry,) = AuditEntry.objects.all()
    said = (entry.action, entry.subject, entry.outcome, entry.detail)
    assert said == ("sign-in", "kim", "refused", "wrong-code")
    assert code not in repr(AuditEntry.objects.values())
