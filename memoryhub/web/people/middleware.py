"""Middleware of people: cross-site checks, sign-in, time zone."""

from __future__ import annotations

from collections.abc import Callable
from zoneinfo import ZoneInfo, available_timezones

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import add_never_cache_headers
from django.utils.translation import gettext

from memoryhub.people.access import is_trusted
from memoryhub.people.policy import operator
from memoryhub.people.sites import REFUSAL, is_refused
from memoryhub.web.kit.clock import PREFERRED_ZONE

ZONE_COOKIE = "memoryhub_zone"
#: The API has its own authentication by token; it accepts no cookie, so no CSRF.
_API = "api"

Answering = Callable[[HttpRequest], HttpResponse]


def other_sites_refused(get_response: Answering) -> Answering:
    """Return a middleware that refuses cross-site requests except followed links."""

    def middleware(request: HttpRequest) -> HttpResponse:
        if is_refused(request.method or "", request.headers):
            return HttpResponse(f"{REFUSAL}\n", "text/plain; charset=utf-8", 403)
        return get_response(request)

    return middleware


def loopback_trusted(get_response: Answering) -> Answering:
    """Return a middleware that signs in trusted local requests, if that is set."""

    def middleware(request: HttpRequest) -> HttpResponse:
        if is_trusted(request.META.get("REMOTE_ADDR", ""), request.headers):
            request.user = operator()
        return get_response(request)

    return middleware


class SignedIn:
    """Middleware that requires sign-in for pages; others get a hint how to sign in.

    Every view is a page unless marked by Django's `login_not_required`.
    """

    def __init__(self, get_response: Answering) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self._get_response(request)

    def process_view(
        self, request: HttpRequest, view: Answering, *_: object
    ) -> HttpResponse | None:
        """Return the response for anonymous requests; None if the view is allowed."""
        match = request.resolver_match
        is_api = match is not None and _API in match.namespaces
        if is_api or not getattr(view, "login_required", True):
            return None
        return None if request.user.is_authenticated else signed_out(request)


def signed_out(request: HttpRequest, *, link_failed: bool = False) -> HttpResponse:
    """Return 401 with a page for browsers, a line of text for programs.

    Browsers of a team are redirected to the page where people sign in.
    """
    is_page = request.accepts("text/html")
    if is_page and settings.MEMORYHUB_TEAM and not request.headers.get("HX-Request"):
        return redirect_to_login(request.get_full_path() if is_safe(request) else "/")
    if is_page:
        title = gettext("Not signed in")
        context = {"title": title, "link_failed": link_failed}
        response = render(request, "people/signed_out.html", context, status=401)
    else:
        text = "not signed in: memoryhub open gives a browser a link\n"
        response = HttpResponse(text, "text/plain; charset=utf-8", 401)
    response["WWW-Authenticate"] = "Bearer"
    # Reload the page that requested a part of itself.
    response["HX-Refresh"] = "true"
    add_never_cache_headers(response)
    return response


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
