"""Receivers that record changes of accounts in the audit log."""

from __future__ import annotations

from memoryhub.audit.recording import record_after
from memoryhub.people.models import User


def record_account(*, kind: str, actor: str, person: str, **_: object) -> None:
    """Record a change of an account; its details may have addresses, and stay out."""
    record_after(f"account.{kind}", subject=person, actor=actor)


def password_changed(*, user: User, **_: object) -> None:
    """Record a new password: a sign-in or sign-out with it has an entry of its own."""
    name = user.get_username()
    record_after("account.password", subject=name, actor=name)
