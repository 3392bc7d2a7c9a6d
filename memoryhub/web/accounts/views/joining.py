"""The page of an invitation: join with a password, by the provider, or as oneself."""

from __future__ import annotations

from allauth.account.internal.flows.login import perform_login, record_authentication
from allauth.account.models import Login
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from memoryhub.accounts.adapters import INVITED
from memoryhub.accounts.models import Invitation
from memoryhub.accounts.services.invitations import accept, invitation_with
from memoryhub.accounts.services.persons import create_person
from memoryhub.errors.base import ToolError
from memoryhub.people.models import User
from memoryhub.people.rights import Role
from memoryhub.web.accounts.forms import JoinForm
from memoryhub.web.accounts.views.profile import tell_if_sent
from memoryhub.web.kit.responses import SeeOther


@login_not_required
@never_cache
@sensitive_post_parameters("password", "again")
@require_http_methods(["GET", "POST"])
def join(request: HttpRequest, secret: str) -> HttpResponse:
    """Show an invitation, or use it up."""
    invitation = invitation_with(secret)
    if invitation is None:
        return _over(request)
    try:
        if isinstance(request.user, User):
            return _join_as_oneself(request, invitation, request.user)
        return _join_anew(request, invitation, secret)
    except ToolError:
        # Somebody was quicker.
        return _over(request)


def _over(request: HttpRequest) -> HttpResponse:
    context = {"title": gettext("This invitation is no longer valid")}
    return render(request, "accounts/invitation_over.html", context, status=404)


def _join_as_oneself(
    request: HttpRequest, invitation: Invitation, person: User
) -> HttpResponse:
    if request.method == "POST":
        accept(invitation, person)
        return SeeOther(_home_of(invitation))
    return _page(request, invitation, {"person": person})


def _join_anew(
    request: HttpRequest, invitation: Invitation, secret: str
) -> HttpResponse:
    if request.method != "POST":
        request.session[INVITED] = secret
        first = {"name": invitation.name, "email": invitation.email}
        return _page(request, invitation, {"form": JoinForm(initial=first)})
    form = JoinForm(request.POST)
    if not form.is_valid():
        return _page(request, invitation, {"form": form}, status=422)
    person = _create(form, invitation)
    request.session.pop(INVITED, None)
    record_authentication(request, person, "password", username=person.username)
    messages.success(request, gettext("Welcome, %s") % person.shown_name)
    tell_if_sent(request, person)
    login = Login(user=person, redirect_url=_home_of(invitation))
    response: HttpResponse = perform_login(request, login)
    return response


@transaction.atomic
def _create(form: JoinForm, invitation: Invitation) -> User:
    """Create the person and use the invitation up, or neither."""
    data = form.cleaned_data
    person = create_person(
        data["username"],
        name=data["name"],
        email=data["email"],
        password=data["password"],
        by=invitation.made_by.username if invitation.made_by else "",
    )
    accept(invitation, person)
    return person


def _home_of(invitation: Invitation) -> str:
    workspace = invitation.workspace
    return reverse("workspace", args=[workspace.slug]) if workspace else reverse("home")


def _page(
    request: HttpRequest,
    invitation: Invitation,
    more: dict[str, object],
    *,
    status: int = 200,
) -> HttpResponse:
    context = {
        "title": gettext("Invitation"),
        "invitation": invitation,
        "role": Role(invitation.role).label if invitation.role else "",
        "provider": settings.MEMORYHUB_OIDC_NAME if settings.MEMORYHUB_OIDC_URL else "",
        **more,
    }
    return render(request, "accounts/join.html", context, status=status)
