"""Who a request is by, and in which zone a person sees times."""

from __future__ import annotations

from collections.abc import Callable
from zoneinfo import ZoneInfo, available_timezones

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import add_never_cache_headers
from django.utils.translation import gettext

from memoryhub.people.access import is_trusted
from memoryhub.people.policy import operator
from memoryhub.people.sites import REFUSAL, is_refused
from memoryhub.web.kit.clock import PREFERRED_ZONE

ZONE_COOKIE = "memoryhub_zone"
#: Its own door asks for a token, and takes no cookie that another site could use.
_API = "api"

Answering = Callable[[HttpRequest], HttpResponse]


def other_sites_refused(get_response: Answering) -> Answering:
    """Return a middleware that answers other sites nothing but links people follow."""

    def middleware(request: HttpRequest) -> HttpResponse:
        if is_refused(request.method or "", request.headers):
            return HttpResponse(f"{REFUSAL}\n", "text/plain; charset=utf-8", 403)
        return get_response(request)

    return middleware


def loopback_trusted(get_response: Answering) -> Answering:
    """Return a middleware that signs in who needs no sign-in, where that is set."""

    def middleware(request: HttpRequest) -> HttpResponse:
        if is_trusted(request.META.get("REMOTE_ADDR", ""), request.headers):
            request.user = operator()
        return get_response(request)

    return middleware


class SignedIn:
    """Shows pages to people who are signed in, and says to others how to.

    A view is a page unless it says so itself, by Django's `login_not_required`.
    """

    def __init__(self, get_response: Answering) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self._get_response(request)

    def process_view(
        self, request: HttpRequest, view: Answering, *_: object
    ) -> HttpResponse | None:
        """Return what a stranger is answered; None for those who may see the view."""
        match = request.resolver_match
        is_api = match is not None and _API in match.namespaces
        if is_api or not getattr(view, "login_required", True):
            return None
        return None if request.user.is_authenticated else signed_out(request)


def signed_out(request: HttpRequest, *, link_failed: bool = False) -> HttpResponse:
    """Answer who is not signed in: a page for people, a line for programs."""
    if request.accepts("text/html"):
        title = gettext("Not signed in")
        context = {"title": title, "link_failed": link_failed}
        response = render(request, "people/signed_out.html", context, status=401)
    else:
        text = "not signed in: memoryhub open gives a browser a link\n"
        response = HttpResponse(text, "text/plain; charset=utf-8", 401)
    response["WWW-Authenticate"] = "Bearer"
    # A part of a page that was open all the time: have it shown anew.
    response["HX-Refresh"] = "true"
    add_never_cache_headers(response)
    return response


def preferred_zone(get_response: Answering) -> Answering:
    """Return a middleware that sets the zone of a request's pages."""

    def middleware(request: HttpRequest) -> HttpResponse:
        name = request.COOKIES.get(ZONE_COOKIE, "")
        known = name and name in available_timezones()
        token = PREFERRED_ZONE.set(ZoneInfo(name) if known else None)
        try:
            return get_response(request)
        finally:
            PREFERRED_ZONE.reset(token)

    return middleware
