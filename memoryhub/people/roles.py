"""Memberships: which role a person or a group has in a workspace.

Without team mode the operator is the only person, and may do everything.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from memoryhub.audit.recording import record
from memoryhub.errors.base import ToolError
from memoryhub.journal.models import Workspace
from memoryhub.people.models import Group, Membership, User
from memoryhub.people.rights import Right, Role, allows

#: User name of the only person of a hub on one machine, created on first use; in team
#: mode of whoever has its data folder.
OPERATOR = "operator"
_RUNS_THE_HUB = Q(is_active=True) & (Q(hub_administrator=True) | Q(username=OPERATOR))


def is_team() -> bool:
    """Return whether the hub serves a team."""
    team: bool = settings.MEMORYHUB_TEAM
    return team


def is_hub_administrator(person: User) -> bool:
    """Return whether a person has all rights; without team mode everybody has."""
    if not person.is_active:
        return False
    is_operator = person.get_username() == OPERATOR
    return not is_team() or is_operator or person.hub_administrator


def role_of(person: User, workspace: Workspace) -> Role | None:
    """Return a person's role: the highest of their own and of their groups'.

    None for no access. One query; none for hub administrators and without team mode.
    """
    if is_hub_administrator(person):
        return Role.ADMINISTRATOR
    return roles_of(person).get(workspace.slug)


def roles_of(person: User) -> dict[str, Role]:
    """Return a person's role in each workspace where there is one, by its slug.

    One query. Those of groups count; not that a hub administrator may do everything.
    """
    if not person.is_active:
        return {}
    held = _memberships_of(person).order_by("role")
    return {
        slug: Role(role) for slug, role in held.values_list("workspace__slug", "role")
    }


def workspaces_of(person: User) -> list[Workspace]:
    """Return the workspaces in which a person has a role, in their usual order."""
    if is_hub_administrator(person):
        return list(Workspace.objects.all())
    if not person.is_active:
        return []
    mine = _memberships_of(person).values("workspace")
    return list(Workspace.objects.filter(pk__in=mine))


def roles_in(workspace: Workspace) -> dict[int, Role]:
    """Return the highest role of each active person in a workspace, by their id.

    Two queries, whatever their number. Hub administrators are among them.
    """
    active = Q(user__is_active=True) | Q(group__members__is_active=True)
    held = Membership.objects.filter(active, workspace=workspace).order_by("role")
    rows = held.values_list("user", "group__members", "role")
    runners = User.objects.filter(_RUNS_THE_HUB).values_list("pk", flat=True)
    found = {user or member: Role(role) for user, member, role in rows}
    found |= dict.fromkeys(runners, Role.ADMINISTRATOR)
    return {person: role for person, role in found.items() if person}


def hub_administrators() -> list[User]:
    """Return the people with all rights in every workspace, by name."""
    return list(User.objects.filter(_RUNS_THE_HUB).order_by("username"))


def people_of(workspace: Workspace) -> list[User]:
    """Return the people who have a role in a workspace, by name; all without teams."""
    people = User.objects.filter(is_active=True).order_by("username")
    if is_team():
        mine = Q(memberships__workspace=workspace)
        grouped = Q(member_of__memberships__workspace=workspace)
        people = people.filter(mine | grouped | _RUNS_THE_HUB).distinct()
    return list(people)


def people_with(workspace: Workspace, right: Right) -> list[User]:
    """Return the people who have a right in a workspace, by name.

    Three queries. The operator has every right without teams; in one the operator is no
    further person: those who run commands on the server have accounts of their own.
    """
    if not is_team():
        return list(User.objects.filter(username=OPERATOR))
    held = [one for one, role in roles_in(workspace).items() if allows(right, role)]
    people = User.objects.filter(pk__in=held).exclude(username=OPERATOR)
    return list(people.order_by("username"))


def absent_from(workspace: Workspace) -> frozenset[str]:
    """Return the user names, casefolded, of a team's accounts that cannot act here.

    They are deactivated, or have no role: nothing can wait for them.
    """
    if not is_team():
        return frozenset()
    here = {person.pk for person in people_of(workspace)}
    known = User.objects.values_list("pk", "username")
    return frozenset(name.casefold() for pk, name in known if pk not in here)


def members_of(workspace: Workspace) -> list[Membership]:
    """Return who was given a role in a workspace: people by name, then groups."""
    rows = Membership.objects.filter(workspace=workspace)
    found = rows.select_related("user", "group").prefetch_related("group__members")
    return sorted(found, key=lambda row: (row.user is None, str(row.holder).casefold()))


@contextmanager
def keeping_administrators(holder: object) -> Iterator[None]:
    """Run a change in a transaction that leaves every workspace an administrator.

    `holder`: the person or group that the change is about. What waits for people is
    read again afterwards, as no journal announces the change.

    Raises:
        ToolError: ``last-administrator``, a workspace had one and would have none; the
            change is rolled back.
    """
    with transaction.atomic():
        before = _administered()
        yield
        if lost := before - _administered():
            places = ", ".join(sorted(lost))
            raise ToolError("last-administrator", holder=str(holder), workspace=places)
        Workspace.objects.update(handoff_changes=F("handoff_changes") + 1)


def _administered() -> set[str]:
    """Return the slugs of workspaces with an active administrator of their own."""
    held = Membership.objects.filter(
        Q(user__is_active=True) | Q(group__members__is_active=True),
        role=Role.ADMINISTRATOR,
    )
    return set(held.order_by().values_list("workspace__slug", flat=True).distinct())


def grant(
    workspace: Workspace, holder: User | Group, role: Role, by: str = ""
) -> Membership:
    """Give a person or a group a role in a workspace, instead of an earlier one.

    `by`: name of the person who does it, "" for a command.

    Raises:
        ToolError: ``last-administrator``, no person would be left who may change it.
    """
    with keeping_administrators(holder):
        found, _ = Membership.objects.update_or_create(
            workspace=workspace,
            **_held_by(holder),
            defaults={"role": role, "granted_by": by, "granted_at": timezone.now()},
        )
        _record("permission.granted", workspace, f"{holder} {role.word}")
    return found


def withdraw(workspace: Workspace, holder: User | Group) -> bool:
    """Take a person's or a group's role away; return whether there was one.

    Raises:
        ToolError: ``last-administrator``, no person would be left who may change it.
    """
    with keeping_administrators(holder):
        held = Membership.objects.filter(workspace=workspace, **_held_by(holder))
        count, _ = held.delete()
        if count:
            _record("permission.withdrawn", workspace, str(holder))
    return bool(count)


def _record(action: str, workspace: Workspace, subject: str) -> None:
    record(action, workspace=workspace.slug, subject=subject)


def _held_by(holder: User | Group) -> dict[str, Any]:
    return {"user" if isinstance(holder, User) else "group": holder}


def _memberships_of(person: User) -> QuerySet[Membership]:
    return Membership.objects.filter(Q(user=person) | Q(group__members=person))
