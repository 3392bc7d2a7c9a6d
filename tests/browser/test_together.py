"""Several people at one hub in browsers: they see, assign and sign off together."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.axe import Axe, program
from tests.browser.hub import copy_hub, manage
from tests.browser.team import (
    PASSWORD,
    TEAM,
    sign_in,
    signed_in,
    team_hub,
    turn_on_app,
    virtual_key,
)
from tests.browser.test_accounts_axe import barriers
from tests.browser.watched import Watch

NAMES = ("ann", "bob")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("together")


@pytest.fixture(scope="module")
def team(imported_samples: Path, folder: Path) -> Iterator[str]:
    """Return the address of a team's hub, with ann and bob, who coordinate."""
    copy = copy_hub(imported_samples, folder)
    with team_hub(copy) as address:
        for name in (*NAMES, "mia"):
            add = ("person", "admin", name, "--password-stdin")
            manage(folder, *add, stdin=f"{PASSWORD}\n", **TEAM)
        yield address


@pytest.fixture
def visit(browser: Browser, team: str) -> Iterator[Callable[[], Page]]:
    watch = Watch(team, stranger=True, allowed=frozenset({"409"}))
    yield lambda: watch.page(browser, "light", 1440, reduced_motion="reduce")
    watch.close()


@pytest.fixture
def pages(visit: Callable[[], Page], team: str) -> list[Page]:
    """Return a browser of each person, signed in."""
    found = [visit() for _ in NAMES]
    for page, name in zip(found, NAMES, strict=True):
        signed_in(page, team, name)
    return found


def listening(page: Page, address: str) -> None:
    """Open a page, and wait until it listens to what changes."""
    with page.expect_response(re.compile(r"/live/\?")):
        page.goto(address)


def to_sign(page: Page, team: str) -> str:
    """Open the board; return the id of a task that waits for a sign-off."""
    listening(page, f"{team}/w/acme/handoffs/")
    card = page.locator(".hc.mine").first
    expect(card).to_be_visible()
    found = re.search(r"\d{8}-\d+", card.inner_text())
    assert found
    return found[0]


def test_one_persons_act_shows_on_the_others_open_page(
    pages: list[Page], team: str
) -> None:
    ann, bob = pages
    listening(bob, f"{team}/w/acme/timeline/")
    ann.goto(f"{team}/w/acme/decisions/new/")
    ann.get_by_label("Decision", exact=True).fill("Meet at noon")
    ann.get_by_label("Why", exact=True).fill("All are awake")
    ann.locator("form.wide button.pri").click()
    expect(ann.locator("main")).to_contain_text("Meet at noon")

    expect(bob.locator(".pill")).to_contain_text("new, show")
    bob.locator(".pill").click()

    expect(bob.locator("main")).to_contain_text("Meet at noon")
    expect(bob.locator("main")).to_contain_text("ann")


def test_of_two_who_sign_off_one_wins_and_the_other_is_told_by_whom(
    pages: list[Page], team: str
) -> None:
    task, _ = (to_sign(page, team) for page in pages)
    for page in pages:
        card = page.locator(".hc", has_text=task)
        card.get_by_role("link", name="Sign off").click()
        expect(page.locator("#act form")).to_be_visible()
    ann, bob = pages

    ann.locator("#act").get_by_role("button", name="Sign off").click()
    expect(ann.locator("#act")).to_be_hidden()
    bob.locator("#act").get_by_role("button", name="Sign off").click()

    expect(bob.locator("#act .conflict")).to_contain_text("signed off, ann")


def test_a_row_is_assigned_and_is_the_other_persons_own(
    pages: list[Page], team: str
) -> None:
    ann, bob = pages
    axe = Axe(program())
    ann.goto(f"{team}/w/acme/")
    row = ann.locator(".yours li").first
    title = row.locator("a").first.inner_text()
    row.get_by_role("link", name="Assign").click()
    expect(ann.locator("h1")).to_have_text("Assign")
    assert barriers(ann, axe, ann.url) == []
    ann.get_by_label("Waits for").select_option("bob")
    ann.get_by_role("button", name="Save").click()
    # At the begin of the line: narrow rows cut its end off.
    expect(row.locator("p")).to_have_text(re.compile("^waiting for bob"))
    assert barriers(ann, axe, f"{team}/w/acme/?turns=all") == []

    bob.goto(f"{team}/w/acme/")
    bob.get_by_role("link", name="Mine", exact=True).click()
    expect(bob.locator("main")).to_contain_text(title)
    assert barriers(bob, axe, f"{team}/w/acme/?turns=mine") == []
    ann.goto(f"{team}/w/acme/?turns=mine")
    expect(ann.locator("main")).not_to_contain_text(title)


def test_pages_of_second_factors_have_no_barriers(
    visit: Callable[[], Page], team: str
) -> None:
    page, axe = visit(), Axe(program())
    virtual_key(page)
    signed_in(page, team, "mia")
    turn_on_app(page)
    page.goto(f"{team}/me/")
    page.get_by_role("link", name="Add a passkey").click()
    page.get_by_label("Name").fill("Laptop")
    page.get_by_role("button", name="Add a passkey").click()
    expect(page.locator("#second-factor")).to_contain_text("Laptop")

    found = {}
    links = page.locator("#second-factor a[href]")
    addresses = {link.get_attribute("href") or "" for link in links.all()}
    assert {"codes", "remove"} <= {part for a in addresses for part in a.split("/")}
    for address in sorted({*addresses, "/me/", *_FACTORS}):
        found[address] = barriers(page, axe, team + address)
    page.context.clear_cookies()
    sign_in(page, team, "mia")
    expect(page.locator("h1")).to_have_text("Second factor")
    found["enter"] = barriers(page, axe, page.url)
    assert not {address: wrong for address, wrong in found.items() if wrong}


#: Pages of second factors, besides those that one's account links to.
_FACTORS = (
    "/accounts/second-factor/codes/new/",
    "/accounts/second-factor/confirm/",
    "/accounts/passkeys/confirm/",
)
