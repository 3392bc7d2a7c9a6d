"""Sign-in by a passkey alone."""

from __future__ import annotations

from allauth.core.internal.ratelimit import consume
from allauth.core.ratelimit import respond_429
from allauth.mfa.webauthn import views
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse


@login_not_required
def login(request: HttpRequest) -> HttpResponse:
    """Give a challenge, or sign in by its answer.

    Each challenge is a session in the database: so many a minute from an address.
    """
    if not consume(request, app="allauth.account", action="login", limit_get=True):
        refused: HttpResponse = respond_429(request)
        return refused
    response: HttpResponse = views.login_webauthn(request)
    return response
