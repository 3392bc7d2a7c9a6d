"""Pages of accounts have no barriers, fit narrow screens, and are read in Chinese."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.axe import Axe, program
from tests.browser.hub import copy_hub, manage
from tests.browser.team import PASSWORD, TEAM, signed_in, team_hub
from tests.browser.watched import Watch
from tests.openid import openid_provider

STRANGERS = (
    "login/",
    "signup/",
    "inactive/",
    "password/reset/",
    "password/reset/sent/",
    "password/reset/1-abc/",
    "email/abc/",
    "provider/cancelled/",
    "provider/error/",
    "join/abc/",
)
PEOPLE = (
    "/me/",
    "/groups/",
    "/w/acme/members/",
    "/accounts/logout/",
    "/accounts/password/",
    "/accounts/provider/",
    "/accounts/people/",
    "/accounts/people/invite/",
    "/accounts/confirm/",
    "/accounts/second-factor/app/",
    "/accounts/passkeys/add/",
)
#: A text without a word of Chinese; names stand in every language.
_ENGLISH = re.compile(
    r"(?!(?:acme|kim|nasty)\b)[^\u4e00-\u9fff]*[A-Za-z]{3}[^\u4e00-\u9fff]*"
)
_WIDER = "document.documentElement.scrollWidth > innerWidth"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("team")


@pytest.fixture(scope="module")
def team(imported_samples: Path, folder: Path) -> Iterator[str]:
    """Return the address of a team's hub with a provider and an open invitation."""
    with openid_provider() as provider:
        copy = copy_hub(imported_samples, folder)
        with team_hub(copy, **provider.settings()) as address:
            yield address


@pytest.fixture
def page(browser: Browser, team: str) -> Iterator[Page]:
    watch = Watch(team, stranger=True, allowed=frozenset({"401", "404"}))
    yield watch.page(browser, "light", 1440, reduced_motion="reduce")
    watch.close()


def barriers(page: Page, axe: Axe, address: str) -> list[object]:
    """Return the barriers of a page in both themes, wide and narrow."""
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(address)
    axe.begin(page)
    found: list[object] = [
        *axe.all_of(page, "light", 1440),
        *axe.look_of(page, "dark", 1440),
    ]
    page.set_viewport_size({"width": 390, "height": 844})
    found += axe.other_of(page, "light", 390)
    return [*found, "wider than the screen"] if page.evaluate(_WIDER) else found


def invited(folder: Path, team: str) -> str:
    command = ("person", "invite", "Ada", "--workspace", "acme")
    return team + urlsplit(manage(folder, *command, **TEAM).strip()).path


def test_pages_for_strangers_have_no_barriers(
    page: Page, team: str, folder: Path
) -> None:
    axe = Axe(program())
    every = [f"{team}/accounts/{path}" for path in STRANGERS]
    for address in [*every, invited(folder, team)]:
        assert barriers(page, axe, address) == [], address


def test_pages_of_people_have_no_barriers(page: Page, team: str, folder: Path) -> None:
    axe = Axe(program())
    manage(folder, "members", "grant", "kim", "editor", "--workspace", "acme", **TEAM)
    signed_in(page, team)
    for path in PEOPLE[:-2]:
        assert barriers(page, axe, team + path) == [], path
    page.goto(f"{team}/accounts/people/")
    page.get_by_role("link", name="kim", exact=True).click()
    expect(page.locator("h1")).to_contain_text("kim")
    assert barriers(page, axe, page.url) == []
    page.goto(team + PEOPLE[-2])
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Confirm").click()
    for path in PEOPLE[-2:]:
        assert barriers(page, axe, team + path) == [], path


@pytest.mark.parametrize(
    ("locale", "heading"), [("en", "Too many attempts"), ("zh-CN", "尝试次数过多")]
)
def test_an_address_with_many_wrong_passwords_is_locked_out_by_a_page_of_the_hub(
    browser: Browser, team: str, locale: str, heading: str
) -> None:
    watch = Watch(team, stranger=True, allowed=frozenset({"429"}))
    peer = {"X-Forwarded-For": f"192.0.2.{len(locale)}"}
    named = {"locale": locale, "extra_http_headers": peer, "reduced_motion": "reduce"}
    page = watch.page(browser, "light", 1440, **named)
    page.goto(f"{team}/accounts/login/")
    for number in range(40):
        page.locator("#id_login").fill(f"person-{number}")
        page.locator("#id_password").fill("guessed")
        page.locator("#id_password").press("Enter")
        page.wait_for_load_state()
        if page.locator("h1", has_text=heading).count():
            break

    expect(page.locator("h1")).to_have_text(heading)
    axe = Axe(program())
    axe.begin(page)
    assert axe.all_of(page, "light", 1440) == axe.look_of(page, "dark", 1440) == []
    watch.close()


def test_pages_are_in_chinese_and_the_keyboard_alone_signs_in(
    browser: Browser, team: str
) -> None:
    watch = Watch(team, stranger=True, allowed=frozenset({"401", "404"}))
    page = watch.page(browser, "dark", 390, locale="zh-CN")
    page.goto(f"{team}/me/")
    expect(page.locator("h1")).to_have_text("登录")
    for text in ("kim", PASSWORD):
        page.keyboard.type(text)
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")

    expect(page.locator("h1")).to_have_text("您的账户")
    expect(page.locator("#sessions")).to_contain_text("Linux 上的 Chrome")
    for path in (*STRANGERS, *PEOPLE):
        page.goto(f"{team}{path if path.startswith('/') else f'/accounts/{path}'}")
        found = page.locator("h1, label, main button, .hint").all_inner_texts()
        assert not [text for text in found if _ENGLISH.fullmatch(text)], path
    watch.close()
