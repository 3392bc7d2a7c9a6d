"""Facts that a sign-in leaves in its session, for the list of sessions."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.utils import timezone

from memoryhub.accounts.models import BROWSER, BrowserSession
from memoryhub.accounts.sessions import session_name
from memoryhub.people.models import User

_LONGEST = 200


def note_browser(request: HttpRequest, user: User, **_: Any) -> None:
    """Store browser, address and time in the session of a sign-in.

    The time also ends links that reset the password. Only for teams: on one's own
    machine nobody reads it.
    """
    if not settings.MEMORYHUB_TEAM:
        return
    now = timezone.now()
    request.session[BROWSER] = {
        "agent": request.headers.get("User-Agent", "")[:_LONGEST],
        "address": request.META.get("REMOTE_ADDR", ""),
        "at": now.isoformat(),
    }
    User.objects.filter(pk=user.pk).update(last_login=now)


def end_other_sessions(request: HttpRequest, user: User, **_: object) -> None:
    """End a person's sessions in other browsers, after a new password.

    They are out by the password already, and would stay in the list of sessions.
    """
    here = session_name(request.session.session_key or "")
    BrowserSession.objects.filter(user=user).exclude(pk=here).delete()
