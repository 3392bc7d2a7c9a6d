"""Agents' tokens: creation, lookup by secret, revocation."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from datetime import datetime, timedelta
from hashlib import sha256
from typing import NamedTuple

from django.db import transaction
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from memoryhub.audit.recording import record
from memoryhub.database.passing import write_in_passing
from memoryhub.journal.models import Workspace
from memoryhub.journal.scopes import Scope
from memoryhub.people.models import AccessToken
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
#: How long a rotated token is valid beside the new one.
OVERLAP = timedelta(hours=24)
#: How long before its end a token in use is a notice on Health.
NOTICE = timedelta(days=7)


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
    row = AccessToken(
        workspace=workspace,
        agent=checked_agent(agent, workspace),
        scopes=[scope.value for scope in Scope if scope in allowed],
        made_at=now,
        expires_at=None if days == FOR_EVER else now + timedelta(days=days),
        shared=reader == "shared",
        private=reader == "private",
        profile=profile,
        maker=team_member(),
    )
    return _stored([row])


def extend_token(token: AccessToken, workspace: Workspace) -> None:
    """Let a token into another workspace, with the same scopes.

    Raises:
        ToolError: ``agent-look-alike``.
    """
    row = copy(token)
    row.pk, row.workspace = None, workspace
    row.agent, row.maker = checked_agent(token.agent, workspace), team_member()
    with transaction.atomic():
        row.save()
        _record("token.made", row)


def rotate_token(token: AccessToken, overlap: timedelta = OVERLAP) -> NewToken:
    """Create a token like this one, in all its workspaces, valid for as long again.

    It has the scopes that the old one has now, which ends after the overlap.
    """
    now, new = timezone.now(), []
    with transaction.atomic():
        for row in rows_of(token):
            made = copy(row)
            made.pk, made.made_at, made.last_used_at = None, now, None
            made.expires_at = row.expires_at and now + (row.expires_at - row.made_at)
            made.scopes = [one.value for one in Scope if one in scopes_now(row)]
            made.maker = team_member() or row.maker
            new.append(made)
            row.expires_at = min(row.expires_at or now + overlap, now + overlap)
            row.save(update_fields=["expires_at"])
            _record("token.rotated", row)
        return _stored(new)


def _stored(rows: Sequence[AccessToken]) -> NewToken:
    """Store the rows of a new token with its secret."""
    secret = _MARK + secrets.token_urlsafe(_BYTES)
    with transaction.atomic():
        for row in rows:
            row.prefix, row.sha256 = secret[:SHOWN], _hash(secret)
            row.save()
            _record("token.made", row)
    return NewToken(rows[0], secret)


def rows_of(token: AccessToken) -> list[AccessToken]:
    """Return the rows of a token, one for each workspace where it is not revoked."""
    rows = AccessToken.objects.filter(prefix=token.prefix, revoked_at__isnull=True)
    return list(rows.select_related("workspace", "maker").order_by("pk"))


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


def token_with(secret: str, *, now: datetime | None = None) -> list[AccessToken]:
    """Return the valid rows of the token with a secret, and record its use.

    None if there is no such token, or it has expired or was revoked, or its maker has
    no role in its workspaces any more.
    """
    now = now or timezone.now()
    prefix = secret[:SHOWN]
    if not prefix.isascii():
        return []
    rows = AccessToken.objects.filter(prefix=prefix, revoked_at__isnull=True)
    rows = rows.select_related("workspace", "maker").order_by("pk")
    hashed = _hash(secret)
    known = [row for row in rows if constant_time_compare(row.sha256, hashed)]
    states = states_of(known, now)
    found = [row for row in known if states[row.pk] == VALID]
    for row in found:
        _note_use(row, now)
    return found


def is_valid(token: AccessToken) -> bool:
    """Return whether a row of a token that was valid before still is."""
    rows = AccessToken.objects.filter(pk=token.pk, revoked_at__isnull=True)
    found = states_of(rows.select_related("workspace", "maker"))
    return found.get(token.pk) == VALID


#: States of a token that is not revoked. An orphaned one, whose maker has no role in
#: its workspace, is refused until the person has one again.
VALID, EXPIRED, ORPHANED = "valid", "expired", "orphaned"


def states_of(
    tokens: Iterable[AccessToken], now: datetime | None = None
) -> dict[int, str]:
    """Return the states of tokens by their ids: requests are answered by them."""
    now, tokens = now or timezone.now(), list(tokens)
    places = {token.workspace for token in tokens if token.maker and is_team()}
    known = {place: roles_in(place) for place in places}
    return {token.pk: _state(token, now, known) for token in tokens}


def _state(
    token: AccessToken, now: datetime, known: Mapping[Workspace, Mapping[int, Role]]
) -> str:
    if token.expires_at is not None and token.expires_at <= now:
        return EXPIRED
    if token.maker is None or not is_team():
        return VALID if token.maker is None or token.maker.is_active else ORPHANED
    return VALID if token.maker.pk in known[token.workspace] else ORPHANED


def ending_soon(workspace: Workspace) -> list[AccessToken]:
    """Return a workspace's tokens that end within `NOTICE`, the first ahead.

    Not one of an agent that has another, such as a rotated one's successor.
    """
    now = timezone.now()
    rows = tokens_of(workspace)
    lasting = {
        row.agent
        for row in rows
        if row.expires_at is None or row.expires_at > now + NOTICE
    }
    states = states_of(rows, now)
    found = [
        row for row in rows if states[row.pk] == VALID and row.agent not in lasting
    ]
    return sorted(found, key=lambda row: row.expires_at or now)


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
