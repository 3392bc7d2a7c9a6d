"""Roles of people and groups in workspaces."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone
from pytest_django import Settings

from memoryhub.errors.base import ToolError
from memoryhub.journal.models import Workspace
from memoryhub.people.models import Group, Membership, User
from memoryhub.people.rights import LEAST, OF_THE_HUB, Right, Role, allows
from memoryhub.people.roles import grant, members_of, role_of, withdraw, workspaces_of
from memoryhub.workspaces.services.adding import add_workspace


@pytest.fixture
def acme(db: None, hub_data: Path, tmp_path: Path, settings: Settings) -> Workspace:
    settings.MEMORYHUB_TEAM = True
    return _workspace(tmp_path, "acme")


def _workspace(folder: Path, name: str) -> Workspace:
    (folder / name).mkdir()
    return add_workspace(folder / name, slug=name)


def _person(name: str) -> User:
    return User.objects.create_user(name)


def test_a_person_has_the_highest_of_own_and_groups_roles(acme: Workspace) -> None:
    zofia, crew, guests = _person("zofia"), Group(name="crew"), Group(name="guests")
    for group in (crew, guests):
        group.save()
        group.members.add(zofia)
    assert role_of(zofia, acme) is None

    grant(acme, guests, Role.VIEWER)
    assert role_of(zofia, acme) is Role.VIEWER
    grant(acme, zofia, Role.EDITOR)
    grant(acme, crew, Role.COORDINATOR)
    assert role_of(zofia, acme) is Role.COORDINATOR
    withdraw(acme, crew)
    assert role_of(zofia, acme) is Role.EDITOR


def test_a_role_is_for_one_workspace(acme: Workspace, tmp_path: Path) -> None:
    zofia, other = _person("zofia"), _workspace(tmp_path, "other")
    grant(acme, zofia, Role.ADMINISTRATOR)

    assert role_of(zofia, other) is None
    assert workspaces_of(zofia) == [acme]
    assert set(workspaces_of(User(hub_administrator=True))) == {acme, other}


def test_who_has_left_the_team_has_no_role(acme: Workspace) -> None:
    zofia = _person("zofia")
    grant(acme, zofia, Role.EDITOR)
    zofia.is_active = False

    assert role_of(zofia, acme) is None and workspaces_of(zofia) == []


def test_without_team_mode_the_operator_may_do_everything(
    acme: Workspace, settings: Settings
) -> None:
    settings.MEMORYHUB_TEAM = False

    assert role_of(_person("operator"), acme) is Role.ADMINISTRATOR


def test_the_last_administrator_stays(acme: Workspace) -> None:
    zofia, crew = _person("zofia"), Group.objects.create(name="crew")
    grant(acme, zofia, Role.ADMINISTRATOR)
    grant(acme, crew, Role.ADMINISTRATOR)

    with pytest.raises(ToolError, match="last-administrator"):
        withdraw(acme, zofia)
    with pytest.raises(ToolError, match="last-administrator"):
        grant(acme, zofia, Role.EDITOR)

    crew.members.add(_person("yusuf"))
    assert withdraw(acme, zofia) and not withdraw(acme, zofia)
    assert [str(row.holder) for row in members_of(acme)] == ["crew"]


def test_a_role_is_changed_not_doubled(acme: Workspace) -> None:
    zofia = _person("zofia")
    grant(acme, zofia, Role.VIEWER, "root")
    grant(acme, zofia, Role.EDITOR, "yusuf")

    [row] = members_of(acme)
    assert (row.user, row.role, row.granted_by) == (zofia, Role.EDITOR, "yusuf")


def test_a_membership_is_of_a_person_or_of_a_group(acme: Workspace) -> None:
    crew = Group.objects.create(name="crew")
    for holders in ({}, {"user": _person("zofia"), "group": crew}):
        with pytest.raises(IntegrityError), transaction.atomic():
            Membership.objects.create(
                workspace=acme, role=10, granted_at=timezone.now(), **holders
            )


def test_every_right_has_a_least_role_or_is_of_the_hub() -> None:
    assert set(LEAST) | OF_THE_HUB | {Right.OWN} == set(Right)
    assert not set(LEAST) & OF_THE_HUB

    for right in OF_THE_HUB:
        assert not allows(right, Role.ADMINISTRATOR)
        assert allows(right, None, hub_administrator=True)
    assert not any(allows(right, None) for right in LEAST)
