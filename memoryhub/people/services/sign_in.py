"""Sign-in of a browser by a one-time link, and sign-out.

Whoever can write into the data folder can make a link. The secret is not stored: the
folder has a file named by its hash, with the link's expiry.
"""

from __future__ import annotations

import secrets
from contextlib import suppress
from datetime import datetime, timedelta
from hashlib import sha256
from importlib import import_module
from pathlib import Path

from django.conf import settings
from django.contrib.auth import get_user, login
from django.db import transaction
from django.http import HttpRequest
from django.utils import timezone

from memoryhub.audit.recording import record
from memoryhub.people.models import User
from memoryhub.people.policy import operator
from memoryhub.people.services.local_token import write_secret

#: Validity of a link that a person asked for, and of one shown when a server starts.
SOON, STARTED = timedelta(minutes=10), timedelta(days=1)
_FOLDER = "links"
#: Length of the names of links' files; drafts have longer ones.
_NAME = 64
_BYTES = 32
_BACKEND = "django.contrib.auth.backends.ModelBackend"


def make_link(valid: timedelta, *, now: datetime | None = None) -> str:
    """Create a link and return its secret; expired links are deleted."""
    now, secret = now or timezone.now(), secrets.token_urlsafe(_BYTES)
    for path in _folder().glob("?" * _NAME):
        if (_end_of(path) or 0) <= now.timestamp():
            path.unlink(missing_ok=True)
    write_secret(_place(secret), f"{(now + valid).timestamp():.0f}\n")
    return secret


def use_link(secret: str, *, now: datetime | None = None) -> bool:
    """Use up a link; return whether it was valid."""
    path = _place(secret)
    end = _end_of(path)
    try:
        path.unlink()
    except FileNotFoundError:
        return False
    return end is not None and (now or timezone.now()).timestamp() < end


def sign_in(request: HttpRequest) -> None:
    """Sign the browser of a request in, as the operator."""
    login(request, operator(), _BACKEND)


def sign_out_everywhere(person: User) -> None:
    """Invalidate the sessions of every browser of a person."""
    # Sessions depend on the password hash, which is replaced by another unusable one.
    person.set_unusable_password()
    with transaction.atomic():
        person.save(update_fields=["password"])
        record("sign-out.everywhere", subject=person.get_username())


def request_by_cookie(cookie: str) -> HttpRequest:
    """Return an empty request with the session and user of a session cookie's value."""
    request = HttpRequest()
    request.session = import_module(settings.SESSION_ENGINE).SessionStore(cookie)
    request.user = get_user(request)
    return request


def _folder() -> Path:
    return Path(settings.MEMORYHUB_DATA) / _FOLDER


def _place(secret: str) -> Path:
    return _folder() / sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def _end_of(path: Path) -> float | None:
    with suppress(FileNotFoundError, ValueError):
        return float(path.read_text(encoding="ascii"))
    return None
