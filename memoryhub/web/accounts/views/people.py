"""People of the hub: list, invitations, actions of administrators."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from memoryhub.accounts.services import invitations, persons
from memoryhub.errors.base import ToolError
from memoryhub.journal.models import Workspace
from memoryhub.people.models import User
from memoryhub.people.policy import person_of
from memoryhub.people.rights import Role
from memoryhub.people.roles import OPERATOR, role_of, workspaces_of
from memoryhub.web.accounts.forms import InviteForm
from memoryhub.web.accounts.presenters import (
    account_context,
    gives_words,
    invitation_rows,
    people_rows,
)
from memoryhub.web.kit.http import typed
from memoryhub.web.kit.listing import takes
from memoryhub.web.kit.responses import SeeOther
from memoryhub.web.kit.served import absolute_for
from memoryhub.web.people.member_forms import last_administrator
from memoryhub.workspaces.services.leaving import deactivate, hanging_on, heirs_of


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
