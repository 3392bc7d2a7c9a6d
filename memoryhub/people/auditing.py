"""Receivers that record sign-ins and sign-outs in the audit log."""

from __future__ import annotations

from typing import Any

from django.db.models import Q

from memoryhub.audit.failures import record_stranger
from memoryhub.audit.origins import current_origin
from memoryhub.audit.recording import record_after
from memoryhub.people.models import User


def signed_in(*, user: Any, **_: object) -> None:
    """Record the sign-in of a person."""
    current_origin().actor = user.get_username()
    record_after("sign-in", subject=user.get_username())


def signed_out(*, user: Any, **_: object) -> None:
    """Record the sign-out of a person; anonymous sessions end too."""
    if user is not None:
        record_after("sign-out", subject=user.get_username())


def refused(*, credentials: dict[str, Any], **_: object) -> None:
    """Record a failed sign-in, with the name of an account that was typed.

    Anything else may be a password in the wrong field, and is left out.
    """
    typed = str(credentials.get("username") or credentials.get("email") or "")
    known = User.objects.filter(Q(username__iexact=typed) | Q(email__iexact=typed))
    name = known.values_list("username", flat=True).first() if typed else None
    record_stranger("sign-in", "wrong-credentials", subject=name or "")
    current_origin().entries += 1
