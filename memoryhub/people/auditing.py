"""Receivers that record sign-ins and sign-outs in the audit log."""

from __future__ import annotations

from typing import Any

from memoryhub.audit.failures import record_stranger
from memoryhub.audit.origins import current_origin
from memoryhub.audit.recording import record_after


def signed_in(*, user: Any, **_: object) -> None:
    """Record the sign-in of a person."""
    current_origin().actor = user.get_username()
    record_after("sign-in", subject=user.get_username())


def signed_out(*, user: Any, **_: object) -> None:
    """Record the sign-out of a person; anonymous sessions end too."""
    if user is not None:
        record_after("sign-out", subject=user.get_username())


def refused(*, credentials: dict[str, Any], **_: object) -> None:
    """Record a failed sign-in; the name is what the stranger typed."""
    name = str(credentials.get("username") or credentials.get("login") or "")[:200]
    record_stranger("sign-in", "wrong-credentials", subject=name)
    current_origin().entries += 1
