"""Invitations: links by which one person joins the hub.

A link has 256 random bits, works once and expires. Of its secret only a hash is stored.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from memoryhub.accounts.models import Invitation
from memoryhub.accounts.services.persons import take_over
from memoryhub.accounts.signals import note
from memoryhub.errors.base import ToolError
from memoryhub.journal.models import Workspace
from memoryhub.people.models import User
from memoryhub.people.rights import Role
from memoryhub.people.roles import grant, is_hub_administrator, role_of

#: Default and longest validity in days.
DAYS, MOST_DAYS = 7, 90
_BYTES = 32


@dataclass(frozen=True, slots=True)
class Offer:
    """Role and recipient of an invitation: `name` and `email` are suggestions."""

    workspace: Workspace | None = None
    role: Role | None = None
    hub_administrator: bool = False
    name: str = ""
    email: str = ""
    days: int = DAYS


@dataclass(frozen=True, slots=True)
class NewInvitation:
    """An invitation and its secret, which is shown once."""

    row: Invitation
    secret: str


def invite(offer: Offer, by: User | None) -> NewInvitation:
    """Create an invitation by a person, or by a command if `by` is None."""
    secret, now = secrets.token_urlsafe(_BYTES), timezone.now()
    row = Invitation.objects.create(
        sha256=_hash(secret),
        name=offer.name,
        email=offer.email,
        workspace=offer.workspace,
        role=offer.role if offer.workspace else None,
        hub_administrator=offer.hub_administrator,
        made_by=by,
        made_at=now,
        expires_at=now + timedelta(days=min(max(offer.days, 1), MOST_DAYS)),
    )
    note("invited", by.username if by else "", "", **_facts(row))
    return NewInvitation(row, secret)


def invitation_with(secret: str) -> Invitation | None:
    """Return the valid invitation with this secret."""
    row = _valid().filter(sha256=_hash(secret)).first()
    return row if row is not None and _may_still_give(row) else None


def open_invitations(by: User) -> list[Invitation]:
    """Return the valid invitations: a hub administrator's all, others' own."""
    rows = _valid().select_related("workspace", "made_by")
    return list(rows if by.hub_administrator else rows.filter(made_by=by))


def accept(invitation: Invitation, person: User) -> None:
    """Use an invitation up: give the person its role, unless they have a higher one.

    Raises:
        ToolError: ``invitation-used``, it was used, was revoked or has expired, or
            who made it may not invite there any more.
    """
    with transaction.atomic():
        if not _may_still_give(invitation):
            raise ToolError("invitation-used")
        used = _valid().filter(pk=invitation.pk)
        if not used.update(used_at=timezone.now(), used_by=person):
            raise ToolError("invitation-used")
        if invitation.hub_administrator and not person.hub_administrator:
            person.hub_administrator = True
            person.save(update_fields=["hub_administrator"])
            take_over(person)
        _give_role(invitation, person)
    note("invitation-used", person.username, person.username, **_facts(invitation))


def revoke(invitation: Invitation, by: User | None) -> None:
    """Delete an invitation: its link stops working."""
    facts = _facts(invitation)
    invitation.delete()
    note("invitation-revoked", by.username if by else "", "", **facts)


def _give_role(invitation: Invitation, person: User) -> None:
    workspace = invitation.workspace
    if workspace is None or invitation.role is None:
        return
    role, held = Role(invitation.role), role_of(person, workspace)
    if held is None or held < role:
        by = invitation.made_by
        grant(workspace, person, role, by.username if by else "")


def _may_still_give(row: Invitation) -> bool:
    """Return whether an invitation's maker may still grant its role."""
    by = row.made_by and User.objects.filter(pk=row.made_by.pk).first()
    if by is None:
        return row.made_by is None
    if row.hub_administrator or row.workspace is None:
        return is_hub_administrator(by)
    return role_of(by, row.workspace) == Role.ADMINISTRATOR


def _valid() -> QuerySet[Invitation]:
    now = timezone.now()
    return Invitation.objects.filter(used_at__isnull=True, expires_at__gt=now)


def _facts(row: Invitation) -> dict[str, object]:
    return {
        "invitation": row.pk,
        "workspace": row.workspace.slug if row.workspace else "",
        "role": Role(row.role).word if row.role else "",
        "hub_administrator": row.hub_administrator,
    }


def _hash(secret: str) -> str:
    return sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
