"""The inbox of people: messages in handoffs' threads, unread ones marked."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_GET, require_POST

from memoryhub.handoffs.queries.messages import messages_to_people
from memoryhub.handoffs.services.reading import mark_read
from memoryhub.people.policy import workspace_or_404
from memoryhub.values.identity import code_of
from memoryhub.web.handoffs.presenters.cards import title_of
from memoryhub.web.kit.frame import shell_of
from memoryhub.web.kit.links import addresses_of
from memoryhub.web.kit.responses import SeeOther, back_to

#: Most messages of the page.
_MOST = 100


@require_GET
def inbox(request: HttpRequest, slug: str) -> HttpResponse:
    """List the messages to people, the newest first."""
    workspace = workspace_or_404(slug)
    board = (gettext("Handoffs"), addresses_of(slug).handoffs)
    shell = shell_of(workspace, [board, (gettext("Inbox"), request.path)])
    # One import reads messages of several files, in the order of these.
    found = sorted(messages_to_people(workspace), key=lambda m: m.at, reverse=True)
    rows = [
        {
            "message": message,
            "code": message.handoff.code,
            "url": shell.addresses.handoff(code_of(message.handoff.pk)),
            "title": title_of(message.handoff),
            "when": shell.clock.moment(message.at),
            "iso": shell.clock.local(message.at).isoformat(timespec="seconds"),
        }
        for message in found[:_MOST]
    ]
    context = {
        "shell": shell,
        "page": "handoffs",
        "title": gettext("Inbox"),
        "rows": rows,
        "unread": sum(message.unread for message in found),
        "left_out": max(0, len(found) - _MOST),
    }
    return render(request, "handoffs/inbox.html", context)


@require_POST
def read_messages(request: HttpRequest, slug: str) -> HttpResponse:
    """Mark the messages of a handoff as read, or all of them."""
    workspace = workspace_or_404(slug)
    named = request.POST.get("handoff", "")
    ids = [
        message.handoff.pk
        for message in messages_to_people(workspace)
        if message.handoff.code == named
    ]
    if ids or not named:
        n = mark_read(workspace, ids)
        text = ngettext("%(n)s message read", "%(n)s messages read", n)
        messages.success(request, text % {"n": n})
    return SeeOther(back_to(request, addresses_of(slug).inbox))
