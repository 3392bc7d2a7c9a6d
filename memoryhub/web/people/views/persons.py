"""Sign-in of a browser by a link, sign-out, and the page of a person's preferences."""

from __future__ import annotations

from typing import Any
from zoneinfo import available_timezones

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_not_required
from django.forms import BaseForm
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext, override
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from memoryhub.accounts.services.persons import end_sessions
from memoryhub.audit.failures import record_stranger
from memoryhub.notices.channels import plan_anew
from memoryhub.people.models import User
from memoryhub.people.policy import person_of
from memoryhub.people.services.sign_in import sign_in, sign_out_everywhere, use_link
from memoryhub.web.accounts.presenters import account_context
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
    if settings.MEMORYHUB_TEAM:
        raise Http404
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
        _end_all(person_of(request))
    logout(request)
    response = redirect("me")
    response.status_code = 303
    return response


def _end_all(person: User) -> None:
    if settings.MEMORYHUB_TEAM:
        end_sessions(person, person.username)
    else:
        sign_out_everywhere(person)


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
        return me_page(request)
    form = PreferencesForm(request.POST, instance=person)
    if not form.is_valid():
        return me_page(request, status=422, form=form)
    form.save()
    if {"time_zone", "language"} & {*form.changed_data}:
        plan_anew(person)
    with override(person.language or None):
        messages.success(request, gettext("Preferences saved"))
    response = redirect("me")
    response.status_code = 303
    _keep(response, person)
    return response


def me_page(
    request: HttpRequest, *, status: int = 200, **forms: BaseForm
) -> HttpResponse:
    """Render a person's own page; `forms` replace those that were sent with faults."""
    person = person_of(request)
    context: dict[str, Any] = {
        "title": gettext("Your preferences"),
        "form": PreferencesForm(instance=person),
        "zones": sorted(available_timezones()),
    }
    if settings.MEMORYHUB_TEAM:
        context |= {"title": gettext("Your account")}
        context |= account_context(person, request.session.session_key)
    return render(request, "people/me.html", context | forms, status=status)


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
