"""A person leaves the team: what hangs on the account, and who gets it."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from memoryhub.comments.models import Thread
from memoryhub.comments.services import Author, line_place, open_thread
from memoryhub.handoffs.queries.agents import able_signers
from memoryhub.journal.models import Workspace
from memoryhub.journal.scopes import Scope
from memoryhub.people.models import AccessToken, TurnAssignment, User
from memoryhub.people.rights import Role
from memoryhub.people.roles import grant
from memoryhub.people.services.tokens import (
    NewToken,
    make_token,
    scopes_now,
    token_with,
)
from tests.factories import make_workspace_row, small
from tests.people.team import browser_of, person
from tests.workspaces.test_settings import SENT


@pytest.fixture
def acme(
    db: None, hub_data: Path, workspace_root: Path, settings: Settings
) -> Workspace:
    settings.MEMORYHUB_TEAM = True
    return small(workspace_root)


@pytest.fixture
def cora(acme: Workspace) -> User:
    """Return a coordinator who is the only signer, is asked, and made a token."""
    made = person("cora", acme, "coordinator")
    acme.signers = ["cora"]
    acme.save(update_fields=["signers"])
    TurnAssignment.objects.create(
        workspace=acme, key="0" * 64, person=made, by="kim", at=timezone.now()
    )
    place = line_place(acme, "MEMORY.md", 1)
    open_thread(acme, place, "Is that so, @cora?", Author("ada", timezone.now()))
    return made


@pytest.fixture
def token(acme: Workspace, cora: User) -> NewToken:
    new = make_token(acme, "builder", [Scope.READ])
    AccessToken.objects.update(maker=cora)
    return new


@pytest.fixture
def boss(acme: Workspace) -> Client:
    return browser_of(person("boss", role="hub"))


def leave(boss: Client, cora: User, heir: str = "") -> str:
    address = f"/accounts/people/{cora.pk}/deactivate/"
    return boss.post(address, {"heir": heir}, follow=True).content.decode()


def test_the_page_before_says_what_hangs_on_the_person(
    boss: Client, cora: User, token: NewToken
) -> None:
    page = boss.get(f"/accounts/people/{cora.pk}/deactivate/").content.decode()

    for words in ("builder", "1 comment", "1 row of Your turn", "only signer"):
        assert words in page
    assert cora.is_active and User.objects.get(pk=cora.pk).is_active


def test_a_workspace_where_nothing_hangs_on_the_person_is_not_named(
    acme: Workspace, boss: Client
) -> None:
    rolf = person("rolf", acme, "editor")

    page = boss.get(f"/accounts/people/{rolf.pk}/deactivate/").content.decode()

    assert "Nothing: no token" in page and "Hand it over to" not in page
    assert acme.name not in page.partition("<main")[2]


def test_who_takes_over_gets_all_that_they_may_have(
    acme: Workspace, boss: Client, cora: User, token: NewToken
) -> None:
    dora = person("dora", acme, "coordinator")

    leave(boss, cora, "dora")

    acme.refresh_from_db()
    assert not User.objects.get(pk=cora.pk).is_active
    assert acme.signers == ["dora"]
    assert Thread.objects.get().waits_for == ["dora"]
    assert TurnAssignment.objects.get().person == dora
    assert [row.maker for row in token_with(token.secret)] == [dora]


def test_who_has_no_role_or_too_low_a_one_is_no_successor(
    acme: Workspace, boss: Client, cora: User, token: NewToken
) -> None:
    person("edi", acme, "editor")
    person("sam", make_workspace_row("ops"), "coordinator")
    person("dora", acme, "coordinator")
    address = f"/accounts/people/{cora.pk}/deactivate/"

    page = boss.get(address).content.decode()

    for name in ("edi", "sam", "cora", "nobody-at-all"):
        assert f'value="{name}"' not in page
        assert boss.post(address, {"heir": name}).status_code == 404
        with pytest.raises(CommandError, match=name):
            call_command("person", "deactivate", "cora", heir=name)
    assert 'value="dora"' in page
    assert User.objects.get(pk=cora.pk).is_active


def test_a_token_that_is_handed_over_can_do_no_more_than_before(
    acme: Workspace, boss: Client, cora: User
) -> None:
    new = make_token(acme, "builder", list(Scope))
    AccessToken.objects.update(maker=cora)
    person("ada", acme, "administrator")

    leave(boss, cora, "ada")

    [row] = token_with(new.secret)
    assert Scope.ADMIN not in scopes_now(row) and Scope.MEMORY in scopes_now(row)


def test_a_token_that_somebody_else_rotates_can_do_no_more_than_before(
    acme: Workspace, boss: Client, cora: User
) -> None:
    old = make_token(acme, "builder", list(Scope))
    AccessToken.objects.update(maker=cora)
    grant(acme, cora, Role.VIEWER)
    old.row.refresh_from_db()
    before = scopes_now(old.row)

    boss.post("/w/acme/tokens/rotate/", {"token": old.row.prefix})

    row = AccessToken.objects.exclude(prefix=old.row.prefix).get()
    assert str(row.maker) == "boss" and scopes_now(row) == before


@pytest.mark.parametrize("chosen", [["dora"], []])
def test_the_last_signer_stays_ticked_until_one_save_chooses_others_or_all(
    acme: Workspace, boss: Client, cora: User, chosen: list[str]
) -> None:
    person("dora", acme, "coordinator")
    leave(boss, cora)

    page = boss.get("/w/acme/settings/").content.decode()
    ticked = re.findall(r'name="signers" value="(\w+)"[^>]* checked', page)
    assert ticked == ["cora"] and "cora (cannot sign off any more)" in page
    boss.post("/w/acme/settings/", {**SENT, "name": "Acme", "signers": ticked})
    acme.refresh_from_db()
    assert acme.name == "Acme" and able_signers(acme) == set()

    boss.post("/w/acme/settings/", {**SENT, "signers": chosen})
    acme.refresh_from_db()
    assert acme.signers == chosen and "dora" in able_signers(acme)
    page = boss.get("/w/acme/settings/").content.decode()
    assert 'name="signers" value="cora"' not in page


def test_without_a_successor_nothing_waits_for_the_person(
    acme: Workspace, boss: Client, cora: User, token: NewToken
) -> None:
    leave(boss, cora)

    page = boss.get("/w/acme/").content.decode()
    assert "asks you in a comment" in page and "waiting for cora" not in page
    assert not TurnAssignment.objects.exists()
    assert "Waits for cora" not in boss.get("/w/acme/comments/").content.decode()


def test_a_token_is_listed_as_it_answers(
    boss: Client, cora: User, token: NewToken, capsys: pytest.CaptureFixture[str]
) -> None:
    leave(boss, cora)

    page = boss.get("/w/acme/tokens/").content.decode()
    assert "Orphaned" in page and "Valid<" not in page
    call_command("token", "list")
    assert "orphaned, refused" in capsys.readouterr().out
    assert "deactivated" in boss.get("/w/acme/members/").content.decode()


def test_health_says_when_nobody_can_sign(
    acme: Workspace, boss: Client, cora: User
) -> None:
    words = "Nobody can sign decisions off"
    assert words not in boss.get("/w/acme/health/").content.decode()

    leave(boss, cora)

    page = boss.get("/w/acme/health/").content.decode()
    assert words in page and "No issue" not in page and "1 fault of the hub" in page


def test_health_tells_members_what_they_can_mend(
    acme: Workspace, boss: Client, cora: User, token: NewToken
) -> None:
    person("ada", acme, "administrator")
    leave(boss, cora, "")
    soon = timezone.now() + timedelta(days=2)
    AccessToken.objects.update(expires_at=soon, maker=None)

    for role, tokens in (("ada", True), ("vera", False)):
        who = User.objects.filter(username=role).first()
        who = who or person(role, acme, "viewer")
        page = browser_of(who).get("/w/acme/health/").content.decode()
        assert "Nobody can sign decisions off" in page
        assert ("The token of builder ends soon" in page) is tokens
        assert ('href="/w/acme/settings/">Open' in page) is tokens
        assert "backup" not in page.partition("This hub")[2].partition("</section")[0]


def test_signers_are_chosen_among_members_who_may_sign(
    acme: Workspace, cora: User
) -> None:
    other = make_workspace_row("ops")
    person("sam", other, "coordinator")
    person("vera", acme, "viewer")
    ada = browser_of(person("ada", acme, "administrator"))

    for address in ("settings", "members"):
        assert "sam" not in ada.get(f"/w/acme/{address}/").content.decode()
    page = ada.get("/w/acme/settings/").content.decode()
    for name, offered in (("cora", True), ("ada", True), ("vera", False)):
        assert (f'name="signers" value="{name}"' in page) is offered
