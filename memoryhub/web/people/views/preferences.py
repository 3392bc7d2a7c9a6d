"""The page of a person's preferences."""

from __future__ import annotations

from zoneinfo import available_timezones

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext, override
from django.views.decorators.http import require_http_methods

from memoryhub.people.models import User
from memoryhub.people.policy import person_of
from memoryhub.web.people.forms import PreferencesForm

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
