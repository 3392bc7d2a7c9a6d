"""Channels of the signed-in person: list, add, change, test, remove."""

from __future__ import annotations

from pathlib import Path

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.contrib.staticfiles import finders
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.cache import cache_control, never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import (
    require_GET,
    require_http_methods,
    require_POST,
)

from memoryhub.notices.channels import (
    TooManyChannels,
    add_channel,
    change_channel,
    channel_of,
    channel_states,
    mail_address,
    mail_channel,
    send_test,
    set_mail,
    zone_of,
)
from memoryhub.notices.models import Channel
from memoryhub.notices.sending import BadAddress, NotSent
from memoryhub.notices.web_push import application_key
from memoryhub.people.policy import person_of
from memoryhub.web.channels.forms import DEFAULT, ChannelForm
from memoryhub.web.channels.presenters import refusal_words, shown_channel
from memoryhub.web.kit.clock import Clock
from memoryhub.web.kit.responses import SeeOther
from memoryhub.web.kit.served import absolute_for


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
