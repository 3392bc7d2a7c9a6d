"""Middleware of a team: its addresses, and sign-in by a proxy."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from memoryhub.accounts.proxied import follow_proxy
from memoryhub.accounts.services.persons import TEAM_URLS

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


def proxy_signs_in(get_response: Answering) -> Answering:
    """Return a middleware that signs in whom a trusted proxy names."""

    def middleware(request: HttpRequest) -> HttpResponse:
        if settings.MEMORYHUB_TEAM and settings.MEMORYHUB_PROXY_USER_HEADER:
            follow_proxy(request)
        return get_response(request)

    return middleware
