"""Agents' tokens: creation, lookup by secret, revocation."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from datetime import datetime, timedelta
from hashlib import sha256
from typing import NamedTuple

from django.db import transaction
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from memoryhub.audit.recording import record
from memoryhub.journal.models import Workspace
from memoryhub.journal.scopes import Scope
from memoryhub.people.models import AccessToken
from memoryhub.people.passing import write_in_passing
from memoryhub.people.policy import team_member
from memoryhub.people.rights import Right, Role, allows
from memoryhub.people.roles import is_team, role_of, roles_in
from memoryhub.people.services.names import checked_agent

#: Prefix of every secret, for scanners that look for leaked ones.
_MARK = "mhub_"
_BYTES = 32
#: Characters of a secret that identify it, and are stored.
SHOWN = len(_MARK) + 8
#: Minimum interval of writes to `last_used_at`.
_NOTE_EVERY = timedelta(minutes=1)
MOST_DAYS = 3_650
#: Default validity in days, and the value for no expiry.
DAYS, FOR_EVER = 90, 0


#: Right in the workspace without which a person's tokens lose a scope.
_RIGHTS_OF = {
    Scope.READ: Right.READ,
    Scope.MEMORY: Right.EDIT,
    Scope.INSTRUCTIONS: Right.COORDINATE,
    Scope.HANDOFF: Right.HANDOFFS,
    Scope.ADMIN: Right.FORGET,
}


class NewToken(NamedTuple):
    """A new token with its secret, which is not stored."""

    row: AccessToken
    secret: str


def make_token(
    workspace: Workspace,
    agent: str,
    scopes: Iterable[Scope],
    *,
    days: int = DAYS,
    reader: str = "",
    profile: str = "",
) -> NewToken:
    """Create a token of an agent for a workspace, valid for `days`.

    `reader`: ``shared`` for sessions of groups, which never read private memory;
    ``private`` for an agent's main session, which reads it without naming a session;
    else "". `profile`: of the tools that MCP lists to it, "" for the default. In team
    mode the person of the current request is its maker, whose role limits it.

    Raises:
        ToolError: ``agent-invalid``, ``agent-look-alike``.
    """
    now, allowed = timezone.now(), set(scopes)
    secret = _MARK + secrets.token_urlsafe(_BYTES)
    row = AccessToken(
        workspace=workspace,
        agent=checked_agent(agent, workspace),
        scopes=[scope.value for scope in Scope if scope in allowed],
        prefix=secret[:SHOWN],
        sha256=_hash(secret),
        made_at=now,
        expires_at=None if days == FOR_EVER else now + timedelta(days=days),
        shared=reader == "shared",
        private=reader == "private",
        profile=profile,
        maker=team_member(),
    )
    with transaction.atomic():
        row.save()
        _record("token.made", row)
    return NewToken(row, secret)


def scopes_of(token: AccessToken) -> frozenset[Scope]:
    """Return the scopes given to a token; ``write`` of older tokens means memory."""
    return frozenset(map(Scope, token.scopes))


def scopes_now(token: AccessToken) -> frozenset[Scope]:
    """Return the scopes of a token that its maker's role still allows."""
    if token.maker is None:
        return scopes_of(token)
    role = role_of(token.maker, token.workspace)
    return scopes_of(token) & scopes_for(role)


def scopes_for(role: Role | None) -> frozenset[Scope]:
    """Return the scopes that a person of this role can give to a token."""
    return frozenset(
        scope for scope, right in _RIGHTS_OF.items() if allows(right, role)
    )


def tokens_of(workspace: Workspace) -> list[AccessToken]:
    """Return a workspace's tokens that are not revoked, newest first."""
    rows = AccessToken.objects.filter(workspace=workspace, revoked_at__isnull=True)
    return list(rows.select_related("workspace", "maker"))


def token_with(secret: str, *, now: datetime | None = None) -> AccessToken | None:
    """Return the valid token with a secret, and record its use.

    None if there is none, or it has expired or was revoked, or its maker has no role in
    its workspace any more.
    """
    now = now or timezone.now()
    prefix = secret[:SHOWN]
    if not prefix.isascii():
        return None
    rows = AccessToken.objects.filter(prefix=prefix, revoked_at__isnull=True)
    row = rows.select_related("workspace", "maker").first()
    if row is None or not constant_time_compare(row.sha256, _hash(secret)):
        return None
    if has_expired(row, now) or is_orphan(row):
        return None
    _note_use(row, now)
    return row


def is_valid(token: AccessToken) -> bool:
    """Return whether a token that was valid before still is, by the database."""
    rows = AccessToken.objects.filter(pk=token.pk, revoked_at__isnull=True)
    row = rows.select_related("workspace", "maker").first()
    if row is None or has_expired(row, timezone.now()):
        return False
    return not is_orphan(row)


def is_orphan(token: AccessToken) -> bool:
    """Return whether a token's maker has no role in its workspace any more.

    It is refused meanwhile, and valid again if the person gets a role again.
    """
    return token.maker is not None and role_of(token.maker, token.workspace) is None


def has_expired(token: AccessToken, now: datetime) -> bool:
    """Return whether a token has expired."""
    return token.expires_at is not None and token.expires_at <= now


def orphans_among(workspace: Workspace, tokens: Iterable[AccessToken]) -> set[int]:
    """Return the ids of a workspace's tokens for which `is_orphan` holds."""
    made = [token for token in tokens if token.maker_id]
    if not made or not is_team():
        return set()
    known = roles_in(workspace)
    return {token.pk for token in made if token.maker_id not in known}


def revoke_token(
    workspace: Workspace, prefix: str, *, now: datetime | None = None
) -> AccessToken | None:
    """Revoke the token with this prefix and return it; None if there is none."""
    row = next((row for row in tokens_of(workspace) if row.prefix == prefix), None)
    if row is not None:
        row.revoked_at = now or timezone.now()
        with transaction.atomic():
            row.save(update_fields=["revoked_at"])
            _record("token.revoked", row)
    return row


def _record(action: str, row: AccessToken) -> None:
    record(action, workspace=row.workspace.slug, subject=f"{row.prefix} {row.agent}")


def _note_use(row: AccessToken, now: datetime) -> None:
    if row.last_used_at is None or now - row.last_used_at >= _NOTE_EVERY:
        row.last_used_at = now
        rows = AccessToken.objects.filter(pk=row.pk)
        write_in_passing(lambda: rows.update(last_used_at=now))


def _hash(secret: str) -> str:
    return sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
