"""Answers of an OpenID provider that are replayed, mixed up, or about somebody else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx2 as httpx
import pytest
from django.test import Client
from pytest_django import Settings

from memoryhub.accounts.services.persons import create_person
from memoryhub.people.models import User
from tests.openid import CLIENT, SECRET, Provider, openid_provider
from tests.signing import PageReader

LOGIN = "/accounts/oidc/sso/login/"
GRACE = {"sub": "1", "preferred_username": "grace", "name": "Grace"}


@pytest.fixture
def provider(settings: Settings) -> Iterator[Provider]:
    """Return a provider that everybody may join by."""
    with openid_provider() as running:
        settings.MEMORYHUB_OIDC_URL = running.address
        settings.MEMORYHUB_OIDC_OPEN = True
        use(settings, running)
        running.claims = dict(GRACE)
        yield running


def use(settings: Settings, provider: Provider) -> None:
    app = {
        "provider_id": "sso",
        "name": "Lodge",
        "client_id": CLIENT,
        "secret": SECRET,
        "settings": {"server_url": provider.address, "oauth_pkce_enabled": True},
    }
    settings.SOCIALACCOUNT_PROVIDERS = {"openid_connect": {"APPS": [app]}}


def answered(browser: Client) -> str:
    """Begin a sign-in; return where the provider sends the browser afterwards."""
    page = browser.post(LOGIN).content.decode()
    asked = re.search(r'https?://[^"\s]*/authorize[^"\s]*', page)
    assert asked
    back = httpx.get(asked[0].replace("&amp;", "&")).headers["Location"]
    return str(back).removeprefix("http://testserver").removeprefix("http://localhost")


def who(browser: Client) -> str:
    found = browser.session.get("_auth_user_id")
    return User.objects.get(pk=found).username if found else ""


def test_an_answer_counts_once_and_in_its_own_browser(
    browser: Client, provider: Provider
) -> None:
    other = PageReader()
    answer = answered(browser)
    assert (other.get(answer).status_code, who(other)) == (401, "")

    browser.get(answer)
    assert who(browser) == "grace"
    browser.post("/accounts/logout/")
    assert (browser.get(answer).status_code, who(browser)) == (401, "")


def test_a_code_of_another_sign_in_does_not_count(
    browser: Client, provider: Provider
) -> None:
    theirs, mine = (
        parse_qs(urlsplit(answered(one)).query) for one in (PageReader(), browser)
    )
    mixed = {"state": mine["state"][0], "code": theirs["code"][0]}

    browser.get(f"{LOGIN}callback/?{urlencode(mixed)}")

    assert who(browser) == "" and provider.faults


@pytest.mark.parametrize(
    "claims", [{"aud": "another"}, {"iss": "https://evil.example"}, {"exp": 1}]
)
def test_a_token_for_others_or_from_others_does_not_count(
    browser: Client, provider: Provider, claims: dict[str, object]
) -> None:
    provider.claims = GRACE | claims

    assert browser.get(answered(browser)).status_code == 401
    assert who(browser) == ""


@pytest.mark.parametrize("verified", [True, False])
def test_an_equal_address_or_name_is_not_the_same_person(
    browser: Client, provider: Provider, kim: User, *, verified: bool
) -> None:
    create_person("lee", email="lee@example.org")
    address = {"email": "LEE@example.org", "email_verified": verified}
    provider.claims = {**GRACE, **address, "preferred_username": "kim"}

    browser.get(answered(browser))

    assert who(browser) not in ("kim", "lee")


def test_a_subject_of_another_provider_is_another_person(
    browser: Client, provider: Provider, settings: Settings
) -> None:
    browser.get(answered(browser))
    assert who(browser) == "grace"

    with openid_provider() as second:
        use(settings, second)
        second.claims = GRACE | {"preferred_username": "mallory"}
        other = PageReader()
        answer = other.get(answered(other))

    assert (answer.status_code, who(other)) == (401, "")
    use(settings, provider)
    browser.post("/accounts/logout/")
    browser.get(answered(browser))
    assert who(browser) == "grace"


@pytest.mark.parametrize("claim", ["sub", "preferred_username", "name", "email"])
@pytest.mark.parametrize("value", ["a" * 300, "\0", 7, ["x"], None, {"a": 1}])
def test_odd_claims_break_no_page(
    browser: Client, provider: Provider, claim: str, value: object
) -> None:
    provider.claims = GRACE | {claim: value}

    assert browser.get(answered(browser)).status_code < 500


def test_the_address_that_a_form_is_sent_to_can_be_opened(
    browser: Client, provider: Provider
) -> None:
    answer = browser.get(LOGIN)

    assert (answer.status_code, answer["Location"]) == (302, "/accounts/login/")
