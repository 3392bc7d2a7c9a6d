"""Middleware of people: sign-in, time zone."""

from __future__ import annotations

import re
from collections.abc import Callable
from zoneinfo import ZoneInfo, available_timezones

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.cache import add_never_cache_headers
from django.utils.translation import gettext

from memoryhub.people.access import is_trusted
from memoryhub.people.policy import admit, operator, person_of, visits
from memoryhub.web.kit.clock import PREFERRED_ZONE
from memoryhub.web.kit.served import own_path
from memoryhub.web.rights import right_for

ZONE_COOKIE = "memoryhub_zone"
#: The API has its own authentication by token; it accepts no cookie, so no CSRF.
_API = "api"
#: Paths that a shell reads as one plain word: anybody can make a link to a page.
_PLAIN_PATH = re.compile(r"(?:/[\w.~][\w.~-]*)+/?", re.ASCII)

Answering = Callable[[HttpRequest], HttpResponse]


def loopback_trusted(get_response: Answering) -> Answering:
    """Return a middleware that signs in trusted local requests, if that is set."""

    def middleware(request: HttpRequest) -> HttpResponse:
        if is_trusted(request.META.get("REMOTE_ADDR", ""), request.headers):
            request.user = operator()
        return get_response(request)

    return middleware


class SignedIn:
    """Middleware that requires sign-in for pages, and the rights that each declares.

    Strangers get a hint how to sign in. Every view is a page unless marked by Django's
    `login_not_required`; `web.rights` has the right that it needs.
    """

    def __init__(self, get_response: Answering) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        with visits():
            return self._get_response(request)

    def process_view(
        self, request: HttpRequest, view: Answering, *_: object
    ) -> HttpResponse | None:
        """Return the response for anonymous requests; None if the view is allowed.

        Raises:
            Http404: the workspace is not the person's, or does not exist.
            PermissionDenied: the person lacks the right, or no right is declared.
        """
        match = request.resolver_match
        is_api = match is not None and _API in match.namespaces
        if is_api or not getattr(view, "login_required", True):
            return None
        if not request.user.is_authenticated:
            return signed_out(request)
        _admit(request)
        return None


def _admit(request: HttpRequest) -> None:
    """Admit a signed-in person to the page that a request is for."""
    match = request.resolver_match
    values = match.kwargs if match else {}
    name = (match.url_name if match else None) or ""
    right = right_for(name, request.method or "", values)
    if right is None:
        raise PermissionDenied
    admit(person_of(request), right, str(values.get("slug", "")))


def signed_out(request: HttpRequest, *, link_failed: bool = False) -> HttpResponse:
    """Return 401 with a page for browsers, a line of text for programs.

    Browsers of a team are redirected to the page where people sign in.
    """
    is_page = request.accepts("text/html")
    if is_page and settings.MEMORYHUB_TEAM and not request.headers.get("HX-Request"):
        return redirect_to_login(
            request.get_full_path() if is_safe(request) else reverse("home")
        )
    if is_page:
        title = gettext("Not signed in")
        page = "" if link_failed else _page_to_open(request)
        context = {"title": title, "link_failed": link_failed, "page": page}
        response = render(request, "people/signed_out.html", context, status=401)
    else:
        text = "not signed in: memoryhub open gives a browser a link\n"
        response = HttpResponse(text, "text/plain; charset=utf-8", 401)
    response["WWW-Authenticate"] = "Bearer"
    # Reload the page that requested a part of itself.
    response["HX-Refresh"] = "true"
    add_never_cache_headers(response)
    return response


def _page_to_open(request: HttpRequest) -> str:
    """Return the path of a page as an argument of a command; "" if it needs quoting."""
    path = own_path(request.path)
    return path if is_safe(request) and _PLAIN_PATH.fullmatch(path) else ""


def is_safe(request: HttpRequest) -> bool:
    """Return whether a request can be repeated after a sign-in."""
    return request.method in {"GET", "HEAD"}


def preferred_zone(get_response: Answering) -> Answering:
    """Return a middleware that sets the preferred time zone of a request."""

    def middleware(request: HttpRequest) -> HttpResponse:
        name = request.COOKIES.get(ZONE_COOKIE, "")
        known = name and name in available_timezones()
        token = PREFERRED_ZONE.set(ZoneInfo(name) if known else None)
        try:
            return get_response(request)
        finally:
            PREFERRED_ZONE.reset(token)

    return middleware
