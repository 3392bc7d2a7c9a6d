"""People of the hub, one's own page, invitations, ways to sign in."""

from __future__ import annotations

from collections.abc import Callable

from allauth.account.decorators import reauthentication_required
from allauth.account.internal.flows.login import perform_login, record_authentication
from allauth.account.models import Login
from allauth.core.internal.ratelimit import consume
from allauth.core.ratelimit import respond_429
from allauth.mfa.webauthn import views as passkey_views
from allauth.socialaccount.providers import registry
from allauth.socialaccount.providers.openid_connect import views as provider_views
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_not_required
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from memoryhub.accounts.adapters import INVITED
from memoryhub.accounts.models import Invitation
from memoryhub.accounts.openid import HubProvider
from memoryhub.accounts.second_factor import lacks_second_factor
from memoryhub.accounts.services import invitations, persons
from memoryhub.accounts.services.invitations import accept, invitation_with
from memoryhub.accounts.services.persons import create_person
from memoryhub.errors.base import ToolError
from memoryhub.journal.models import Workspace
from memoryhub.people.models import User
from memoryhub.people.policy import person_of
from memoryhub.people.rights import Role
from memoryhub.people.roles import OPERATOR, role_of, workspaces_of
from memoryhub.web.accounts.forms import EmailForm, InviteForm, JoinForm, NameForm
from memoryhub.web.accounts.own import (
    account_context,
    gives_words,
    invitation_rows,
    people_rows,
)
from memoryhub.web.kit.http import typed
from memoryhub.web.kit.listing import takes
from memoryhub.web.kit.responses import SeeOther
from memoryhub.web.kit.served import absolute_for
from memoryhub.web.people.members import last_administrator
from memoryhub.web.people.persons import me_page
from memoryhub.workspaces.services.leaving import deactivate, hanging_on, heirs_of

# Not by INSTALLED_APPS: it loads an HTTP client, which takes each command 50 ms.
registry.register(HubProvider)


@require_GET
def people(request: HttpRequest) -> HttpResponse:
    """List everybody with an account, and open invitations."""
    by = person_of(request)
    context = {
        "title": gettext("People"),
        "people": people_rows(),
        "invitations": invitation_rows(invitations.open_invitations(by)),
    }
    return render(request, "accounts/people.html", context)


@never_cache
@require_http_methods(["GET", "POST"])
@takes("workspace")
def invite(request: HttpRequest) -> HttpResponse:
    """Create an invitation, whose link is shown once."""
    by = person_of(request)
    known = _inviting(by)
    if not known and not by.hub_administrator:
        raise Http404
    blank = InviteForm(workspaces=known, whole_hub=by.hub_administrator)
    blank.initial["workspace"] = request.GET.get("workspace", "")
    if request.method != "POST":
        return _invite_page(request, by, blank)
    form = InviteForm(request.POST, workspaces=known, whole_hub=by.hub_administrator)
    if not form.is_valid():
        return _invite_page(request, by, form, status=422)
    new = invitations.invite(form.offer(), by)
    link = absolute_for(request, reverse("join", args=[new.secret]))
    sent = persons.send_invitation(new.row, link, by)
    gives = gives_words(new.row)
    return _invite_page(request, by, blank, link=link, sent=sent, gives=gives)


def _invite_page(
    request: HttpRequest,
    by: User,
    form: InviteForm,
    *,
    status: int = 200,
    **made: object,
) -> HttpResponse:
    context = {
        "title": gettext("Invite"),
        "form": form,
        "invitations": invitation_rows(invitations.open_invitations(by)),
        **made,
    }
    return render(request, "accounts/invite.html", context, status=status)


@require_POST
def revoke_invitation(request: HttpRequest, number: int) -> HttpResponse:
    """Delete an open invitation."""
    by = person_of(request)
    known = {row.pk: row for row in invitations.open_invitations(by)}
    if number not in known:
        raise Http404
    invitations.revoke(known[number], by)
    messages.success(request, gettext("Invitation revoked"))
    return SeeOther(reverse("people" if by.hub_administrator else "invite"))


@require_GET
def person(request: HttpRequest, number: int) -> HttpResponse:
    """Show one person to an administrator of the hub."""
    return _person_page(request, person_of(request), _person(number))


@never_cache
@require_http_methods(["GET", "POST"])
def deactivate_person(request: HttpRequest, number: int) -> HttpResponse:
    """Show a person's tokens, comments and sign-offs; deactivate and hand over."""
    by, whom = person_of(request), _person(number)
    hanging = hanging_on(whom)
    others = [one for one in heirs_of(hanging) if one != whom]
    if request.method == "POST":
        named = typed(request.POST, "heir")
        heir = next((one for one in others if one.username == named), None)
        if named and heir is None:
            raise Http404
        try:
            deactivate(whom, heir, by.username)
        except ToolError as error:
            messages.error(request, _kept_words(error))
        else:
            text = gettext("%s is signed out and cannot sign in any more")
            messages.success(request, text % whom.shown_name)
        return SeeOther(reverse("person", args=[number]))
    title = gettext("Deactivate %(name)s") % {"name": whom.shown_name}
    context = {
        "title": title,
        "crumbs": [
            (gettext("People"), reverse("people")),
            (whom.shown_name, reverse("person", args=[number])),
            (title, request.path),
        ],
        "whom": whom,
        "hanging": hanging,
        "others": others,
    }
    return render(request, "accounts/deactivate.html", context)


def _kept_words(error: ToolError) -> str:
    """Return why the hub or a workspace keeps its last administrator."""
    if error.code == "last-hub-administrator":
        return gettext("The hub needs an administrator.")
    return last_administrator(error)


@never_cache
@require_POST
def change_person(request: HttpRequest, number: int, act: str) -> HttpResponse:
    """Do something to a person's account; a reset link is shown once."""
    by, whom = person_of(request), _person(number)
    if act == "reset-link":
        path = persons.reset_link_for(whom, by)
        return _person_page(request, by, whom, link=absolute_for(request, path))
    done = _ACTS.get(act)
    if done is None:
        raise Http404
    try:
        messages.success(request, done(whom, by.username))
    except ToolError as error:
        messages.error(request, _kept_words(error))
    return SeeOther(reverse("person", args=[number]))


def _activate(whom: User, by: str) -> str:
    persons.set_active(whom, active=True, by=by)
    return gettext("%s can sign in again") % whom.shown_name


def _reset_second_factor(whom: User, by: str) -> str:
    persons.reset_second_factor(whom, by)
    return gettext("Second factors removed")


def _end_sessions(whom: User, by: str) -> str:
    persons.end_sessions(whom, by)
    return gettext("Sessions ended")


def _promote(whom: User, by: str) -> str:
    persons.set_hub_administrator(whom, wanted=True, by=by)
    return gettext("%s is an administrator of the hub") % whom.shown_name


def _demote(whom: User, by: str) -> str:
    persons.set_hub_administrator(whom, wanted=False, by=by)
    return gettext("%s is no longer an administrator of the hub") % whom.shown_name


_ACTS: dict[str, Callable[[User, str], str]] = {
    "activate": _activate,
    "reset-second-factor": _reset_second_factor,
    "end-sessions": _end_sessions,
    "promote": _promote,
    "demote": _demote,
}


def _person(number: int) -> User:
    return get_object_or_404(User.objects.exclude(username=OPERATOR), pk=number)


def _inviting(by: User) -> list[Workspace]:
    """Return the workspaces to which a person may invite."""
    known = workspaces_of(by)
    return [one for one in known if role_of(by, one) == Role.ADMINISTRATOR]


def _person_page(
    request: HttpRequest, by: User, whom: User, *, link: str = ""
) -> HttpResponse:
    context = {
        **account_context(whom, None),
        "title": whom.shown_name,
        "crumbs": [
            (gettext("People"), reverse("people")),
            (whom.shown_name, request.path),
        ],
        "whom": whom,
        "is_oneself": by.pk == whom.pk,
        "roles": [(one, role_of(whom, one)) for one in workspaces_of(whom)],
        "link": link,
    }
    return render(request, "accounts/person.html", context)


@require_POST
def change_name(request: HttpRequest) -> HttpResponse:
    """Save the name that pages show."""
    person = person_of(request)
    form = NameForm(request.POST, instance=person)
    if not form.is_valid():
        return me_page(request, status=422, name_form=form)
    form.save()
    messages.success(request, gettext("Name saved"))
    return SeeOther(reverse("me"))


@require_http_methods(["GET", "POST"])
@reauthentication_required(allow_get=True)  # type: ignore[untyped-decorator]
def change_email(request: HttpRequest) -> HttpResponse:
    """Save the e-mail address, after a password or a second factor.

    With a mail server, a message asks whoever reads that address to confirm it.
    """
    person = person_of(request)
    if request.method != "POST":
        return SeeOther(reverse("me"))
    form = EmailForm(request.POST, person=person)
    if not form.is_valid():
        return me_page(request, status=422, email_form=form)
    persons.set_email(person, form.cleaned_data["email"])
    messages.success(request, gettext("E-mail address saved"))
    tell_if_sent(request, person)
    return SeeOther(reverse("me"))


def tell_if_sent(request: HttpRequest, person: User) -> None:
    """Mail a link that confirms the person's address; say so if the mail went out."""
    if persons.send_confirmation(person, request):
        text = gettext("Look into your mail: a link there confirms %(address)s")
        messages.info(request, text % {"address": person.email})


def second_factor(request: HttpRequest) -> HttpResponse:
    """Redirect to the second factors on a person's own page.

    Who has to set one up first gets a page that says so.
    """
    if lacks_second_factor(request):
        context = {"title": gettext("A second factor is needed")}
        return render(request, "accounts/factor_needed.html", context)
    return SeeOther(f"{reverse('me')}#second-factor")


@require_POST
def end_session(request: HttpRequest) -> HttpResponse:
    """End one session, or all but this one; the current one means signing out."""
    person, key = person_of(request), request.session.session_key
    wanted = request.POST.get("session", "")
    if not wanted:
        persons.end_sessions(person, person.username, but=key)
    elif any(
        one.current and one.id == wanted for one in persons.sessions_of(person, key)
    ):
        logout(request)
        return SeeOther(reverse("account_login"))
    else:
        persons.end_session(person, wanted)
    messages.success(request, gettext("Session ended"))
    return SeeOther(f"{reverse('me')}#sessions")


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


@login_not_required
def passkey_login(request: HttpRequest) -> HttpResponse:
    """Give a challenge, or sign in by its answer.

    Each challenge is a session in the database: so many a minute from an address.
    """
    if not consume(request, app="allauth.account", action="login", limit_get=True):
        refused: HttpResponse = respond_429(request)
        return refused
    response: HttpResponse = passkey_views.login_webauthn(request)
    return response


@login_not_required
def provider_login(request: HttpRequest, provider_id: str) -> HttpResponse:
    """Send the browser to the provider by a page that goes on by itself.

    A redirect would be refused: pages send forms to this hub only (`form-action`).
    """
    if request.method != "POST":
        return redirect("account_login")
    response: HttpResponse = provider_views.login(request, provider_id)
    target = response.headers.get("Location", "")
    if not target.startswith(("https://", "http://")):
        return response
    context = {"title": gettext("Sign in"), "target": target}
    return render(request, "accounts/leaving.html", context)
