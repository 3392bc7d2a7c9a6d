"""People of a team sign in, protect their accounts, invite others, and end sessions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.hub import copy_hub
from tests.browser.team import (
    PASSWORD,
    code_for,
    confirm,
    person,
    sign_in,
    signed_in,
    team_hub,
    turn_on_app,
    virtual_key,
)
from tests.browser.watched import Watch


@pytest.fixture(scope="module")
def team_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the team's hub."""
    return tmp_path_factory.mktemp("team")


@pytest.fixture(scope="module")
def team(imported_samples: Path, team_folder: Path) -> Iterator[str]:
    """Return the address of a team's hub that the tests of this module change."""
    with team_hub(copy_hub(imported_samples, team_folder)) as address:
        yield address


@pytest.fixture
def visit(browser: Browser, team: str) -> Iterator[Callable[[], Page]]:
    """Return what opens a browser in which nobody is signed in."""
    watch = Watch(team, stranger=True, allowed=frozenset({"404", "429"}))
    yield lambda: watch.page(browser, "light", 1440)
    watch.close()


@pytest.fixture
def page(visit: Callable[[], Page]) -> Page:
    return visit()


def test_a_password_signs_in_and_leads_where_one_wanted_to_go(
    page: Page, team: str
) -> None:
    page.goto(f"{team}/w/acme/handoffs/")
    expect(page.locator("h1")).to_have_text("Sign in")

    page.get_by_label("User name or e-mail").fill("kim")
    page.get_by_label("Password").fill(PASSWORD)
    page.keyboard.press("Enter")

    expect(page).to_have_url(f"{team}/w/acme/handoffs/")


def test_five_wrong_passwords_lock_an_account_out_even_for_the_right_one(
    page: Page, team: str, team_folder: Path
) -> None:
    person(team_folder, "lee")
    for _ in range(5):
        sign_in(page, team, "lee", "wrong password")
        expect(page.get_by_role("alert").first).to_be_visible()

    sign_in(page, team, "lee")

    expect(page.get_by_role("alert").first).to_contain_text("Too many")


def test_an_app_protects_an_account_and_each_code_and_recovery_code_works_once(
    page: Page, visit: Callable[[], Page], team: str, team_folder: Path
) -> None:
    person(team_folder, "mia")
    signed_in(page, team, "mia")
    key = turn_on_app(page)
    recovery = page.locator("#codes li").first.inner_text()
    with page.expect_download() as loaded:
        page.get_by_role("link", name="Download").click()
    assert recovery in loaded.value.path().read_text().split()

    other = visit()
    sign_in(other, team, "mia")
    other.goto(f"{team}/w/acme/")
    expect(other.locator("h1")).to_have_text("Second factor")
    other.get_by_label("Code", exact=True).fill(recovery)
    other.get_by_role("button", name="Sign in", exact=True).click()
    expect(other.locator("h1")).to_have_text("Your account")

    third = visit()
    sign_in(third, team, "mia")
    third.get_by_label("Code", exact=True).fill(recovery)
    third.get_by_role("button", name="Sign in", exact=True).click()
    expect(third.locator("main")).to_contain_text("Incorrect code.")
    third.get_by_label("Code", exact=True).fill(code_for(key, later=1))
    third.get_by_role("button", name="Sign in", exact=True).click()
    expect(third.locator("h1")).to_have_text("Your account")


def test_a_passkey_is_added_and_signs_in_without_a_password(
    page: Page, team: str, team_folder: Path
) -> None:
    person(team_folder, "noa")
    virtual_key(page)
    signed_in(page, team, "noa")
    page.get_by_role("link", name="Add a passkey").click()
    confirm(page)
    page.get_by_label("Name").fill("Laptop")
    page.get_by_label("Sign in with it alone").check()
    page.get_by_role("button", name="Add a passkey").click()
    expect(page.locator("h1")).to_have_text("Recovery codes")
    page.goto(f"{team}/me/")
    expect(page.locator("#second-factor")).to_contain_text("Laptop")

    page.get_by_role("button", name="Sign out of this browser").click()
    expect(page.locator("h1")).to_have_text("Sign in")
    page.get_by_role("button", name="Sign in with a passkey").click()

    expect(page.locator("h1")).to_have_text("Your account")


def test_a_passkey_is_also_the_second_factor_of_a_password(
    page: Page, team: str, team_folder: Path
) -> None:
    person(team_folder, "ole")
    virtual_key(page, verifies=False)
    signed_in(page, team, "ole")
    page.get_by_role("link", name="Add a passkey").click()
    confirm(page)
    page.get_by_role("button", name="Add a passkey").click()
    expect(page.locator("h1")).to_have_text("Recovery codes")
    page.context.clear_cookies()

    sign_in(page, team, "ole")
    expect(page.locator("h1")).to_have_text("Second factor")
    page.get_by_role("button", name="Use a passkey").click()

    expect(page.locator("h1")).to_have_text("Your account")


def test_an_invitation_lets_one_person_in_with_its_role(
    page: Page, visit: Callable[[], Page], team: str
) -> None:
    signed_in(page, team)
    page.get_by_role("link", name="People").click()
    page.get_by_role("link", name="Invite").click()
    page.get_by_label("Name").fill("Ada Byron")
    page.get_by_label("Workspace").select_option("acme")
    page.get_by_label("Role").select_option(label="Viewer")
    page.get_by_role("button", name="Make a link").click()
    expect(page.locator("#link")).to_be_visible()
    link = page.locator("#link").inner_text()

    new = visit()
    new.goto(link)
    expect(new.locator("h1")).to_contain_text("Join")
    expect(new.get_by_label("Name", exact=True)).to_have_value("Ada Byron")
    new.get_by_label("User name").fill("Ada")
    new.get_by_label("Password", exact=True).fill("analytical engine 1843")
    new.get_by_label("Password again").fill("analytical engine 1843")
    new.get_by_role("button", name="Join").click()
    expect(new).to_have_url(f"{team}/w/acme/")

    late = visit()
    late.goto(link)
    expect(late.locator("h1")).to_have_text("This invitation is no longer valid")
    page.goto(f"{team}/accounts/people/")
    expect(page.locator("main")).to_contain_text("Ada Byron")
    page.get_by_role("link", name="Ada Byron").click()
    expect(page.get_by_label("Roles")).to_contain_text("Viewer")


def test_a_session_of_another_browser_is_listed_and_ended(
    page: Page, visit: Callable[[], Page], team: str, team_folder: Path
) -> None:
    person(team_folder, "pia")
    other = visit()
    signed_in(other, team, "pia")
    signed_in(page, team, "pia")
    sessions = page.locator("#sessions")
    expect(sessions.locator("li")).to_have_count(2)
    expect(sessions).to_contain_text(re.compile("Chrome on Linux"))

    page.get_by_role("button", name="End all others").click()

    expect(page.locator("#sessions li")).to_have_count(1)
    other.reload()
    expect(other.locator("h1")).to_have_text("Sign in")


def test_a_changed_password_signs_other_browsers_out_and_this_one_stays(
    page: Page, visit: Callable[[], Page], team: str, team_folder: Path
) -> None:
    person(team_folder, "sue")
    other = visit()
    for each in (other, page):
        signed_in(each, team, "sue")
    page.get_by_role("link", name="Change the password").click()
    page.get_by_label("Current Password").fill(PASSWORD)
    for label in ("New Password", "New Password (again)"):
        page.get_by_label(label, exact=True).fill("an entirely new one")
    page.get_by_role("button", name="Change", exact=True).click()

    expect(page.locator("h1")).to_have_text("Your account")
    expect(page.locator(".toast")).to_contain_text("Password changed")
    expect(page.locator("#sessions li")).to_have_count(1)
    other.reload()
    expect(other.locator("h1")).to_have_text("Sign in")


def test_a_deactivated_person_is_out_at_once_and_a_reset_link_works_once(
    page: Page, visit: Callable[[], Page], team: str, team_folder: Path
) -> None:
    person(team_folder, "rex")
    other = visit()
    signed_in(other, team, "rex")
    signed_in(page, team)
    page.goto(f"{team}/accounts/people/")
    page.get_by_role("link", name="rex").click()
    page.get_by_role("link", name="Deactivate…").click()
    page.get_by_role("button", name="Deactivate").click()
    expect(page.locator("main")).to_contain_text("deactivated")
    other.reload()
    expect(other.locator("h1")).to_have_text("Sign in")

    page.get_by_role("button", name="Activate").click()
    page.get_by_role("button", name="Link to set the password").click()
    expect(page.locator("#link")).to_be_visible()
    link = page.locator("#link").inner_text()
    other.goto(link)
    for number in range(2):
        field = other.locator("input[type=password]").nth(number)
        field.fill("an entirely new one")
    other.get_by_role("button", name="Set the password").click()
    expect(other.get_by_role("alert")).to_have_count(0)
    third = visit()
    third.goto(link)
    expect(third.locator("h1")).to_have_text("This link is no longer valid")
    sign_in(third, team, "rex", "an entirely new one")
    expect(third.locator("h1")).to_have_text("Your account")
