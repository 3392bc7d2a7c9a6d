"""Receiver that records changes of accounts in the audit log."""

from __future__ import annotations

from memoryhub.audit.recording import record_after


def record_account(*, kind: str, actor: str, person: str, **_: object) -> None:
    """Record a change of an account; its details may have addresses, and stay out."""
    record_after(f"account.{kind}", subject=person, actor=actor)
