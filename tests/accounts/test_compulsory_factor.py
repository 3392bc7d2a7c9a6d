"""A compulsory second factor: who is without one reaches its page and nothing else."""

from __future__ import annotations

import pytest
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, format_hotp_value, hotp_value
from allauth.mfa.totp.internal.auth import yield_hotp_counters_from_time as counters
from django.conf import settings as hub
from django.test import Client
from pytest_django import Settings

from memoryhub.accounts.proxied import PASSED_ON
from memoryhub.accounts.second_factor import person_let_in
from memoryhub.accounts.services.persons import reset_second_factor
from memoryhub.journal.models import Workspace
from memoryhub.people.models import User
from tests.accounts.conftest import PASSWORD
from tests.accounts.test_sessions import key_of, sign_in
from tests.factories import make_workspace_row

FACTOR = "/accounts/second-factor/"
PAGES = (
    "/",
    "/me/",
    "/w/acme/",
    "/w/acme/timeline.atom",
    "/accounts/people/",
    "/help/",
)


@pytest.fixture(autouse=True)
def compulsory(settings: Settings) -> None:
    settings.MEMORYHUB_SECOND_FACTOR = True


@pytest.fixture(autouse=True)
def acme() -> None:
    acme = make_workspace_row()
    Workspace.objects.filter(pk=acme.pk).update(name="Secret Plans")


def code_for(secret: str) -> str:
    return str(format_hotp_value(hotp_value(secret, next(counters()))))


def test_who_has_none_is_led_to_its_page_and_reaches_nothing_else(
    browser: Client, kim: User
) -> None:
    sign_in(browser)
    for page in PAGES:
        answer = browser.get(page)
        assert (answer.status_code, answer["Location"]) == (302, FACTOR), page
    # No view, or none that the role opens: their refusals show no workspace either.
    assert "Secret Plans" not in browser.get("/w/acme/nothing/").content.decode()
    answer = browser.post("/me/", {"theme": "dark"}, headers={"HX-Request": "true"})
    assert (answer.status_code, answer["HX-Refresh"]) == (403, "true")
    kim.refresh_from_db()
    assert kim.theme == "system" and person_let_in(key_of(browser)) is None

    assert "This hub asks everybody" in browser.get(FACTOR).content.decode()


def test_setting_one_up_opens_the_hub_and_its_removal_closes_it(
    browser: Client, kim: User
) -> None:
    sign_in(browser)
    confirmed = browser.post("/accounts/confirm/", {"password": PASSWORD})
    assert confirmed.status_code == 302
    form = browser.get("/accounts/second-factor/app/").context["form"]
    sent = {"code": code_for(form.secret)}
    assert browser.post("/accounts/second-factor/app/", sent).status_code == 302

    assert browser.get("/w/acme/").status_code == 200
    assert browser.get(FACTOR)["Location"] == "/me/#second-factor"
    assert person_let_in(key_of(browser)) == kim

    reset_second_factor(kim, "lee")
    assert browser.get("/w/acme/")["Location"] == FACTOR


def test_recovery_codes_alone_are_no_second_factor(browser: Client, kim: User) -> None:
    sign_in(browser)
    RecoveryCodes.activate(kim)

    assert browser.get("/me/")["Location"] == FACTOR
    TOTP.activate(kim, "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP")
    assert browser.get("/me/").status_code == 200


def test_who_signs_out_or_is_not_signed_in_sees_what_they_saw(
    browser: Client, kim: User
) -> None:
    assert browser.get("/me/")["Location"].startswith("/accounts/login/")
    sign_in(browser)

    assert browser.post("/me/sign-out/").status_code == 303
    assert browser.get("/me/")["Location"].startswith("/accounts/login/")


def test_a_proxys_and_a_providers_people_are_exempt(
    browser: Client, kims: Client, kim: User, settings: Settings
) -> None:
    settings.MEMORYHUB_PROXY_USER_HEADER = "Remote-User"
    assert browser.get("/me/", headers={PASSED_ON: "ann"}).status_code == 200
    assert kims.get("/me/")["Location"] == FACTOR

    session = kims.session
    record = {"method": "socialaccount", "provider": "sso", "uid": "1", "at": 1.0}
    session["account_authentication_methods"] = [record]
    session["account_authentication_methods_user"] = str(kim.pk)
    session.save()
    assert kims.get("/me/").status_code == 200
    assert person_let_in(kims.cookies[hub.SESSION_COOKIE_NAME].value) == kim


def test_without_the_setting_or_a_team_nobody_is_asked(
    kims: Client, settings: Settings
) -> None:
    settings.MEMORYHUB_SECOND_FACTOR = False
    assert kims.get("/me/").status_code == 200
