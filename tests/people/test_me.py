"""A person's own preferences: kept, and what pages make of them."""

from __future__ import annotations

import pytest
from django.conf import settings
from django.test import Client

from memoryhub.people.models import User
from memoryhub.people.policy import operator

pytestmark = pytest.mark.django_db
CHOSEN = {"theme": "dark", "density": "compact", "time_zone": "Asia/Tokyo"}


def test_the_page_shows_what_is_chosen(client: Client) -> None:
    User.objects.filter(pk=operator().pk).update(theme="dark")

    page = client.get("/me/")

    assert page.status_code == 200
    assert '<option value="dark" selected>' in page.content.decode()


def test_preferences_are_kept_and_said_to_the_pages(client: Client) -> None:
    answer = client.post("/me/", {**CHOSEN, "language": "zh-hans"})

    assert (answer.status_code, answer["Location"]) == (303, "/me/")
    assert operator().single_keys is False
    cookies = {name: morsel.value for name, morsel in client.cookies.items()}
    assert cookies["memoryhub_theme"] == "dark"
    assert cookies["memoryhub_density"] == "compact"
    assert cookies["memoryhub_keys"] == "off"
    assert cookies["memoryhub_zone"] == "Asia/Tokyo"
    assert cookies["django_language"] == "zh-hans"


def test_the_next_page_is_dark_and_dense(client: Client) -> None:
    client.post("/me/", CHOSEN)

    page = client.get("/me/").content.decode()

    assert 'data-theme="dark" data-density="compact"' in page


def test_an_unknown_zone_is_refused_with_a_reason(client: Client) -> None:
    answer = client.post("/me/", {**CHOSEN, "time_zone": "Mars/Base"})

    assert answer.status_code == 422
    assert "There is no such time zone." in answer.content.decode()
    assert operator().time_zone == ""


def test_defaults_leave_no_cookie(client: Client) -> None:
    client.post("/me/", {"theme": "system", "density": "comfortable", "single_keys": 1})

    kept = {name for name, cookie in client.cookies.items() if cookie.value}
    assert kept == {"messages", settings.SESSION_COOKIE_NAME}


def test_a_cookie_of_nonsense_changes_nothing(client: Client) -> None:
    client.cookies["memoryhub_zone"] = "../../etc/passwd"

    assert client.get("/me/").status_code == 200
