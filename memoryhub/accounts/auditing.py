"""Receivers that record changes of accounts in the audit log."""

from __future__ import annotations

from typing import Any

from memoryhub.audit.failures import record_stranger
from memoryhub.audit.origins import current_origin
from memoryhub.audit.recording import record_after
from memoryhub.people.models import User


def record_account(
    *, kind: str, actor: str, person: str, detail: dict[str, object], **_: object
) -> None:
    """Record a change of an account, with the workspace and the right it is about.

    Other details may have addresses, and stay out.
    """
    workspace = str(detail.get("workspace", ""))
    rights = [str(detail.get("role", "")), _of_the_hub(kind, detail)]
    record_after(
        f"account.{kind}",
        workspace=workspace,
        subject=" ".join(filter(None, [person, *rights])),
        actor=actor,
    )


def _of_the_hub(kind: str, detail: dict[str, object]) -> str:
    if kind == "hub-administrator-changed":
        return "hub administrator" if detail["wanted"] else "no hub administrator"
    return "hub administrator" if detail.get("hub_administrator") else ""


def password_changed(*, user: User, **_: object) -> None:
    """Record a new password: a sign-in or sign-out with it has an entry of its own."""
    name = user.get_username()
    record_after("account.password", subject=name, actor=name)


def provider_connected(*, sociallogin: Any, **_: object) -> None:
    """Record that an account of the provider signs a person in from now on."""
    name = sociallogin.user.get_username()
    record_after("account.provider-connected", subject=name, actor=name)


def code_refused(*, user: User, **_: object) -> None:
    """Record a wrong or used code of a second factor, with the account it was for."""
    record_stranger("sign-in", "wrong-code", subject=user.get_username())
    current_origin().entries += 1
