"""Signing a browser in, by a link that can be used once, and out again.

A link is made by whoever can write into the data folder. Its secret is nowhere else:
the folder has a file named by the secret's hash, with the time at which it ends.
"""

from __future__ import annotations

import secrets
from contextlib import suppress
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path

from django.conf import settings
from django.contrib.auth import get_user, login
from django.contrib.sessions.backends.signed_cookies import SessionStore
from django.http import HttpRequest
from django.utils import timezone

from memoryhub.people.models import User
from memoryhub.people.policy import operator
from memoryhub.people.services.secret_files import write_secret

#: How long a link is good that a person asked for, and the one of a server's start.
SOON, STARTED = timedelta(minutes=10), timedelta(days=1)
_FOLDER = "links"
#: How long the name of a link's file is; those that are being written have others.
_NAME = 64
_BYTES = 32
_BACKEND = "django.contrib.auth.backends.ModelBackend"


def make_link(valid: timedelta, *, now: datetime | None = None) -> str:
    """Return the secret of a new link; those that have ended are forgotten."""
    now, secret = now or timezone.now(), secrets.token_urlsafe(_BYTES)
    for path in _folder().glob("?" * _NAME):
        if (_end_of(path) or 0) <= now.timestamp():
            path.unlink(missing_ok=True)
    write_secret(_place(secret), f"{(now + valid).timestamp():.0f}\n")
    return secret


def use_link(secret: str, *, now: datetime | None = None) -> bool:
    """Tell whether a link is good, and end it: the next use is none."""
    path = _place(secret)
    end = _end_of(path)
    try:
        path.unlink()
    except FileNotFoundError:
        return False
    return end is not None and (now or timezone.now()).timestamp() < end


def sign_in(request: HttpRequest) -> None:
    """Have the answer to a request sign its browser in, as the operator."""
    login(request, operator(), _BACKEND)


def sign_out_everywhere(person: User) -> None:
    """End the sign-in of every browser of a person."""
    # What a cookie was signed for includes the password, which nobody has.
    person.set_unusable_password()
    person.save(update_fields=["password"])


def person_by_cookie(cookie: str) -> User | None:
    """Return who is signed in by the value of a session's cookie."""
    request = HttpRequest()
    request.session = SessionStore(cookie)
    found = get_user(request)
    return found if isinstance(found, User) else None


def _folder() -> Path:
    return Path(settings.MEMORYHUB_DATA) / _FOLDER


def _place(secret: str) -> Path:
    return _folder() / sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def _end_of(path: Path) -> float | None:
    with suppress(FileNotFoundError, ValueError):
        return float(path.read_text(encoding="ascii"))
    return None
