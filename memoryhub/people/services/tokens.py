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
    else "". `profile`: of the tools that MCP lists to it, "" for all.

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
    )
    with transaction.atomic():
        row.save()
        _record("token.made", row)
    return NewToken(row, secret)


def scopes_of(token: AccessToken) -> frozenset[Scope]:
    """Return the scopes of a token; ``write`` of older tokens means memory."""
    return frozenset(map(Scope, token.scopes))


def tokens_of(workspace: Workspace) -> list[AccessToken]:
    """Return a workspace's tokens that are not revoked, newest first."""
    rows = AccessToken.objects.filter(workspace=workspace, revoked_at__isnull=True)
    return list(rows)


def token_with(secret: str, *, now: datetime | None = None) -> AccessToken | None:
    """Return the valid token with a secret, and record its use.

    None if there is none, or it has expired or was revoked.
    """
    now = now or timezone.now()
    prefix = secret[:SHOWN]
    if not prefix.isascii():
        return None
    rows = AccessToken.objects.filter(prefix=prefix, revoked_at__isnull=True)
    row = rows.select_related("workspace").first()
    if row is None or not constant_time_compare(row.sha256, _hash(secret)):
        return None
    if has_expired(row, now):
        return None
    _note_use(row, now)
    return row


def is_valid(token: AccessToken) -> bool:
    """Return whether a token that was valid before still is."""
    rows = AccessToken.objects.filter(pk=token.pk, revoked_at__isnull=True)
    return rows.exists() and not has_expired(token, timezone.now())


def has_expired(token: AccessToken, now: datetime) -> bool:
    """Return whether a token has expired."""
    return token.expires_at is not None and token.expires_at <= now


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
