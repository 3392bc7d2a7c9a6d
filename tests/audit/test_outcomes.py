"""The audit log calls nothing done that was not, and says which right was given."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client
from pytest_django import Settings

from memoryhub.accounts.services.persons import create_person
from memoryhub.audit import failures
from memoryhub.audit.models import AuditEntry
from memoryhub.journal.models import Workspace
from memoryhub.people.models import Group
from memoryhub.people.rights import Role
from memoryhub.people.roles import grant
from memoryhub.workspaces.services.adding import add_workspace
from tests.people.team import browser_of, person
from tests.signing import PageReader

PAGES = (
    "/w/acme/members/",
    "/w/acme/delete/",
    "/w/none/settings/",
    "/accounts/people/1/promote/",
    "/accounts/login/",
    "/accounts/second-factor/enter/",
    "/accounts/passkeys/login/",
    "/accounts/logout/",
)


@pytest.fixture(autouse=True)
def team(hub_data: Path, db: None, workspace_root: Path, settings: Settings) -> None:
    settings.MEMORYHUB_TEAM = True
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    add_workspace(workspace_root, slug="acme", name="Acme")
    AuditEntry.objects.all()._raw_delete("default")


def outcomes() -> set[str]:
    return set(AuditEntry.objects.values_list("outcome", flat=True))


@pytest.mark.parametrize("page", PAGES)
def test_what_a_stranger_sends_is_refused_and_cannot_fill_the_log(page: str) -> None:
    stranger = PageReader(headers={"accept": "text/html"})
    for _ in range(failures.MOST + 5):
        stranger.post(page, headers={"host": "localhost"})

    assert outcomes() == {"refused"}
    assert AuditEntry.objects.count() == failures.MOST


def test_an_export_that_a_stranger_asks_for_is_refused() -> None:
    PageReader(headers={"accept": "text/html"}).get("/w/acme/export/download/")

    assert outcomes() == {"refused"}


def test_a_form_of_an_account_that_is_shown_again_is_refused() -> None:
    browser = browser_of(create_person("lee", password="correct horse battery"))
    AuditEntry.objects.all()._raw_delete("default")

    form = {"oldpassword": "wrong", "password1": "long enough 7", "password2": "other"}
    browser.post("/accounts/password/", form)

    entry = AuditEntry.objects.get()
    assert (entry.action, entry.outcome) == ("account.change-password", "refused")


def test_secrets_of_another_workspace_are_not_recorded_as_shown() -> None:
    outsider: Client = browser_of(person("lee"))

    answer = outsider.get("/w/acme/files/MEMORY.md?show=secrets")

    assert answer.status_code == 404
    assert not AuditEntry.objects.filter(action="secrets.shown").exists()


def test_a_right_that_is_given_or_taken_is_named() -> None:
    boss = browser_of(person("boss", role="hub"))
    lee, crew = person("lee"), Group.objects.create(name="crew")
    grant(Workspace.objects.get(), crew, Role.EDITOR)
    AuditEntry.objects.all()._raw_delete("default")

    boss.post(f"/accounts/people/{lee.pk}/promote/")
    boss.post(f"/accounts/people/{lee.pk}/demote/")
    boss.post("/accounts/people/invite/", {"workspace": "acme", "role": 40, "days": 1})
    boss.post(f"/groups/{crew.pk}/", {"delete": "1"})

    rows = AuditEntry.objects.order_by("id").values_list("workspace", "subject")
    assert list(rows) == [
        ("", "lee hub administrator"),
        ("", "lee no hub administrator"),
        ("acme", "administrator"),
        ("", "crew deleted: acme editor"),
    ]
