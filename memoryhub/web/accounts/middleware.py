"""Middleware of a team: its addresses, and sign-in by a proxy."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext

from memoryhub.accounts.proxied import follow_proxy
from memoryhub.accounts.second_factor import lacks_second_factor
from memoryhub.accounts.services.persons import TEAM_URLS

#: Namespaces of addresses for programs.
_PROGRAMS = frozenset({"api", "a2a"})
#: Addresses for people who have to set up a second factor first.
_SETTING_UP = frozenset(
    {
        "account_login",
        "account_logout",
        "account_reauthenticate",
        "healthz",
        "readyz",
        "mfa_activate_totp",
        "mfa_add_webauthn",
        "mfa_download_recovery_codes",
        "mfa_generate_recovery_codes",
        "mfa_index",
        "mfa_list_webauthn",
        "mfa_reauthenticate",
        "mfa_view_recovery_codes",
        "sign-out",
    }
)

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


class SecondFactorFirst:
    """Middleware that leads people without a compulsory second factor to its page.

    Before the check of rights, whose refusals show the workspace.
    """

    def __init__(self, get_response: Answering) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self._get_response(request)

    def process_view(self, request: HttpRequest, *_: object) -> HttpResponse | None:
        """Return a redirect, for programs and parts of pages 403; None if let in."""
        match = request.resolver_match
        name = match.url_name if match else ""
        is_api = match is not None and not _PROGRAMS.isdisjoint(match.namespaces)
        if is_api or name in _SETTING_UP or not lacks_second_factor(request):
            return None
        if request.accepts("text/html") and not request.headers.get("HX-Request"):
            return redirect("mfa_index")
        text = gettext("set up a second factor first")
        response = HttpResponse(f"{text}\n", "text/plain; charset=utf-8", 403)
        # Reload the page that requested a part of itself.
        response["HX-Refresh"] = "true"
        return response
