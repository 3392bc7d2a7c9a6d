"""People of a team sign in at an OpenID provider, or a proxy in front names them."""

from __future__ import annotations

import http.client
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.axe import Axe, program
from tests.browser.hub import copy_hub, manage
from tests.browser.team import PASSWORD, TEAM, signed_in, team_hub
from tests.browser.test_accounts_axe import barriers
from tests.browser.watched import Watch
from tests.openid import Provider, openid_provider

_WITH_ADDRESS = """
from memoryhub.accounts.services.persons import create_person
create_person("lee", email="lee@example.org")
"""


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    """Return an OpenID provider that runs on this computer."""
    with openid_provider() as running:
        yield running


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("team")


@pytest.fixture(scope="module")
def team(imported_samples: Path, folder: Path, provider: Provider) -> Iterator[str]:
    """Return the address of a team's hub with that provider."""
    with team_hub(copy_hub(imported_samples, folder), **provider.settings()) as address:
        yield address


@pytest.fixture
def visit(
    browser: Browser, team: str, provider: Provider
) -> Iterator[Callable[[], Page]]:
    """Return what opens a browser in which nobody is signed in."""
    watch = Watch(
        team,
        stranger=True,
        others=(provider.address,),
        allowed=frozenset({"401", "403"}),
    )
    provider.cancels = False
    yield lambda: watch.page(browser, "light", 1440)
    watch.close()
    assert not provider.faults


def invitation(folder: Path, team: str) -> str:
    """Return the link of a new invitation to acme."""
    command = ("person", "invite", "--workspace", "acme", "--role", "viewer")
    printed = manage(folder, *command, **TEAM).strip()
    return team + urlsplit(printed).path


def test_a_stranger_of_the_provider_needs_an_invitation_and_then_none(
    visit: Callable[[], Page], team: str, folder: Path, provider: Provider
) -> None:
    provider.claims = {
        "sub": "1",
        "preferred_username": "Grace",
        "name": "Grace Hopper",
        "email": "grace@example.org",
    }
    page = visit()
    page.goto(f"{team}/accounts/login/")
    page.get_by_role("button", name="Sign in with Lodge").click()
    expect(page.locator("h1")).to_have_text("By invitation only")

    page.goto(invitation(folder, team))
    page.get_by_role("button", name="Join with Lodge").click()
    expect(page).to_have_url(f"{team}/w/acme/")
    page.goto(f"{team}/me/")
    expect(page.get_by_label("Name")).to_have_value("Grace Hopper")

    again = visit()
    again.goto(f"{team}/w/acme/")
    again.get_by_role("button", name="Sign in with Lodge").click()
    expect(again).to_have_url(f"{team}/w/acme/")


def test_a_name_that_is_taken_or_means_nobody_is_not_given_to_a_newcomer(
    visit: Callable[[], Page], team: str, folder: Path, provider: Provider
) -> None:
    provider.claims = {"sub": "2", "preferred_username": "operator", "name": "Op"}
    page = visit()
    page.goto(invitation(folder, team))
    page.get_by_role("button", name="Join with Lodge").click()

    expect(page).to_have_url(f"{team}/w/acme/")
    names = manage(folder, "person", "list", **TEAM)
    assert "Op" in names and "'operator'" not in names


def test_an_address_of_somebody_else_connects_nobody_and_another_name_is_chosen(
    visit: Callable[[], Page], team: str, folder: Path, provider: Provider
) -> None:
    add = ("person", "invite", "--workspace", "acme", "--role", "viewer")
    manage(folder, "shell", "-c", _WITH_ADDRESS, **TEAM)
    provider.claims = {"sub": "4", "preferred_username": "kim", "name": "Mallory"}
    provider.claims |= {"email": "LEE@example.org", "email_verified": True}
    page = visit()
    page.goto(team + urlsplit(manage(folder, *add, **TEAM).strip()).path)
    page.get_by_role("button", name="Join with Lodge").click()
    expect(page.locator("h1")).to_have_text("Choose a user name")
    assert barriers(page, Axe(program()), page.url) == []
    page.set_extra_http_headers({"Accept-Language": "zh-CN"})
    page.reload()
    expect(page.locator("label")).to_have_text(["用户名", "电子邮箱（可选）"])

    page.locator("#id_username").fill("mallory")
    page.locator("main button").click()
    expect(page.locator(".error")).to_contain_text("已有账户使用此电子邮箱地址")
    page.locator("#id_email").fill("")
    page.locator("main button").click()

    expect(page).to_have_url(f"{team}/w/acme/")
    assert "mallory Mallory" in manage(folder, "person", "list", **TEAM)
    page.goto(f"{team}/me/")
    expect(page.locator("[name=email]")).to_have_value("")


def test_an_account_is_connected_and_signs_in_by_the_provider_from_then_on(
    visit: Callable[[], Page], team: str, provider: Provider
) -> None:
    provider.claims = {"sub": "3", "preferred_username": "kim", "name": "Kim"}
    page = visit()
    signed_in(page, team)
    page.get_by_role("link", name="Connect Lodge").click()
    page.get_by_role("button", name="Connect Lodge").click()
    # Whoever finds the browser open would have a way in for good.
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Confirm").click()
    expect(page.locator("main")).to_contain_text("Remove")

    other = visit()
    other.goto(f"{team}/me/")
    other.get_by_role("button", name="Sign in with Lodge").click()
    expect(other.locator("h1")).to_have_text("Your account")
    expect(other.get_by_role("link", name="People")).to_be_visible()


def test_a_sign_in_that_is_broken_off_or_answered_falsely_signs_nobody_in(
    visit: Callable[[], Page], team: str, provider: Provider
) -> None:
    provider.cancels = True
    page = visit()
    page.goto(f"{team}/accounts/login/")
    page.get_by_role("button", name="Sign in with Lodge").click()
    expect(page.locator("h1")).to_have_text("Not signed in")

    page.goto(f"{team}/accounts/oidc/sso/login/callback/?code=made-up&state=made-up")
    expect(page.locator("h1")).to_have_text("The sign-in failed")
    page.goto(f"{team}/me/")
    expect(page.locator("h1")).to_have_text("Sign in")


HEADER = {"MEMORYHUB_PROXY_USER_HEADER": "Remote-User"}


@pytest.fixture(scope="module")
def behind_proxy(
    imported_samples: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """Return the address of a hub whose proxy has the address 127.0.0.2."""
    folder = copy_hub(imported_samples, tmp_path_factory.mktemp("proxied"))
    with team_hub(folder, **HEADER, MEMORYHUB_TRUSTED_PROXIES="127.0.0.2") as address:
        yield address


def ask(hub: str, peer: str, path: str, **headers: str) -> tuple[int, str, str]:
    """Ask from an address of this computer; return status, location and cookie."""
    port = urlsplit(hub).port
    client = http.client.HTTPConnection("127.0.0.1", port, source_address=(peer, 0))
    named = {name.replace("__", "-"): value for name, value in headers.items()}
    client.request("GET", path, headers={"Host": f"localhost:{port}", **named})
    answer = client.getresponse()
    answer.read()
    client.close()
    cookie = (answer.headers.get("Set-Cookie") or "").partition(";")[0]
    return answer.status, answer.headers.get("Location") or "", cookie


def test_a_trusted_proxy_signs_in_whom_it_names(behind_proxy: str) -> None:
    status, _, cookie = ask(behind_proxy, "127.0.0.2", "/me/", Remote__User="ann")

    assert (status, bool(cookie)) == (200, True)
    # The session ends when the proxy names nobody, or somebody else.
    assert ask(behind_proxy, "127.0.0.2", "/me/", Cookie=cookie)[0] == 302


@pytest.mark.parametrize(
    ("peer", "headers"),
    [
        ("127.0.0.1", {"Remote__User": "kim"}),
        ("127.0.0.3", {"Remote__User": "kim"}),
        ("127.0.0.1", {"Remote_User": "kim"}),
        ("127.0.0.1", {"Memoryhub__Proxied__User": "kim"}),
        ("127.0.0.1", {"memoryhub_proxied_user": "kim"}),
        ("127.0.0.2", {"Memoryhub__Proxied__User": "kim"}),
        ("127.0.0.1", {"Remote__User": "kim", "X__Forwarded__For": "127.0.0.2"}),
        ("127.0.0.2", {"Remote__User": "operator"}),
        ("127.0.0.2", {"Remote__User": "kim", "Remote_User": "ann"}),
        ("127.0.0.2", {"Remote__User": ""}),
    ],
)
def test_nobody_else_signs_in_by_that_header(
    behind_proxy: str, peer: str, headers: dict[str, str]
) -> None:
    status, location, _ = ask(behind_proxy, peer, "/me/", **headers)

    assert (status, location) == (302, "/accounts/login/?next=/me/")
