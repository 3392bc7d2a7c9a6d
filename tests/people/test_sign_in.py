"""Nothing is shown without a sign-in, and how a browser gets one."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings as hub
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.utils import timezone
from pytest_django import Settings

from memoryhub.accounts.second_factor import person_let_in
from memoryhub.journal.models import Workspace
from memoryhub.people.models import SeenMark
from memoryhub.people.policy import operator
from memoryhub.people.services.sign_in import (
    SOON,
    make_link,
    use_link,
)
from tests.factories import small
from tests.signing import signed_in

#: What strangers are answered by a door of its own, or may know.
_OPEN = {
    "healthz", "readyz", "push-worker", "open", "timeline-feed", "turn-feed",
    "topic-feed",
}  # fmt: skip
_ELSEWHERE = {"sec-fetch-site": "cross-site"}
_LINK = {"sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}


@pytest.fixture
def workspace(hub_data: Path, db: None, workspace_root: Path) -> Workspace:
    return small(workspace_root)


@pytest.fixture
def stranger(db: None) -> Client:
    return Client(headers={"host": "localhost", "accept": "text/html"})


def patterns(within: URLResolver) -> list[URLPattern]:
    found: list[URLPattern] = []
    for one in within.url_patterns:
        if isinstance(one, URLPattern):
            found.append(one)
        elif one.namespace not in ("api", "a2a"):
            found += patterns(one)
    return found


def link(secret: str, page: str = "") -> str:
    return f"{reverse('open')}?token={secret}&next={page}"


def test_every_page_asks_for_a_sign_in_but_those_that_say_so() -> None:
    every = patterns(get_resolver())
    free = {p.name for p in every if not getattr(p.callback, "login_required", True)}

    assert len(every) > 60 and free == _OPEN


@pytest.mark.parametrize("page", ["/w/acme/search/?q=deploy", "/open/?token=deploy"])
def test_a_page_of_signing_in_says_nothing_of_the_parameters_of_the_asked_one(
    stranger: Client, workspace: Workspace, page: str
) -> None:
    html = stranger.get(page).content.decode()

    assert "Not signed in" in html or "no longer valid" in html
    assert "deploy" not in html and "This page has no" not in html


@pytest.mark.parametrize("headers", [{}, {"authorization": "Basic eDp5"}])
def test_a_stranger_is_told_how_to_sign_in_and_nothing_else(
    stranger: Client, workspace: Workspace, headers: dict[str, str]
) -> None:
    for page in ("/w/acme/", "/", "/w/acme/files/", "/imports/new/", "/api/v1/docs"):
        answer = stranger.get(page, headers=headers)
        html = answer.content.decode()
        assert (answer.status_code, answer["WWW-Authenticate"]) == (401, "Bearer")
        # Its own address is repeated, so that the person comes back to the page.
        assert "memoryhub open" in html and "acme" not in html.replace(page, "")
        assert "no-store" in answer["Cache-Control"]


@pytest.mark.parametrize(
    ("page", "shown"),
    [
        ("/w/acme/handoffs/17ccp2y/sign-off/", " /w/acme/handoffs/17ccp2y/sign-off/"),
        ("/w/acme/?q=$(id)", " /w/acme/"),
        ("/w/acme;id/", ""),
        ("/w/$(id)/", ""),
        ("/w/支付/", ""),
        ("/", ""),
    ],
)
def test_a_stranger_comes_back_to_a_page_whose_address_a_shell_takes_as_it_is(
    stranger: Client, workspace: Workspace, page: str, shown: str
) -> None:
    html = stranger.get(page).content.decode()

    assert f"<code>memoryhub open{shown}</code>" in html


def test_a_program_is_told_in_a_line(workspace: Workspace) -> None:
    for page in ("/w/acme/", "/w/acme/timeline.atom", "/w/acme/timeline.atom?key=x"):
        answer = Client().get(page, headers={"accept": "*/*;q=0.1, text/plain"})
        assert answer.status_code == 401


def test_a_change_is_refused_before_its_body_is_looked_at(workspace: Workspace) -> None:
    stranger = Client(enforce_csrf_checks=True)

    assert stranger.post("/w/acme/seen/", {"upto": 1}).status_code == 401


def test_the_apis_description_needs_a_credential_too(stranger: Client) -> None:
    assert stranger.get("/api/v1/openapi.json").status_code == 401
    assert signed_in().get("/api/v1/openapi.json").status_code == 200


def test_a_link_signs_one_browser_in_once(stranger: Client, hub_data: Path) -> None:
    address = link(make_link(SOON), "/imports/new/%3Finto=x")

    answer = stranger.get(address)

    assert (answer.status_code, answer["Location"]) == (303, "/imports/new/?into=x")
    assert answer["Referrer-Policy"] == "no-referrer"
    cookie = answer.cookies[hub.SESSION_COOKIE_NAME]
    assert (cookie["httponly"], cookie["samesite"]) == (True, "Lax")
    assert cookie["max-age"] == 90 * 86_400
    assert stranger.get("/imports/new/").status_code == 200
    again = Client().get(address, headers={"accept": "text/html"})
    assert again.status_code == 401 and "no longer valid" in again.content.decode()


def test_who_is_signed_in_does_not_use_a_link_up(
    client: Client, stranger: Client, hub_data: Path
) -> None:
    address = link(make_link(SOON))

    assert client.get(address)["Location"] == "/"
    assert stranger.get(address).status_code == 303


@pytest.mark.parametrize("page", ["//evil.example/", "https://evil.example", "x", ""])
def test_a_link_leads_to_no_other_host(
    stranger: Client, hub_data: Path, page: str
) -> None:
    assert stranger.get(link(make_link(SOON), page))["Location"] == "/"


def test_a_link_ends_and_leaves_nothing_behind(hub_data: Path) -> None:
    old = make_link(timedelta(minutes=1), now=timezone.now() - timedelta(hours=1))
    assert not use_link(old)
    make_link(timedelta(minutes=1), now=timezone.now() - timedelta(hours=1))

    make_link(SOON)

    assert len(list((hub_data / "links").iterdir())) == 1
    assert not use_link("nonsense") and not use_link("")


def test_a_cookie_is_good_until_the_person_signs_out_everywhere(
    client: Client, workspace: Workspace
) -> None:
    other, feed = signed_in(), client.get("/w/acme/timeline/").context["feed_url"]
    assert Client().get(feed).status_code == 200

    client.post("/me/sign-out/")
    assert client.get("/").status_code == 401
    assert other.post("/me/sign-out/", {"everywhere": "1"}).status_code == 303

    assert Client().get(feed).status_code == 401
    assert other.get("/").status_code == 401
    assert signed_in().get("/").status_code == 302


def test_a_cookie_of_another_hub_or_of_nonsense_is_nobody(
    client: Client, settings: Settings
) -> None:
    cookie = client.cookies[hub.SESSION_COOKIE_NAME].value
    assert person_let_in(cookie) == operator()
    assert person_let_in(f"{cookie}x") is None

    settings.SECRET_KEY = "of another hub"
    assert person_let_in(cookie) is None


def test_the_key_of_a_feed_is_for_that_workspaces_feeds_alone(
    client: Client, workspace: Workspace, tmp_path: Path
) -> None:
    key = client.get("/w/acme/timeline/").context["feed_url"].partition("?")[2]

    for feed in ("timeline.atom", "your-turn.atom"):
        assert Client().get(f"/w/acme/{feed}?{key}").status_code == 200
        assert Client().get(f"/w/other/{feed}?{key}").status_code == 401
    assert Client().get(f"/w/acme/?{key}").status_code == 401


def test_a_link_on_another_site_shows_a_page_and_marks_nothing(
    client: Client, workspace: Workspace
) -> None:
    for page in ("", "timeline/", "topics/api/"):
        answer = client.get(f"/w/acme/{page}", headers=_ELSEWHERE | _LINK)
        assert answer.status_code == 200
    assert not SeenMark.objects.exists()
    client.get("/w/acme/", headers={"sec-fetch-site": "same-origin"})
    assert SeenMark.objects.exists()


def test_answers_stay_with_the_browser_that_asked(
    client: Client, workspace: Workspace
) -> None:
    page = client.get("/w/acme/")
    assert page["X-Frame-Options"] == "DENY"
    assert page["Cross-Origin-Resource-Policy"] == "same-origin"
    assert "private" in page["Cache-Control"]
    for secret in ("/w/acme/files/MEMORY.md", "/w/acme/timeline/?show=secrets"):
        assert "no-store" in client.get(secret)["Cache-Control"], secret


def test_a_computer_that_is_trusted_says_so_on_every_page(
    stranger: Client, workspace: Workspace, settings: Settings
) -> None:
    settings.MEMORYHUB_TRUST_LOOPBACK = True

    assert "MEMORYHUB_TRUST_LOOPBACK" in stranger.get("/w/acme/").content.decode()
    assert stranger.get("/w/acme/", headers={"via": "1.1 x"}).status_code == 401
    assert Client().get("/w/acme/", REMOTE_ADDR="10.0.0.1").status_code == 401


def test_without_a_server_there_is_nothing_to_open(hub_data: Path, db: None) -> None:
    with pytest.raises(CommandError, match="memoryhub serve"):
        call_command("open")
