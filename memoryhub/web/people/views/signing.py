"""Sign-in of a browser by a link, and sign-out."""

from __future__ import annotations

from django.contrib.auth import logout
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from memoryhub.people.policy import person_of
from memoryhub.people.services.sign_in import sign_in, sign_out_everywhere, use_link
from memoryhub.web.kit.responses import SeeOther
from memoryhub.web.people.middleware import signed_out


# The hub logs no such link, and no following page gets it as referrer.
@login_not_required
@require_GET
@never_cache
def open_link(request: HttpRequest) -> HttpResponse:
    """Sign a browser in by the token in its address and redirect.

    If it is signed in already, the link is not used up and works for another browser.
    """
    if not request.user.is_authenticated:
        if not use_link(request.GET.get("token", "")):
            return signed_out(request, link_failed=True)
        sign_in(request)
    response = SeeOther(_wanted(request))
    response["Referrer-Policy"] = "no-referrer"
    return response


@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    """Sign this browser out, or every browser."""
    if request.POST.get("everywhere"):
        sign_out_everywhere(person_of(request))
    logout(request)
    response = redirect("me")
    response.status_code = 303
    return response


def _wanted(request: HttpRequest) -> str:
    """Return the page of this hub that ``next`` names, else the start page."""
    wanted = request.GET.get("next", "")
    is_own = url_has_allowed_host_and_scheme(wanted, {request.get_host()})
    return wanted if wanted.startswith("/") and is_own else reverse("home")
