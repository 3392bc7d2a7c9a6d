"""Sign-in by a proxy in front, which names the person in a header.

The server (`runtime/serving/proxied.py`) moves that header of trusted peers into one of
its own, and drops it of all others: Django sees only what a trusted proxy has said.
"""

from __future__ import annotations

from contextlib import suppress

from django.conf import settings
from django.contrib.auth import login, logout
from django.http import HttpRequest

from memoryhub.accounts.services.persons import create_person
from memoryhub.errors.base import ToolError
from memoryhub.people.models import User
from memoryhub.people.roles import OPERATOR

#: Header in which the server passes the name on.
PASSED_ON = "memoryhub-proxied-user"
#: Key of a session that a proxy has begun: it ends without the header.
_BY_PROXY = "memoryhub_by_proxy"
#: Characters of a user name.
_LONGEST = 150
_BACKEND = "django.contrib.auth.backends.ModelBackend"


def follow_proxy(request: HttpRequest) -> None:
    """Sign in whom the proxy names; sign out if it names nobody any more."""
    named = _named(request)
    current = request.user.get_username() if request.user.is_authenticated else ""
    if named and named.casefold() != current.casefold():
        _sign_in(request, named)
    elif not named and is_by_proxy(request):
        logout(request)


def is_by_proxy(request: HttpRequest) -> bool:
    """Return whether a proxy has begun the request's session."""
    return bool(request.session.get(_BY_PROXY))


def _named(request: HttpRequest) -> str:
    if not settings.MEMORYHUB_PROXY_USER_HEADER:
        return ""
    raw = request.headers.get(PASSED_ON, "")
    # WSGI decodes header bytes as Latin-1.
    return raw.encode("latin-1", "replace").decode("utf-8", "replace").strip()


def _sign_in(request: HttpRequest, named: str) -> None:
    person = person_named(named)
    if request.user.is_authenticated or person is None:
        logout(request)
    if person is not None:
        login(request, person, _BACKEND)
        request.session[_BY_PROXY] = True


def person_named(named: str) -> User | None:
    """Return the active person with a user name, created if there is none.

    None if the name is reserved, looks like another, or is of somebody deactivated.
    """
    if len(named) > _LONGEST:
        return None
    known = User.objects.filter(username__iexact=named)
    if (found := known.first()) is None:
        with suppress(ToolError):
            return create_person(named)
        # A browser's first requests come together: another one was quicker.
        found = known.first()
    is_let_in = found is not None and found.is_active and not is_reserved(found)
    return found if is_let_in else None


def is_reserved(person: User) -> bool:
    """Return whether an account is the operator of commands, not a person."""
    return person.username == OPERATOR
