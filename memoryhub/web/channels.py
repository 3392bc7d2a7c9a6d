"""Channels of the signed-in person: list, add, change, test, remove."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.contrib.staticfiles import finders
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy, ngettext
from django.views.decorators.cache import cache_control, never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import (
    require_GET,
    require_http_methods,
    require_POST,
)

from memoryhub.notices.channels import (
    ChannelState,
    Rules,
    TooManyChannels,
    add_channel,
    base_of,
    change_channel,
    channel_of,
    channel_states,
    channels_of,
    mail_address,
    mail_channel,
    rules_of,
    send_test,
    set_mail,
    zone_of,
)
from memoryhub.notices.models import Channel
from memoryhub.notices.sending import BadAddress, NotSent
from memoryhub.notices.web_push import application_key
from memoryhub.people.models import User
from memoryhub.people.policy import person_of
from memoryhub.people.roles import workspaces_of
from memoryhub.timeline.queries.turns import KINDS
from memoryhub.web.kit.clock import Clock
from memoryhub.web.kit.responses import SeeOther
from memoryhub.web.kit.served import absolute_for


def shown_channel(found: ChannelState, clock: Clock) -> dict[str, Any]:
    """Return a channel in words."""
    glyph, state, detail = _state(found, clock)
    return {
        "number": found.channel.pk,
        "name": found.channel.name,
        "service": found.channel.service,
        "glyph": glyph,
        "state": state,
        "detail": detail,
        "facts": (*_rules(found), *left_of(found)),
    }


def left_of(found: ChannelState) -> Iterator[str]:
    """Yield undelivered notices in words."""
    if found.waiting:
        text = ngettext("%(n)s to deliver", "%(n)s to deliver", found.waiting)
        yield text % {"n": found.waiting}
    if found.given_up:
        text = ngettext("%(n)s given up", "%(n)s given up", found.given_up)
        yield text % {"n": found.given_up}


def refusal_words(error: BadAddress) -> str:
    """Return why an address cannot be used."""
    words = {
        "unknown-service": gettext("Apprise has no service of this name here."),
        "local": gettext("This service acts on the hub's own computer."),
        "several": gettext("A channel has one recipient: add one for each."),
        "not-allowed": gettext("MEMORYHUB_CHANNELS does not allow this service."),
        "invalid": gettext("Apprise cannot use this address."),
    }
    text = words.get(error.code) or gettext("The address could not be checked.")
    return f"{text} {error.reason}" if error.code in ("invalid", "failed") else text


def _state(found: ChannelState, clock: Clock) -> tuple[str, str, str]:
    """Return the glyph and the word of a state, and the last event."""
    channel = found.channel
    if channel.error and channel.tried_at:
        words = {"age": clock.age(channel.tried_at), "error": channel.error}
        detail = gettext("Failing, %(age)s: %(error)s") % words
        return "failed", gettext("Failing"), detail
    detail = gettext("Nothing sent yet")
    if channel.delivered_at:
        age = {"age": clock.age(channel.delivered_at)}
        detail = gettext("Last message %(age)s") % age
    if channel.paused:
        return "stale", gettext("Paused"), f"{gettext('Paused')} · {detail}"
    return ("done" if channel.delivered_at else "idle"), gettext("In use"), detail


def _rules(found: ChannelState) -> Iterator[str]:
    rules = rules_of(found.channel)
    if rules.digest is None:
        yield gettext("at once")
    else:
        yield gettext("once a day at %(hour)s") % {"hour": _hour(rules.digest)}
    has_quiet = rules.digest is None and rules.quiet_from != rules.quiet_to
    if has_quiet and rules.quiet_from is not None and rules.quiet_to is not None:
        hours = {"first": _hour(rules.quiet_from), "end": _hour(rules.quiet_to)}
        yield gettext("quiet from %(first)s to %(end)s") % hours
    if rules.urgent:
        yield gettext("sign-offs and deadlocks at any hour")
    if rules.kinds:
        words = {"n": len(set(rules.kinds) & set(KINDS)), "total": len(KINDS)}
        yield gettext("%(n)s of %(total)s kinds") % words
    if number := len(rules.workspaces):
        text = ngettext("%(n)s workspace", "%(n)s workspaces", number)
        yield text % {"n": number}


def _hour(hour: int) -> str:
    return f"{hour:02}:00"


#: What may wait for a person, in words.
KIND_LABELS: dict[str, Promise] = {
    "sign-off": gettext_lazy("Sign-offs"),
    "question": gettext_lazy("Questions to you"),
    "review": gettext_lazy("Results to review"),
    "message": gettext_lazy("Messages to you"),
    "comment": gettext_lazy("Comments for you"),
    "conflict": gettext_lazy("Conflicts"),
    "staged": gettext_lazy("Edits to be written"),
    "gone": gettext_lazy("Files that disappeared"),
    "shrank": gettext_lazy("Lost lines"),
    "secrets": gettext_lazy("Secrets in files"),
    "memory": gettext_lazy("Memory to review"),
    "deadlock": gettext_lazy("Deadlocks"),
    "breaker": gettext_lazy("Open circuit breakers"),
    "overlap": gettext_lazy("Overlapping writes"),
    "claims": gettext_lazy("Files that two agents hold"),
    "silent": gettext_lazy("Silent assignees"),
    "stuck": gettext_lazy("Work that cannot start"),
    "overdue": gettext_lazy("Overdue work"),
    "unknown-recipient": gettext_lazy("Unknown recipients"),
    "lane": gettext_lazy("Stalled write lanes"),
    "blocked": gettext_lazy("Blocked work"),
    "failed": gettext_lazy("Failed work"),
    "unreadable": gettext_lazy("Files not read"),
}
#: Rules of a new channel.
DEFAULT = Rules(quiet_from=22, quiet_to=7)
_HOURS = [(str(hour), f"{hour:02}:00") for hour in range(24)]


class _HourField(forms.TypedChoiceField):
    """Choice of an hour, or of none; its value is a number or None."""

    def __init__(self, label: str | Promise, none: str | Promise) -> None:
        super().__init__(
            choices=[("", none), *_HOURS], coerce=int, empty_value=None, required=False
        )
        self.label = label  # type: ignore[assignment]


class ChannelForm(forms.Form):
    """A channel; the address is never shown again, and may be left out in a change."""

    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=80,
        widget=forms.TextInput({"autocomplete": "off"}),
    )
    address = forms.CharField(
        label=gettext_lazy("Address"),
        max_length=2_000,
        widget=forms.TextInput(
            {"autocomplete": "off", "spellcheck": "false", "class": "mono"}
        ),
        help_text=gettext_lazy(
            "An Apprise URL, such as ntfy://topic, tgram://token/chat, slack://… or"
            " mailtos://name:password@example.org. It is stored encrypted and not"
            " shown again."
        ),
    )
    digest = _HourField(gettext_lazy("Send"), gettext_lazy("At once"))
    quiet_from = _HourField(gettext_lazy("Quiet from"), gettext_lazy("never"))
    quiet_to = _HourField(gettext_lazy("Quiet until"), gettext_lazy("never"))
    urgent = forms.BooleanField(
        label=gettext_lazy("Sign-offs and deadlocks at once, at any hour"),
        required=False,
    )
    kinds = forms.MultipleChoiceField(
        label=gettext_lazy("What"),
        choices=list(KIND_LABELS.items()),
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": gettext_lazy("Choose at least one.")},
    )
    workspaces = forms.TypedMultipleChoiceField(
        label=gettext_lazy("Workspaces"),
        widget=forms.CheckboxSelectMultiple,
        coerce=int,
        required=False,
        help_text=gettext_lazy("None chosen: all, also later ones."),
    )
    base = forms.CharField(
        label=gettext_lazy("Address of this hub in links"),
        max_length=200,
        help_text=gettext_lazy(
            "As your phone or computer reaches it. Links open pages; nothing happens"
            " before you confirm there."
        ),
        widget=forms.TextInput({"class": "mono", "spellcheck": "false"}),
    )
    paused = forms.BooleanField(label=gettext_lazy("Paused"), required=False)

    def __init__(
        self,
        data: Mapping[str, Any] | None = None,
        *,
        person: User,
        channel: Channel | None = None,
        base: str = "",
    ) -> None:
        super().__init__(data, label_suffix="", initial=_initial(channel, base))
        self._others = {one.name for one in channels_of(person) if one != channel}
        self.fields["digest"].choices = [  # type: ignore[attr-defined]
            ("", gettext("At once")),
            *(
                (key, gettext("Once a day at %(hour)s") % {"hour": at})
                for key, at in _HOURS
            ),
        ]
        known = sorted((one.name, one.pk) for one in workspaces_of(person))
        choices = [(pk, name) for name, pk in known]
        self.fields["workspaces"].choices = choices  # type: ignore[attr-defined]
        if channel is not None:
            self.fields["address"].required = False
            self.fields["address"].help_text = gettext_lazy(
                "Empty: it stays the same. The stored address is not shown."
            )

    def clean_name(self) -> str:
        """Return the name.

        Raises:
            ValidationError: another channel of the person has it.
        """
        name: str = self.cleaned_data["name"]
        if name in self._others:
            raise forms.ValidationError(gettext("Another channel has this name."))
        return name

    def clean_base(self) -> str:
        """Return the hub's URL, with a slash at its end.

        Raises:
            ValidationError: it is no address of the web.
        """
        if not (base := base_of(self.cleaned_data["base"])):
            raise forms.ValidationError(gettext("Enter an address with https://."))
        return base

    def clean(self) -> dict[str, Any]:
        """Check that quiet hours have a start and an end."""
        found = self.cleaned_data
        if (found.get("quiet_from") is None) != (found.get("quiet_to") is None):
            self.add_error("quiet_to", gettext("Choose both hours, or none."))
        return found

    def rules(self) -> Rules:
        """Return the rules of a valid form."""
        data = self.cleaned_data
        return Rules(
            kinds=() if set(data["kinds"]) == set(KINDS) else tuple(data["kinds"]),
            workspaces=tuple(data["workspaces"]),
            digest=data["digest"],
            quiet_from=data["quiet_from"],
            quiet_to=data["quiet_to"],
            urgent=data["urgent"],
            paused=data["paused"],
        )


def _initial(channel: Channel | None, base: str) -> dict[str, Any]:
    rules = rules_of(channel) if channel else DEFAULT
    return {
        "name": channel.name if channel else "",
        "base": channel.base if channel else base,
        "kinds": rules.kinds or KINDS,
        "workspaces": rules.workspaces,
        "digest": rules.digest,
        "quiet_from": rules.quiet_from,
        "quiet_to": rules.quiet_to,
        "urgent": rules.urgent,
        "paused": rules.paused,
    }


@sensitive_post_parameters("address")
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def channels(request: HttpRequest) -> HttpResponse:
    """List the channels, or add one."""
    person = person_of(request)
    base = absolute_for(request, "/")
    form = ChannelForm(request.POST or None, person=person, base=base)
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        try:
            new = add_channel(
                person, data["name"], data["address"], data["base"], form.rules()
            )
        except BadAddress as error:
            form.add_error("address", refusal_words(error))
        except TooManyChannels:
            form.add_error(None, gettext("There are 20 channels; remove one first."))
        else:
            text = gettext("%(name)s added; send a test now") % {"name": new.name}
            messages.success(request, text)
            return SeeOther(reverse("channels"))
    return _page(request, form)


@require_POST
def mail(request: HttpRequest) -> HttpResponse:
    """Turn the mail about what waits for the person on or off.

    404 without a confirmed address.
    """
    person, wanted = person_of(request), bool(request.POST.get("wanted"))
    if not mail_address(person) and wanted:
        raise Http404
    try:
        set_mail(person, absolute_for(request, "/"), DEFAULT, wanted=wanted)
    except TooManyChannels:
        messages.error(request, gettext("There are 20 channels; remove one first."))
    else:
        messages.success(request, gettext("Saved"))
    return SeeOther(reverse("channels"))


@sensitive_post_parameters("address")
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def channel(request: HttpRequest, number: int) -> HttpResponse:
    """Show or change a channel."""
    found = _channel_or_404(request, number)
    form = ChannelForm(request.POST or None, person=person_of(request), channel=found)
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        try:
            change_channel(
                found, data["name"], data["address"], data["base"], form.rules()
            )
        except BadAddress as error:
            form.add_error("address", refusal_words(error))
        else:
            messages.success(request, gettext("Channel saved"))
            return SeeOther(reverse("channels"))
    return _page(request, form, found)


@require_POST
def test_channel(request: HttpRequest, number: int) -> HttpResponse:
    """Send a test message now."""
    found = _channel_or_404(request, number)
    try:
        send_test(found)
    except NotSent as error:
        words = {"name": found.name, "error": error}
        messages.error(request, gettext("%(name)s: not sent. %(error)s") % words)
    else:
        text = gettext("A test was sent to %(name)s") % {"name": found.name}
        messages.success(request, text)
    return SeeOther(reverse("channels"))


@require_POST
def remove_channel(request: HttpRequest, number: int) -> HttpResponse:
    """Remove a channel with all its deliveries."""
    found = _channel_or_404(request, number)
    found.delete()
    text = gettext("%(name)s was removed") % {"name": found.name}
    messages.success(request, text)
    return SeeOther(reverse("channels"))


@login_not_required
@cache_control(no_cache=True)
@require_GET
def push_worker(request: HttpRequest) -> HttpResponse:
    """Return the service worker of web push; its address gives it the hub's scope."""
    found = Path(str(finders.find("js/push-worker.js")))
    return HttpResponse(found.read_bytes(), content_type="text/javascript")


def _channel_or_404(request: HttpRequest, number: int) -> Channel:
    found = channel_of(person_of(request), number)
    if found is None:
        raise Http404
    return found


def _page(
    request: HttpRequest, form: ChannelForm, found: Channel | None = None
) -> HttpResponse:
    person = person_of(request)
    zone = zone_of(person)
    clock = Clock(zone, timezone.now().astimezone(zone))
    context = {
        "title": found.name if found else gettext("Messages"),
        "form": form,
        "channel": found,
        "zone": zone.key,
        "mail": mail_address(person),
        "mailed": mail_channel(person) is not None,
        "push_key": "" if found else application_key(),
        "channels": [
            shown_channel(one, clock)
            for one in (() if found else channel_states(person))
        ],
    }
    status = 422 if form.errors else 200
    template = "channels/channel.html" if found else "channels/channels.html"
    return render(request, template, context, status=status)
