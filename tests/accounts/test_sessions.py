"""A team's sessions are in the database, by a hash of their key, and can be ended."""

from __future__ import annotations

import time
from datetime import timedelta

import pytest
from django.conf import settings as hub
from django.contrib.sessions.backends import signed_cookies
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import Settings

from memoryhub.accounts.models import Attempt, BrowserSession
from memoryhub.accounts.second_factor import person_let_in
from memoryhub.accounts.services.persons import (
    create_person,
    reset_path,
    sessions_of,
    set_active,
)
from memoryhub.accounts.sessions import SessionStore, TeamStore, session_name
from memoryhub.errors.base import ToolError
from memoryhub.people.models import User
from memoryhub.web.accounts.own import browser_words
from tests.accounts.conftest import PASSWORD
from tests.signing import PageReader

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"


def sign_in(browser: Client, name: str = "kim", password: str = PASSWORD) -> int:
    form = {"login": name, "password": password}
    agent = {"user-agent": FIREFOX}
    return int(browser.post("/accounts/login/", form, headers=agent).status_code)


def key_of(browser: Client) -> str:
    return browser.cookies[hub.SESSION_COOKIE_NAME].value


def test_the_database_does_not_have_the_key_of_a_session(
    browser: Client, kim: User
) -> None:
    sign_in(browser)
    row = BrowserSession.objects.get(user=kim)

    assert row.session_key == session_name(key_of(browser))
    assert key_of(browser) not in row.session_key + row.session_data
    # Nor is what the database has a key.
    thief = Client()
    thief.cookies[hub.SESSION_COOKIE_NAME] = row.session_key
    assert thief.get("/me/").status_code == 302


def test_a_session_says_where_and_when_it_was_begun(browser: Client, kim: User) -> None:
    sign_in(browser)
    (one,) = sessions_of(kim, key_of(browser))

    assert (one.agent, one.address, one.current) == (FIREFOX, "127.0.0.1", True)
    assert one.made_at and timezone.now() - one.made_at < timedelta(minutes=1)
    assert "Firefox on Linux" in browser.get("/me/").content.decode()


def test_an_ended_session_is_over_for_pages_and_for_the_live_stream(
    browser: Client, kims: Client, kim: User
) -> None:
    sign_in(browser)
    key = key_of(browser)
    assert person_let_in(key) == kim

    kims.post("/accounts/sessions/end/", {"session": session_name(key)})

    assert person_let_in(key) is None
    assert browser.get("/me/").status_code == 302
    assert kims.get("/me/").status_code == 200


def test_nobody_ends_a_session_of_somebody_else(kims: Client, kim: User) -> None:
    lees = PageReader()
    lees.force_login(create_person("lee"))

    lees.post("/accounts/sessions/end/", {"session": session_name(key_of(kims))})

    assert kims.get("/me/").status_code == 200


def test_signing_out_everywhere_ends_all_sessions_and_keeps_the_password(
    browser: Client, kims: Client, kim: User
) -> None:
    sign_in(browser)
    kims.post("/me/sign-out/", {"everywhere": "1"})

    assert not BrowserSession.objects.filter(user=kim).exists()
    assert sign_in(browser) == 302


def test_a_changed_password_ends_the_other_sessions(
    browser: Client, kims: Client, kim: User
) -> None:
    sign_in(browser)
    form = {"oldpassword": PASSWORD, "password1": "another long one"}
    answer = kims.post("/accounts/password/", {**form, "password2": "another long one"})

    assert (answer.status_code, answer["Location"]) == (302, "/me/")
    assert browser.get("/me/").status_code == 302
    here = kims.get("/me/")
    assert here.status_code == 200 and "Password changed" in here.content.decode()
    assert BrowserSession.objects.filter(user=kim).count() == 1


def test_a_new_password_by_a_link_ends_all_sessions_of_before(
    browser: Client, kims: Client, kim: User
) -> None:
    new = "another long one"
    form = browser.get(reset_path(kim))["Location"]
    browser.post(form, {"password1": new, "password2": new})

    assert kims.get("/me/").status_code == 302
    assert browser.get("/me/").status_code == 200
    assert BrowserSession.objects.filter(user=kim).count() == 1


def test_a_deactivated_person_is_out_and_the_last_administrator_is_not_deactivated(
    kim: User,
) -> None:
    lee = create_person("lee", password=PASSWORD)
    lees = PageReader()
    lees.force_login(lee)
    set_active(lee, active=False, by="kim")

    assert lees.get("/me/").status_code == 302
    assert sign_in(PageReader(), "lee") == 302  # to the page that says so
    with pytest.raises(ToolError, match="last-hub-administrator"):
        set_active(kim, active=False, by="kim")


def test_a_session_in_which_nobody_signs_in_lives_for_an_hour(browser: Client) -> None:
    store = TeamStore()
    store["anything"] = 1
    store.save()
    row = BrowserSession.objects.get()

    assert row.expire_date < timezone.now() + timedelta(hours=1, seconds=1)
    row.expire_date = timezone.now() - timedelta(seconds=1)
    row.save()
    SessionStore.clear_expired()
    assert not BrowserSession.objects.exists()


def test_on_ones_own_machine_the_cookie_alone_has_the_session(
    settings: Settings,
) -> None:
    settings.MEMORYHUB_TEAM = False

    assert type(SessionStore()) is signed_cookies.SessionStore
    assert type(SessionStore("a-key")) is signed_cookies.SessionStore


def test_a_page_costs_one_query_more_than_on_ones_own_machine(
    kims: Client, client: Client, settings: Settings
) -> None:
    with CaptureQueriesContext(connection) as team:
        kims.get("/help/")
    settings.MEMORYHUB_TEAM = False
    own = PageReader()
    own.force_login(User.objects.get(username="operator"))
    with CaptureQueriesContext(connection) as alone:
        own.get("/help/")

    assert len(team) - len(alone) <= 2


def test_neither_pages_nor_a_restart_make_the_hub_forget_failed_attempts(
    browser: Client, kim: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(5):
        sign_in(browser, password="wrong")
    # What a process has in its memory.
    cache.clear()

    assert sign_in(browser) == 200
    later = time.time() + 301
    monkeypatch.setattr(time, "time", lambda: later)
    assert sign_in(browser) == 302
    assert Attempt.objects.filter(expires__lt=later).count() == 0


def test_attempts_from_one_address_are_limited_over_all_names(browser: Client) -> None:
    statuses = {sign_in(browser, f"name-{number}", "wrong") for number in range(12)}
    answer = browser.post("/accounts/login/", {"login": "new", "password": "wrong"})

    assert statuses == {200}
    assert "Too many failed login attempts" in answer.content.decode()


SAFARI = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15"
    " (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1"
)
EDGE = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko)"
    " Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0"
)


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        (FIREFOX, "Firefox on Linux"),
        (SAFARI, "Safari on iPhone"),
        (EDGE, "Edge on Windows"),
        ("curl/8.14.1", "curl"),
        ("", "Unknown browser"),
        ("<script>", "Unknown browser"),
    ],
)
def test_a_browser_in_words(agent: str, words: str) -> None:
    assert browser_words(agent) == words
