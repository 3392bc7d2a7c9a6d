"""Sign-in by a link, preferences, saved views and tokens, with their forms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from zoneinfo import available_timezones

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_not_required
from django.db import transaction
from django.forms import BaseForm
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext, gettext_lazy, override
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from memoryhub.accounts.services.persons import end_sessions
from memoryhub.audit.failures import record_stranger
from memoryhub.errors.base import ToolError
from memoryhub.journal.models import Workspace
from memoryhub.journal.scopes import Scope
from memoryhub.notices.channels import plan_anew
from memoryhub.people.models import AccessToken, SavedView, User
from memoryhub.people.policy import (
    check_right,
    may,
    person_of,
    team_member,
    workspace_or_404,
    workspaces,
)
from memoryhub.people.rights import Right
from memoryhub.people.roles import role_of
from memoryhub.people.services.names import checked_agent
from memoryhub.people.services.saved_views import (
    MOST_VIEWS,
    delete_view,
    save_view,
    view_address,
)
from memoryhub.people.services.sign_in import sign_in, sign_out_everywhere, use_link
from memoryhub.people.services.tokens import (
    DAYS,
    FOR_EVER,
    NewToken,
    extend_token,
    make_token,
    revoke_token,
    rotate_token,
    rows_of,
    scopes_for,
    scopes_of,
    states_of,
    tokens_of,
)
from memoryhub.web.accounts.own import account_context
from memoryhub.web.kit.clock import Clock
from memoryhub.web.kit.frame import shell_of
from memoryhub.web.kit.http import typed
from memoryhub.web.kit.links import addresses_of
from memoryhub.web.kit.listing import takes
from memoryhub.web.kit.responses import SeeOther, back_to
from memoryhub.web.people.middleware import signed_out
from memoryhub.web.rights import opens

_YEAR = 31_536_000


class PreferencesForm(forms.ModelForm):  # type: ignore[type-arg]
    """Preferences of one person."""

    class Meta:
        model = User
        fields = ["theme", "density", "time_zone", "language", "single_keys"]
        labels = {
            "theme": gettext_lazy("Theme"),
            "density": gettext_lazy("Density"),
            "time_zone": gettext_lazy("Time zone"),
            "language": gettext_lazy("Language"),
            "single_keys": gettext_lazy("Single-key shortcuts"),
        }
        help_texts = {
            "time_zone": gettext_lazy(
                "Such as Europe/Berlin. Empty: times are those of each workspace."
            ),
        }
        widgets = {
            "time_zone": forms.TextInput(
                attrs={"list": "zones", "autocomplete": "off", "spellcheck": "false"}
            ),
            "language": forms.Select(
                choices=[("", gettext_lazy("Browser")), *settings.LANGUAGES]
            ),
        }

    def clean_time_zone(self) -> str:
        """Return the name of the zone; empty for none.

        Raises:
            ValidationError: There is no such zone.
        """
        name: str = self.cleaned_data["time_zone"].strip()
        if name and name not in available_timezones():
            raise forms.ValidationError(gettext_lazy("There is no such time zone."))
        return name

    def clean_language(self) -> str:
        """Return a language of the pages; empty for any other."""
        chosen: str = self.cleaned_data["language"]
        return chosen if chosen in dict(settings.LANGUAGES) else ""


class SaveViewForm(forms.Form):
    """A name for an address below a workspace's own."""

    name = forms.CharField(label=gettext_lazy("Name"), max_length=80)
    address = forms.CharField(widget=forms.HiddenInput, max_length=4_000)

    def __init__(
        self, data: Mapping[str, Any], *, person: User, workspace: Workspace
    ) -> None:
        super().__init__(data)
        self._others = SavedView.objects.filter(user=person, workspace=workspace)

    def clean_address(self) -> str:
        """Return the normalised address.

        Raises:
            ValidationError: It is no filtered timeline or list.
        """
        address = view_address(self.cleaned_data["address"])
        if not address:
            words = gettext_lazy("Only a filtered timeline or list can be saved.")
            raise forms.ValidationError(words)
        return address

    def clean_name(self) -> str:
        """Return the name.

        Raises:
            ValidationError: The person has the most views allowed.
        """
        name: str = self.cleaned_data["name"]
        if self._others.exclude(name=name).count() >= MOST_VIEWS:
            words = gettext_lazy("There are 20 saved views; remove one first.")
            raise forms.ValidationError(words)
        return name


class TokenForm(forms.Form):
    """A token for an agent: name, scopes, validity, access to private memory."""

    agent = forms.CharField(
        label=gettext_lazy("Agent"),
        max_length=80,
        help_text=gettext_lazy(
            "Its actions are recorded in the journal under this name."
        ),
        widget=forms.TextInput({"autocomplete": "off", "spellcheck": "false"}),
    )
    scopes = forms.MultipleChoiceField(
        label=gettext_lazy("Permissions"),
        choices=[
            (Scope.READ.value, gettext_lazy("read and search")),
            (Scope.MEMORY.value, gettext_lazy("write memory folders")),
            (
                Scope.INSTRUCTIONS.value,
                gettext_lazy("change instructions, each change after a review"),
            ),
            (Scope.HANDOFF.value, gettext_lazy("send and take handoffs")),
            (Scope.ADMIN.value, gettext_lazy("full access")),
        ],
        widget=forms.CheckboxSelectMultiple,
        initial=[Scope.READ.value],
    )
    days = forms.TypedChoiceField(
        label=gettext_lazy("Valid for"),
        choices=[
            ("30", gettext_lazy("30 days")),
            ("90", gettext_lazy("90 days")),
            ("365", gettext_lazy("a year")),
            (str(FOR_EVER), gettext_lazy("until it is revoked")),
        ],
        coerce=int,
        empty_value=str(DAYS),
        required=False,
        initial=str(DAYS),
    )
    reader = forms.ChoiceField(
        label=gettext_lazy("Private memory (MEMORY.md)"),
        choices=[
            ("", gettext_lazy("for requests that name a private session")),
            ("private", gettext_lazy("always: it is for the agent's main session")),
            ("shared", gettext_lazy("never: it is for sessions of groups")),
        ],
        required=False,
    )
    profile = forms.ChoiceField(
        label=gettext_lazy("Tools that MCP lists"),
        choices=[
            ("", gettext_lazy("what an agent at work needs")),
            ("coordinator", gettext_lazy("those of a coordinator")),
            ("worker", gettext_lazy("those of a worker: memory and its handoffs")),
            ("memory", gettext_lazy("memory only")),
            ("all", gettext_lazy("all that its permissions allow")),
        ],
        help_text=gettext_lazy("A short list saves context; it grants nothing."),
        required=False,
    )
    also = forms.MultipleChoiceField(
        label=gettext_lazy("Also in these workspaces"),
        widget=forms.CheckboxSelectMultiple,
        required=False,
    )

    def __init__(
        self, data: Mapping[str, Any] | None = None, *, workspace: Workspace
    ) -> None:
        super().__init__(data, label_suffix="")
        self._workspace = workspace
        self._others = {
            one.slug: one
            for one in workspaces()
            if one != workspace and may(Right.TOKENS, one.slug)
        }
        self.fields["also"].choices = [  # type: ignore[attr-defined]
            (slug, one.name) for slug, one in self._others.items()
        ]
        maker = team_member()
        if maker is not None:
            given = {scope.value for scope in scopes_for(role_of(maker, workspace))}
            choices = self.fields["scopes"].choices  # type: ignore[attr-defined]
            kept = [choice for choice in choices if choice[0] in given]
            self.fields["scopes"].choices = kept  # type: ignore[attr-defined]

    def clean_also(self) -> list[Workspace]:
        """Return the further workspaces."""
        return [self._others[slug] for slug in self.cleaned_data["also"]]

    def clean(self) -> dict[str, Any]:
        """Check the agent's name in each workspace."""
        data = self.cleaned_data
        try:
            for place in (self._workspace, *data.get("also", ())):
                data["agent"] = checked_agent(data.get("agent", ""), place)
        except ToolError as error:
            if "agent" not in self.errors:
                self.add_error("agent", _name_text(error))
        return data


def _name_text(error: ToolError) -> str:
    if error.code == "agent-look-alike":
        text = gettext("That looks like %(other)s, another agent of this workspace.")
        return text % error.parameters
    return gettext("This is not a valid agent name.")


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


@require_POST
def keep_view(request: HttpRequest, slug: str) -> HttpResponse:
    """Save a page's address under a name; 422 with the form if invalid."""
    workspace = workspace_or_404(slug)
    person = person_of(request)
    form = SaveViewForm(request.POST, person=person, workspace=workspace)
    if not form.is_valid():
        title = gettext("Save this view")
        shell = shell_of(workspace, [(title, "")])
        context = {"shell": shell, "page": "", "title": title, "form": form}
        return render(request, "people/save_view.html", context, status=422)
    view = save_view(person, workspace, **form.cleaned_data)
    messages.success(request, gettext("Saved as “%(name)s”") % {"name": view.name})
    return SeeOther(reverse("workspace", args=[slug]) + view.address)


@require_POST
def drop_view(request: HttpRequest, slug: str, view: int) -> HttpResponse:
    """Delete a saved view; its page is not affected."""
    workspace = workspace_or_404(slug)
    gone = delete_view(person_of(request), workspace, view)
    if gone is None:
        raise Http404
    text = gettext("“%(name)s” was deleted from saved views") % {"name": gone.name}
    messages.success(request, text)
    return SeeOther(back_to(request, reverse("workspace", args=[slug])))


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@takes("agent")
def tokens(request: HttpRequest, slug: str) -> HttpResponse:
    """List the tokens of a workspace; create one, whose secret only this page shows."""
    workspace = workspace_or_404(slug)
    if request.method != "POST":
        blank = TokenForm(workspace=workspace)
        blank.initial["agent"] = typed(request.GET, "agent", size=80)
        return _page(request, workspace, blank)
    form = TokenForm(request.POST, workspace=workspace)
    if not form.is_valid():
        return _page(request, workspace, form)
    data = form.cleaned_data
    scopes = map(Scope, data["scopes"])
    with transaction.atomic():
        new = make_token(
            workspace,
            data["agent"],
            scopes,
            days=int(data["days"]),
            reader=data["reader"],
            profile=data["profile"],
        )
        for other in data["also"]:
            extend_token(new.row, other)
    return _page(request, workspace, TokenForm(workspace=workspace), new=new)


@require_POST
def withdraw_token(request: HttpRequest, slug: str) -> HttpResponse:
    """Revoke a token."""
    workspace = workspace_or_404(slug)
    gone = revoke_token(workspace, typed(request.POST, "token"))
    if gone is None:
        raise Http404
    text = gettext("The token of %(agent)s is no longer valid") % {"agent": gone.agent}
    messages.success(request, text)
    return SeeOther(addresses_of(slug).tokens)


@never_cache
@require_POST
def replace_token(request: HttpRequest, slug: str) -> HttpResponse:
    """Replace a token in all its workspaces; the page shows the new secret once.

    The person needs the right in each of them.
    """
    workspace = workspace_or_404(slug)
    prefix = typed(request.POST, "token")
    row = next((row for row in tokens_of(workspace) if row.prefix == prefix), None)
    if row is None:
        raise Http404
    for other in rows_of(row):
        check_right(Right.TOKENS, other.workspace.slug)
    return _page(
        request, workspace, TokenForm(workspace=workspace), new=rotate_token(row)
    )


def _page(
    request: HttpRequest,
    workspace: Workspace,
    form: TokenForm,
    *,
    new: NewToken | None = None,
) -> HttpResponse:
    addresses = addresses_of(workspace.slug)
    title = gettext("Access tokens")
    crumbs = [(gettext("Settings"), addresses.settings), (title, addresses.tokens)]
    crumbs = [crumb for crumb in crumbs if opens(crumb[1])]
    shell = shell_of(workspace, crumbs)
    context = {
        "shell": shell,
        "page": "settings",
        "title": title,
        "form": form,
        "new": new,
        "tokens": _shown_all(workspace, shell.clock),
    }
    status = 422 if form.errors else 200
    return render(request, "people/token_list.html", context, status=status)


def _shown_all(workspace: Workspace, clock: Clock) -> list[dict[str, Any]]:
    rows = tokens_of(workspace)
    states = states_of(rows)
    return [_shown(row, clock) | {"state": states[row.pk]} for row in rows]


def _shown(token: AccessToken, clock: Clock) -> dict[str, Any]:
    used, ends = token.last_used_at, token.expires_at
    return {
        "agent": token.agent,
        "prefix": token.prefix,
        "scopes": [scope.value for scope in Scope if scope in scopes_of(token)],
        "shared": token.shared,
        "private": token.private,
        "profile": token.profile,
        "maker": token.maker.get_username() if token.maker else "",
        "ends": clock.moment(ends) if ends else "",
        "used": clock.age(used) if used else "",
    }
