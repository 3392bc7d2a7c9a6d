"""What each role opens, is offered and may send, in a browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.axe import Axe, program
from tests.browser.hub import copy_hub, manage
from tests.browser.team import PASSWORD, TEAM, signed_in, team_hub
from tests.browser.test_accounts_axe import barriers
from tests.browser.watched import Watch

#: Roles from the lowest; who has none, and who runs the hub.
ROLES = ("none", "viewer", "editor", "coordinator", "administrator", "hub")
#: Least role that opens a page.
PAGES = {
    "/w/acme/": "viewer",
    "/w/acme/timeline/": "viewer",
    "/w/acme/members/": "viewer",
    "/w/acme/export/": "viewer",
    "/w/acme/decisions/new/": "editor",
    "/w/acme/handoffs/new/": "coordinator",
    "/w/acme/tokens/": "coordinator",
    "/w/acme/settings/": "administrator",
    "/w/acme/audit/": "administrator",
    "/w/acme/forget/": "administrator",
    "/accounts/people/": "hub",
    "/groups/": "hub",
    "/audit/": "hub",
    "/imports/new/": "hub",
}
#: Least role that may send a form.
FORMS = {
    "/w/acme/comments/new/": "editor",
    "/w/acme/decisions/new/": "editor",
    "/w/acme/handoffs/new/": "coordinator",
    "/w/acme/tokens/": "coordinator",
    "/w/acme/export/": "coordinator",
    "/w/acme/members/": "administrator",
    "/w/acme/settings/": "administrator",
    "/w/acme/forget/": "administrator",
    "/w/acme/delete/": "administrator",
    "/groups/": "hub",
    "/imports/new/": "hub",
}
_PEOPLE = """
from memoryhub.accounts.services.persons import create_person
from memoryhub.journal.models import Workspace
from memoryhub.people.rights import Role
from memoryhub.people.roles import grant
for role in {roles}:
    made = create_person(f"x-{{role}}", password="{password}")
    if given := Role.of_word(role):
        grant(Workspace.objects.get(slug="acme"), made, given)
"""
_ADDRESSES = "links => links.map(one => one.getAttribute('href').split('?')[0])"
_SENT = """
async ([address, token]) => {
  const body = new URLSearchParams({csrfmiddlewaretoken: token});
  const answer = await fetch(address, {method: "POST", body, redirect: "manual"});
  return answer.status;
}
"""


@pytest.fixture(scope="module")
def team(
    imported_samples: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """Return the address of a team's hub with a person of each role in acme."""
    folder = copy_hub(imported_samples, tmp_path_factory.mktemp("roles"))
    with team_hub(folder) as address:
        made = _PEOPLE.format(roles=ROLES[:-1], password=PASSWORD)
        manage(folder, "shell", "-c", made, **TEAM)
        yield address


@pytest.fixture(params=ROLES)
def role(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def page(browser: Browser, team: str, role: str) -> Iterator[Page]:
    """Return a page in which a person of the role is signed in."""
    watch = Watch(team, stranger=True, allowed=frozenset({"403", "404", "422"}))
    found = watch.page(browser, "light", 1440, reduced_motion="reduce")
    signed_in(found, team, "kim" if role == "hub" else f"x-{role}")
    yield found
    watch.close()


def is_enough(role: str, least: str) -> bool:
    return ROLES.index(role) >= ROLES.index(least)


def refusal(role: str, address: str) -> int:
    return 404 if role == "none" and address.startswith("/w/") else 403


def test_a_role_opens_its_pages_and_is_offered_no_others(
    page: Page, team: str, role: str
) -> None:
    found, offered = {}, set()
    for address in PAGES:
        answer = page.goto(team + address)
        assert answer
        found[address] = answer.status
        offered |= set(page.locator("a[href^='/']").evaluate_all(_ADDRESSES))

    wanted = {
        address: 200 if is_enough(role, least) else refusal(role, address)
        for address, least in PAGES.items()
    }
    assert found == wanted
    assert not [one for one in offered if wanted.get(one, 200) != 200]


def test_a_role_sends_no_form_of_a_higher_one(page: Page, team: str, role: str) -> None:
    token = page.locator("[name=csrfmiddlewaretoken]").first.input_value()
    beyond = [one for one, least in FORMS.items() if not is_enough(role, least)]

    answers = {one: page.evaluate(_SENT, [team + one, token]) for one in beyond}

    assert answers == {one: refusal(role, one) for one in beyond}
    assert page.evaluate(_SENT, [f"{team}/accounts/name/", token]) in (0, 422)


@pytest.mark.parametrize("role", ["viewer"], indirect=True)
def test_the_refusal_has_no_barriers_and_says_what_helps(page: Page, team: str) -> None:
    axe = Axe(program())
    for address in ("/w/acme/settings/", "/accounts/people/"):
        assert barriers(page, axe, team + address) == [], address
        expect(page.locator("h1")).to_have_text("Your role does not allow this")
    page.set_extra_http_headers({"Accept-Language": "zh-CN"})
    page.goto(f"{team}/w/acme/settings/")
    expect(page.locator("h1")).to_have_text("您的角色不允许这样做")
