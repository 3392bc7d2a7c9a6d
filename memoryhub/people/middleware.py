"""Shows times in the zone a person prefers, without asking the database."""

from __future__ import annotations

from collections.abc import Callable
from zoneinfo import ZoneInfo, available_timezones

from django.http import HttpRequest, HttpResponse

from memoryhub.moments import PREFERRED_ZONE

ZONE_COOKIE = "memoryhub_zone"


def preferred_zone(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
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
