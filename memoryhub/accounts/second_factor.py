"""Compulsory second factor: who has to set one up before anything else.

It concerns passwords. Sessions begun by a trusted proxy or an OpenID provider are
exempt: these have their own rules for second factors.
"""

from __future__ import annotations

from allauth.account.authentication import get_authentication_records
from django.conf import settings
from django.http import HttpRequest

from memoryhub.accounts.proxied import is_by_proxy
from memoryhub.accounts.services.persons import has_second_factor
from memoryhub.people.models import User
from memoryhub.people.services.sign_in import request_by_cookie

#: allauth's name of a sign-in by a provider.
_BY_PROVIDER = "socialaccount"


def lacks_second_factor(request: HttpRequest) -> bool:
    """Return whether a request's person has to set up a second factor first.

    One query where `MEMORYHUB_SECOND_FACTOR` is set, otherwise none.
    """
    is_asked = settings.MEMORYHUB_TEAM and settings.MEMORYHUB_SECOND_FACTOR
    person = getattr(request, "user", None)
    if not is_asked or not isinstance(person, User) or is_by_proxy(request):
        return False
    records = get_authentication_records(request, person)
    if any(one["method"] == _BY_PROVIDER for one in records):
        return False
    return not has_second_factor(person)


def person_let_in(cookie: str) -> User | None:
    """Return the person whose session cookie it is, unless a second factor is due."""
    request = request_by_cookie(cookie)
    person = request.user
    if not isinstance(person, User) or lacks_second_factor(request):
        return None
    return person
