"""Signals of accounts that allauth and Django lack, for the audit log.

Sign-ins and failures are `django.contrib.auth.signals`; passwords, e-mail addresses and
second factors are `allauth.account.signals` and `allauth.mfa.signals`.
"""

from __future__ import annotations

from django.dispatch import Signal

#: An account changed: `kind` (``person-created``, ``invited``, ``invitation-used``,
#: ``invitation-revoked``, ``deactivated``, ``activated``, ``reset-link``,
#: ``second-factor-reset``, ``sessions-ended``, ``hub-administrator-changed``), `actor`
#: (user name, "" for a command), `person` (user name it happened to, or ""), `detail`
#: (a dictionary of plain values).
account_changed = Signal()


def note(kind: str, actor: str, person: str = "", **detail: object) -> None:
    """Send `account_changed`."""
    account_changed.send(None, kind=kind, actor=actor, person=person, detail=detail)
