"""A row of Your turn is assigned to a person: everybody sees it, one is notified."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.test import Client
from pytest_django import Settings

from memoryhub.audit.models import AuditEntry
from memoryhub.dialects.handoff import Task
from memoryhub.handoffs.services.sending import send
from memoryhub.journal.models import Workspace
from memoryhub.people.models import TurnAssignment, User
from memoryhub.sync.record.projection import rebuild
from memoryhub.workspaces.services.adding import add_workspace
from tests.handoffs.sides import by
from tests.notices.channel import chat
from tests.notices.test_team_channels import feed_of, heard
from tests.people.team import browser_of, person
from tests.signing import signed_in

pytestmark = pytest.mark.django_db
NAMES = ("zofia", "yusuf")


@pytest.fixture
def acme(hub_data: Path, workspace_root: Path, settings: Settings) -> Workspace:
    settings.MEMORYHUB_TEAM, settings.MEMORYHUB_CHANNELS_PRIVATE = True, True
    made = add_workspace(workspace_root, slug="acme", name="Acme")
    for title in ("Use events", "Paint it"):
        task = Task("", "", "builder", "decision", title, "Why polling is slow")
        send(made, task, by("planner"))
    return made


@pytest.fixture
def people(acme: Workspace) -> dict[str, User]:
    return {name: person(name, acme, "coordinator") for name in NAMES}


def assign_address(browser: Client) -> str:
    """Return where the row of "Use events" is assigned."""
    page = browser.get("/w/acme/").content.decode()
    row = page.partition("Sign off: Use events</a>")[2]
    found = re.search(r'href="(/w/acme/turns/\w+/)"', row)
    assert found
    return found[1]


def assign(browser: Client, name: str) -> int:
    return browser.post(assign_address(browser), {"person": name}).status_code


def test_all_see_for_whom_a_row_waits_and_mine_has_ones_own(
    people: dict[str, User],
) -> None:
    browsers = {name: browser_of(who) for name, who in people.items()}
    assert assign(browsers["yusuf"], "zofia") == 303

    for name, mine in (("zofia", True), ("yusuf", False)):
        page = browsers[name].get("/w/acme/").content.decode()
        assert page.count("waiting for zofia") == 1 and "Sign off: Paint it" in page
        own = browsers[name].get("/w/acme/?turns=mine").content.decode()
        assert ("Sign off: Use events" in own) is mine
        assert "Sign off: Paint it" not in own
    row = TurnAssignment.objects.get()
    assert (row.person.username, row.by) == ("zofia", "yusuf")
    entry = AuditEntry.objects.get(action="turn.assigned")
    assert (entry.actor, entry.subject) == ("yusuf", "zofia")


def test_channels_and_feeds_of_others_leave_it_out(people: dict[str, User]) -> None:
    assign(browser_of(people["yusuf"]), "zofia")
    with chat() as one, chat() as other:
        got = heard(people, dict(zip(NAMES, (one, other), strict=True)))

    for found in (got, {name: feed_of(who) for name, who in people.items()}):
        assert ["Use events" in found[name] for name in NAMES] == [True, False]
        assert ["Paint it" in found[name] for name in NAMES] == [True, True]


def test_it_outlives_a_rebuild_is_changed_and_ended(
    acme: Workspace, people: dict[str, User]
) -> None:
    browser = browser_of(people["yusuf"])
    assign(browser, "zofia")
    acme.refresh_from_db()
    rebuild(acme)
    assert "waiting for zofia" in browser.get("/w/acme/").content.decode()

    assign(browser, "yusuf")
    assert "waiting for yusuf" in browser.get("/w/acme/").content.decode()
    assign(browser, "")
    assert "waiting for" not in browser.get("/w/acme/").content.decode()


def test_only_members_are_chosen_and_only_editors_choose(
    acme: Workspace, people: dict[str, User]
) -> None:
    person("stranger")
    viewer = browser_of(person("vera", acme, "viewer"))
    address = assign_address(browser_of(people["yusuf"]))

    assert (
        browser_of(people["yusuf"]).post(address, {"person": "stranger"}).status_code
        == 404
    )
    assert viewer.post(address, {"person": "vera"}).status_code == 403
    assert "/w/acme/turns/" not in viewer.get("/w/acme/").content.decode()
    assert viewer.get("/w/acme/turns/abc/").status_code == 403
    assert not TurnAssignment.objects.exists()


def test_on_ones_own_machine_nothing_is_assigned(
    acme: Workspace, settings: Settings
) -> None:
    settings.MEMORYHUB_TEAM = False
    page = signed_in().get("/w/acme/").content.decode()

    assert "Sign off: Use events" in page and "/w/acme/turns/" not in page
