"""Invitations work once, for a while, and give no more than they offer."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from memoryhub.accounts.models import Invitation
from memoryhub.accounts.services.invitations import (
    Offer,
    accept,
    invitation_with,
    invite,
)
from memoryhub.accounts.services.persons import (
    create_person,
    set_active,
    set_hub_administrator,
)
from memoryhub.audit import failures
from memoryhub.audit.models import AuditEntry
from memoryhub.errors.base import ToolError
from memoryhub.people.models import User
from memoryhub.people.rights import Role
from memoryhub.people.roles import grant, role_of, withdraw
from memoryhub.web.kit.masked_log import MaskedLog
from tests.accounts.conftest import PASSWORD
from tests.conftest import MakeWorkspace

JOINING = {"username": "ada", "password": PASSWORD, "again": PASSWORD}


def test_who_joins_has_the_role_of_the_invitation_and_is_signed_in(
    browser: Client, make_workspace: MakeWorkspace, workspace_root: Path, kim: User
) -> None:
    acme = make_workspace(workspace_root)
    new = invite(Offer(acme, Role.COORDINATOR), kim)

    answer = browser.post(f"/accounts/join/{new.secret}/", JOINING)

    assert (answer.status_code, answer["Location"]) == (302, f"/w/{acme.slug}/")
    ada = User.objects.get(username="ada")
    assert role_of(ada, acme) == Role.COORDINATOR
    assert not ada.hub_administrator
    assert browser.get("/me/").status_code == 200


@pytest.mark.parametrize("way", ["used", "late", "revoked", "made up"])
def test_a_link_that_is_over_shows_no_form_and_creates_nobody(
    browser: Client, kim: User, way: str
) -> None:
    new = invite(Offer(), kim)
    if way == "used":
        accept(new.row, kim)
    elif way == "late":
        Invitation.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    elif way == "revoked":
        new.row.delete()
    secret = "made-up" if way == "made up" else new.secret

    for method in (browser.get, browser.post):
        answer = method(f"/accounts/join/{secret}/", JOINING)
        assert answer.status_code == 404
        assert "no longer valid" in answer.content.decode()
    assert not User.objects.filter(username="ada").exists()


def test_of_two_who_use_a_link_at_once_one_joins_and_the_other_leaves_no_account(
    browser: Client, kim: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    new = invite(Offer(), kim)
    stale = invitation_with(new.secret)
    accept(new.row, kim)
    # As if the other request had read the invitation before.
    place = "memoryhub.web.accounts.pages.invitation_with"
    monkeypatch.setattr(place, lambda secret: stale)

    answer = browser.post(f"/accounts/join/{new.secret}/", JOINING)

    assert answer.status_code == 404
    assert not User.objects.filter(username="ada").exists()


def test_the_database_has_no_secret_of_an_invitation(kim: User) -> None:
    new = invite(Offer(), kim)
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM accounts_invitation")
        row = repr(cursor.fetchall())

    assert new.secret not in row and new.row.sha256 in row


def test_somebody_with_a_higher_role_keeps_it(
    make_workspace: MakeWorkspace, workspace_root: Path, kim: User
) -> None:
    acme, lee = make_workspace(workspace_root), create_person("lee")
    grant(acme, lee, Role.ADMINISTRATOR)

    accept(invite(Offer(acme, Role.VIEWER), kim).row, lee)

    assert role_of(lee, acme) == Role.ADMINISTRATOR


def test_who_is_signed_in_joins_as_oneself(
    kims: Client, kim: User, make_workspace: MakeWorkspace, workspace_root: Path
) -> None:
    acme = make_workspace(workspace_root)
    path = f"/accounts/join/{invite(Offer(acme, Role.VIEWER), None).secret}/"

    assert "You are signed in as Kim Park." in kims.get(path).content.decode()
    assert kims.post(path)["Location"] == f"/w/{acme.slug}/"
    assert User.objects.exclude(pk=kim.pk).exclude(username="operator").count() == 0


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("username", "KIM", "or another"),
        ("username", "operator", "or another"),
        ("username", "k\u0456m", "or another"),
        ("username", "a/b", "or another"),
        ("password", "short", "too short"),
        ("password", "password1234", "too common"),
        ("password", "1234567890123", "entirely numeric"),
        ("again", "something else", "differ"),
        ("email", "kim@example.org", "Another person"),
    ],
)
def test_what_is_wrong_with_a_new_account_is_said(
    browser: Client, kim: User, field: str, value: str, words: str
) -> None:
    lee = create_person("lee", email="kim@example.org")
    new = invite(Offer(), kim)
    form = {**JOINING, field: value}
    form |= {"again": value} if field == "password" else {}

    answer = browser.post(f"/accounts/join/{new.secret}/", form)

    assert answer.status_code == 422
    assert words in answer.content.decode()
    assert set(User.objects.exclude(username="operator")) == {kim, lee}


def test_no_user_name_is_the_address_of_another_person(
    browser: Client, kim: User
) -> None:
    create_person("lee", email="lee@example.org")
    create_person("ann@example.org")
    link = f"/accounts/join/{invite(Offer(), kim).secret}/"

    for form in ({"username": "Lee@example.org"}, {"email": "ann@example.org"}):
        assert browser.post(link, {**JOINING, **form}).status_code == 422


def test_an_invitation_cannot_be_accepted_twice(kim: User) -> None:
    new = invite(Offer(), kim)
    accept(new.row, kim)

    with pytest.raises(ToolError, match="invitation-used"):
        accept(new.row, create_person("lee"))


@pytest.mark.parametrize("way", ["deactivated", "demoted", "withdrawn"])
def test_an_invitation_gives_no_more_than_its_maker_still_may(
    browser: Client,
    kim: User,
    make_workspace: MakeWorkspace,
    workspace_root: Path,
    way: str,
) -> None:
    acme = make_workspace(workspace_root)
    lee = create_person("lee", hub_administrator=way != "withdrawn")
    grant(acme, kim, Role.ADMINISTRATOR)
    if way == "withdrawn":
        grant(acme, lee, Role.ADMINISTRATOR)
    offers = [Offer(acme, Role.ADMINISTRATOR)]
    if lee.hub_administrator:
        offers = [Offer(hub_administrator=True), Offer(), *offers]
    links = [f"/accounts/join/{invite(offer, lee).secret}/" for offer in offers]
    open_by_then = [browser.get(link).status_code for link in links]

    if way == "deactivated":
        set_active(lee, active=False, by="kim")
    elif way == "demoted":
        set_hub_administrator(lee, wanted=False, by="kim")
    else:
        withdraw(acme, lee)

    assert set(open_by_then) == {200}
    for link in links:
        assert browser.post(link, JOINING).status_code == 404
    assert not User.objects.filter(username="ada").exists()


def test_a_secret_of_a_link_is_in_no_log(
    browser: Client,
    kim: User,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(failures, "_MINUTE_NOW", failures._Minute())
    secret = invite(Offer(), kim).secret
    browser.post(f"/accounts/join/{secret}/", JOINING | {"again": "another"})

    rows = AuditEntry.objects.filter(action="account.invitation-used")
    assert [row.subject for row in rows] == ["/accounts/join/…/"]
    for record in caplog.records:
        MaskedLog().filter(record)
    assert "/accounts/join/…/" in str([one.msg for one in caplog.records])
    assert secret not in str([one.msg for one in caplog.records])
