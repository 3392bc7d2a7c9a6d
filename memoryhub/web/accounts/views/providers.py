"""Sign-in at the OpenID provider."""

from __future__ import annotations

from allauth.socialaccount.providers import registry
from allauth.socialaccount.providers.openid_connect import views
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext

from memoryhub.accounts.openid import HubProvider

# Not by INSTALLED_APPS: it loads an HTTP client, which takes each command 50 ms.
registry.register(HubProvider)


@login_not_required
def login(request: HttpRequest, provider_id: str) -> HttpResponse:
    """Send the browser to the provider by a page that goes on by itself.

    A redirect would be refused: pages send forms to this hub only (`form-action`).
    """
    if request.method != "POST":
        return redirect("account_login")
    response: HttpResponse = views.login(request, provider_id)
    target = response.headers.get("Location", "")
    if not target.startswith(("https://", "http://")):
        return response
    context = {"title": gettext("Sign in"), "target": target}
    return render(request, "accounts/leaving.html", context)
