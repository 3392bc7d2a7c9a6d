"""Parts of a person's own page: name, e-mail, second factors, sessions."""

from __future__ import annotations

from allauth.account.decorators import reauthentication_required
from django.contrib import messages
from django.contrib.auth import logout
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST

from memoryhub.accounts.second_factor import lacks_second_factor
from memoryhub.accounts.services import persons
from memoryhub.people.models import User
from memoryhub.people.policy import person_of
from memoryhub.web.accounts.forms import EmailForm, NameForm
from memoryhub.web.kit.responses import SeeOther
from memoryhub.web.people.views.persons import me_page


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
