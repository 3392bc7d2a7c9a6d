"""Sign-in of a browser by a link, sign-out, and the page of a person's preferences."""

from __future__ import annotations

from zoneinfo import available_timezones

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext, override
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from memoryhub.audit.failures import record_stranger
from memoryhub.people.models import User
from memoryhub.people.policy import person_of
from memoryhub.people.services.sign_in import sign_in, sign_out_everywhere, use_link
from memoryhub.web.kit.responses import SeeOther
from memoryhub.web.people.forms import PreferencesForm
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
            record_stranger("sign-in", "link-invalid")
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


_YEAR = 31_536_000


@require_http_methods(["GET", "POST"])
def me(request: HttpRequest) -> HttpResponse:
    """Show or save the preferences; pages read them from cookies."""
    person = person_of(request)
    if request.method != "POST":
        return _page(request, PreferencesForm(instance=person))
    form = PreferencesForm(request.POST, instance=person)
    if not form.is_valid():
        return _page(request, form, status=422)
    form.save()
    with override(person.language or None):
        messages.success(request, gettext("Preferences saved"))
    response = redirect("me")
    response.status_code = 303
    _keep(response, person)
    return response


def _page(
    request: HttpRequest, form: PreferencesForm, *, status: int = 200
) -> HttpResponse:
    context = {
        "title": gettext("Your preferences"),
        "form": form,
        "zones": sorted(available_timezones()),
    }
    return render(request, "people/me.html", context, status=status)


def _keep(response: HttpResponse, person: User) -> None:
    """Set preferences as cookies for base.html, app.js and the middleware."""
    cookies = {
        "memoryhub_theme": "" if person.theme == User.Theme.SYSTEM else person.theme,
        "memoryhub_density": (
            person.density if person.density == User.Density.COMPACT else ""
        ),
        "memoryhub_keys": "" if person.single_keys else "off",
        "memoryhub_zone": person.time_zone,
        settings.LANGUAGE_COOKIE_NAME: person.language,
    }
    for name, value in cookies.items():
        if value:
            response.set_cookie(name, value, max_age=_YEAR, samesite="Lax")
        else:
            response.delete_cookie(name, samesite="Lax")
