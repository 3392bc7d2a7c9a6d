"""Editing of a topic's status, in place or on a page of its own."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpResponse
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from memoryhub.disk.files import FileError
from memoryhub.formats.base import FormatError
from memoryhub.journal.models import Workspace
from memoryhub.people.policy import workspace_or_404
from memoryhub.sync.edit.edits import Conflict
from memoryhub.values.tokens import shown
from memoryhub.web.kit.frame import shell_of
from memoryhub.web.kit.http import HtmxRequest, page_or_partial, wants_partial
from memoryhub.web.kit.links import addresses_of
from memoryhub.web.kit.listing import takes
from memoryhub.web.kit.responses import ShownConflict, done, refusal_text
from memoryhub.web.topics.forms import author_of, conflict_in, text_in
from memoryhub.web.topics.presenters.topic import topic_page
from topics.models import Topic
from topics.queries.topics import topics_named
from topics.services.topics import can_edit, new_key, same_text, set_status, status_now


@require_http_methods(["GET", "HEAD", "POST"])
@takes("card")
def edit_status(request: HtmxRequest, slug: str, address: str) -> HttpResponse:
    """Show the form of a topic's status, or save it; 409 on a conflict."""
    workspace = workspace_or_404(slug)
    topic = _topic_or_404(workspace, address)
    if "count" in request.POST and wants_partial(request):
        return _cost(request)
    if request.method == "POST":
        return _save(request, workspace, topic, address)
    if "card" in request.GET and wants_partial(request):
        return _card(request, workspace, topic, address)
    now = status_now(workspace, topic)
    return _form(
        request, workspace, topic, address, {"text": now, "base": now, "key": new_key()}
    )


def _topic_or_404(workspace: Workspace, address: str) -> Topic:
    found = topics_named(workspace, address)
    if len(found) != 1 or not can_edit(found[0]):
        raise Http404
    return found[0]


def _cost(request: HtmxRequest) -> HttpResponse:
    """Return the token count of the text while it is edited, with the change."""
    tokens = shown(text_in(request.POST, "text").strip())
    more = tokens - shown(text_in(request.POST, "base"))
    if not more:
        return HttpResponse(gettext("%(n)s tokens, as before") % {"n": tokens})
    words = {"n": tokens, "change": f"{more:+}".replace("-", "−")}
    return HttpResponse(gettext("%(n)s tokens, %(change)s") % words)


def _save(
    request: HtmxRequest, workspace: Workspace, topic: Topic, address: str
) -> HttpResponse:
    who = author_of(request, workspace)
    typed = {
        "text": text_in(request.POST, "text").strip(),
        "base": text_in(request.POST, "base"),
        "key": who.key,
    }
    form: dict[str, Any]
    path = topic.file.path
    if both := conflict_in(request, path, typed["text"], typed["base"]):
        if both.is_open:
            form = {"conflict": both, "key": who.key, "is_open": True}
            return _form(request, workspace, topic, address, form, status=409)
        typed |= {"text": both.merged.strip(), "base": both.current}
    now = status_now(workspace, topic)
    base = now if same_text(now, typed["base"]) else typed["base"]
    try:
        operation = set_status(workspace, path, typed["text"], base, who)
    except Conflict as conflict:
        both = ShownConflict(conflict, typed["text"], {})
        form = {"text": both.merged, "base": both.current, "key": new_key()}
        form["conflict"] = both
        return _form(request, workspace, topic, address, form, status=409)
    except (FormatError, FileError) as error:
        form = {**typed, "error": refusal_text(error)}
        return _form(request, workspace, topic, address, form, status=422)
    to = addresses_of(workspace.slug).topic(address)
    return done(request, workspace, operation, gettext("Status saved"), to)


def _form(
    request: HtmxRequest,
    workspace: Workspace,
    topic: Topic,
    address: str,
    form: dict[str, Any],
    *,
    status: int = 200,
) -> HttpResponse:
    addresses = addresses_of(workspace.slug)
    context: dict[str, Any] = {
        "form": form,
        "topic": topic,
        "url": addresses.topic(address),
        "status_url": addresses.topic(address, "status"),
    }
    if not wants_partial(request):
        crumbs = [
            (gettext("Topics"), addresses.topics),
            (topic.name, addresses.topic(address)),
            (gettext("Edit status"), ""),
        ]
        context |= {
            "shell": shell_of(workspace, crumbs, topic=topic.slug),
            "page": "topics",
            "title": gettext("Edit status"),
        }
    return page_or_partial(
        request,
        "topics/status_form.html",
        "topics/_status_form.html",
        context,
        status=status,
    )


def _card(
    request: HtmxRequest, workspace: Workspace, topic: Topic, address: str
) -> HttpResponse:
    """Return the status card that the form replaced."""
    shell = shell_of(workspace)
    shown = topic_page(workspace, topic, address, "status", shell)
    return page_or_partial(
        request,
        "topics/_status_card.html",
        "topics/_status_card.html",
        {"topic": shown, "shell": shell},
    )
