"""Memberships: which role a person or a group has in a workspace.

Without team mode the operator is the only person, and may do everything.
"""

from __future__ import annotations

from django.conf import settings
from django.db import transaction
from django.db.models import Max, Q, QuerySet
from django.utils import timezone

from memoryhub.errors.base import ToolError
from memoryhub.journal.models import Workspace
from memoryhub.people.models import Group, Membership, User
from memoryhub.people.rights import Role


def is_team() -> bool:
    """Return whether the hub serves a team."""
    team: bool = settings.MEMORYHUB_TEAM
    return team


def role_of(person: User, workspace: Workspace) -> Role | None:
    """Return a person's role: the highest of their own and of their groups'.

    None for no access. One query; none for hub administrators and without team mode.
    """
    if not person.is_active:
        return None
    if not is_team() or person.hub_administrator:
        return Role.ADMINISTRATOR
    mine = _memberships_of(person).filter(workspace=workspace)
    found = mine.aggregate(highest=Max("role"))["highest"]
    return None if found is None else Role(found)


def workspaces_of(person: User) -> list[Workspace]:
    """Return the workspaces in which a person has a role, in their usual order."""
    if not person.is_active:
        return []
    if not is_team() or person.hub_administrator:
        return list(Workspace.objects.all())
    mine = _memberships_of(person).values("workspace")
    return list(Workspace.objects.filter(pk__in=mine))


def members_of(workspace: Workspace) -> list[Membership]:
    """Return who has a role in a workspace: people by name, then groups by name."""
    rows = Membership.objects.filter(workspace=workspace)
    found = rows.select_related("user", "group").prefetch_related("group__members")
    return sorted(found, key=lambda row: (row.user is None, str(row.holder).casefold()))


def grant(
    workspace: Workspace, holder: User | Group, role: Role, by: str = ""
) -> Membership:
    """Give a person or a group a role in a workspace, instead of an earlier one.

    `by`: name of the person who does it, "" for a command.

    Raises:
        ToolError: ``last-administrator``, no person would be left who may change it.
    """
    with transaction.atomic():
        held = Membership.objects.filter(workspace=workspace, **_held_by(holder))
        if role < Role.ADMINISTRATOR:
            _check_not_last(held.first())
        found, _ = Membership.objects.update_or_create(
            workspace=workspace,
            **_held_by(holder),
            defaults={"role": role, "granted_by": by, "granted_at": timezone.now()},
        )
    return found


def withdraw(workspace: Workspace, holder: User | Group) -> bool:
    """Take a person's or a group's role away; return whether there was one.

    Raises:
        ToolError: ``last-administrator``, no person would be left who may change it.
    """
    with transaction.atomic():
        held = Membership.objects.filter(workspace=workspace, **_held_by(holder))
        _check_not_last(held.first())
        count, _ = held.delete()
    return bool(count)


def _check_not_last(held: Membership | None) -> None:
    """Check that a workspace keeps an administrator when this one ends."""
    if held is None or held.role != Role.ADMINISTRATOR:
        return
    others = Membership.objects.filter(
        Q(user__is_active=True) | Q(group__members__is_active=True),
        workspace=held.workspace_id,
        role=Role.ADMINISTRATOR,
    )
    if not others.exclude(pk=held.pk).exists():
        raise ToolError("last-administrator", holder=str(held.holder))


def _held_by(holder: User | Group) -> dict[str, User | Group]:
    return {"user" if isinstance(holder, User) else "group": holder}


def _memberships_of(person: User) -> QuerySet[Membership]:
    return Membership.objects.filter(Q(user=person) | Q(group__members=person))
