"""Middleware of a team: its addresses, and sign-in by a proxy."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from memoryhub.accounts.proxied import follow_proxy
from memoryhub.accounts.services.persons import TEAM_URLS

#: Namespaces of addresses for programs.
_PROGRAMS = frozenset({"api", "a2a"})

Answering = Callable[[HttpRequest], HttpResponse]


def team_addresses(get_response: Answering) -> Answering:
    """Return a middleware that adds the addresses of accounts in team mode.

    Without team mode they do not exist, and what they need is never loaded.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        if settings.MEMORYHUB_TEAM:
            request.urlconf = TEAM_URLS
        return get_response(request)

    return middleware


class ProxySignsIn:
    """Middleware that signs in whom a trusted proxy names.

    Not for the API: programs have tokens, and get no session.
    """

    def __init__(self, get_response: Answering) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self._get_response(request)

    def process_view(self, request: HttpRequest, *_: object) -> None:
        """Follow the proxy before the next middleware asks who is signed in."""
        match = request.resolver_match
        is_api = match is not None and not _PROGRAMS.isdisjoint(match.namespaces)
        is_on = settings.MEMORYHUB_TEAM and settings.MEMORYHUB_PROXY_USER_HEADER
        if is_on and not is_api:
            follow_proxy(request)
