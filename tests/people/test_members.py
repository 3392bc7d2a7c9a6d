"""Members of a workspace and groups: pages and the command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from memoryhub.journal.models import Workspace
from memoryhub.people.models import Group, User
from memoryhub.people.rights import Role
from memoryhub.people.roles import grant, role_of
from tests.factories import small
from tests.people.team import browser_of, person
from tests.signing import signed_in

URL = "/w/acme/members/"


@pytest.fixture
def acme(
    db: None, hub_data: Path, workspace_root: Path, settings: Settings
) -> Workspace:
    settings.MEMORYHUB_TEAM = True
    return small(workspace_root)


@pytest.fixture
def admin(acme: Workspace) -> Client:
    return browser_of(person("ada", acme, "administrator"))


def test_an_administrator_gives_changes_and_takes_a_role(
    acme: Workspace, admin: Client
) -> None:
    zofia = person("zofia")

    assert admin.post(URL, {"name": "zofia", "role": "editor"}).status_code == 303
    assert role_of(zofia, acme) is Role.EDITOR
    assert "by ada" in admin.get(URL).content.decode()
    admin.post(f"{URL}person/{zofia.pk}/", {"role": "viewer"})
    assert role_of(zofia, acme) is Role.VIEWER
    admin.post(f"{URL}person/{zofia.pk}/", {"remove": "1"})
    assert role_of(zofia, acme) is None


@pytest.mark.parametrize("form", [{"remove": "1"}, {"role": "editor"}])
def test_the_last_administrator_stays(
    acme: Workspace, admin: Client, form: dict[str, str]
) -> None:
    ada = User.objects.get(username="ada")

    page = admin.post(f"{URL}person/{ada.pk}/", form, follow=True)

    assert "ada is the last administrator" in page.content.decode()
    assert role_of(ada, acme) is Role.ADMINISTRATOR


@pytest.mark.parametrize("way", ["emptied", "deleted", "deactivated", "command"])
def test_the_hub_leaves_a_workspace_its_last_administrator(
    acme: Workspace, way: str
) -> None:
    boss, uma = browser_of(person("boss", role="hub")), person("uma")
    group = Group.objects.create(name="crew")
    group.members.add(uma)
    grant(acme, group, Role.ADMINISTRATOR)
    forms = {
        "emptied": (f"/groups/{group.pk}/", {"name": "crew"}),
        "deleted": (f"/groups/{group.pk}/", {"delete": "1"}),
        "deactivated": (f"/accounts/people/{uma.pk}/deactivate/", {}),
    }

    def act() -> str:
        if way == "command":
            call_command("person", "deactivate", "uma")
            return ""
        url, form = forms[way]
        return boss.post(url, form, follow=True).content.decode()

    if way == "command":
        with pytest.raises(CommandError, match="uma is the last administrator of acme"):
            act()
    else:
        assert "is the last administrator of acme" in act()
    uma.refresh_from_db()
    assert uma.is_active and role_of(uma, acme) is Role.ADMINISTRATOR
    grant(acme, person("ada"), Role.ADMINISTRATOR)
    act()
    uma.refresh_from_db()
    assert role_of(uma, acme) is None


@pytest.mark.parametrize("name", ["nobody", "ada", "operator", ""])
def test_a_name_without_an_account_is_refused(admin: Client, name: str) -> None:
    assert admin.post(URL, {"name": name, "role": "viewer"}).status_code == 422


def test_others_see_the_members_without_forms(acme: Workspace) -> None:
    page = browser_of(person("yusuf", acme, "viewer")).get(URL).content.decode()

    assert "yusuf" in page and "Viewer" in page
    assert "Give a role" not in page and 'method="post"' not in page


def test_a_group_gives_its_people_a_role(acme: Workspace, admin: Client) -> None:
    boss, zofia = browser_of(person("boss", role="hub")), person("zofia")
    boss.post("/groups/", {"name": "crew", "members": [zofia.pk]})
    admin.post(URL, {"name": "crew", "role": "coordinator"})

    assert role_of(zofia, acme) is Role.COORDINATOR
    group = Group.objects.get()
    assert "Acme" in boss.get(f"/groups/{group.pk}/").content.decode()
    boss.post(f"/groups/{group.pk}/", {"name": "crew"})
    assert role_of(zofia, acme) is None
    boss.post(f"/groups/{group.pk}/", {"delete": "1"})
    assert not Group.objects.exists()


def test_a_row_of_the_members_page_costs_no_query(
    acme: Workspace, admin: Client
) -> None:
    def queries_with(number: int) -> int:
        for n in range(number):
            group = Group.objects.create(name=f"group-{number}-{n}")
            group.members.add(person(f"in-{number}-{n}"))
            grant(acme, group, Role.EDITOR)
            grant(acme, person(f"of-{number}-{n}"), Role.VIEWER)
        with CaptureQueriesContext(connection) as asked:
            assert f"in-{number}-0" in admin.get(URL).content.decode()
        return len(asked)

    queries_with(1)
    assert queries_with(3) == queries_with(20)


def test_the_command_lists_grants_and_withdraws(
    acme: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    zofia = person("zofia")
    Group.objects.create(name="crew")

    call_command("members", "grant", "zofia", "editor")
    call_command("members", "grant", "crew", "viewer", "--group")
    assert role_of(zofia, acme) is Role.EDITOR
    capsys.readouterr()
    call_command("members", "list", "--json")
    rows = json.loads(capsys.readouterr().out)
    assert [(r["name"], r["group"], r["role"]) for r in rows] == [
        ("zofia", False, "editor"),
        ("crew", True, "viewer"),
    ]
    call_command("members", "withdraw", "zofia")
    assert role_of(zofia, acme) is None
    for wrong in (["grant", "nobody", "editor"], ["withdraw", "zofia"]):
        with pytest.raises(CommandError):
            call_command("members", *wrong)


@pytest.mark.parametrize(
    "page", ["", "timeline/", "decisions/", "handoffs/", "files/", "health/"]
)
def test_a_page_costs_two_queries_more_at_most(
    acme: Workspace, settings: Settings, page: str
) -> None:
    def queries(client: Client) -> int:
        client.get(f"/w/acme/{page}")
        with CaptureQueriesContext(connection) as asked:
            client.get(f"/w/acme/{page}")
        return len(asked)

    team = queries(browser_of(person("zofia", acme, "editor")))
    settings.MEMORYHUB_TEAM = False
    assert team <= queries(signed_in()) + 2


def test_who_has_no_role_sees_an_empty_list_and_no_folders(acme: Workspace) -> None:
    page = browser_of(person("zofia")).get("/").content.decode()

    assert "No workspace yet" in page and "0 workspaces" in page
    assert acme.root not in page and 'method="post"' not in page
