"""Recall of a topic, or of a workspace without one: page and text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_GET

from memoryhub.formats.base import FormatError
from memoryhub.journal.masking import masked_for_agents
from memoryhub.journal.models import Workspace
from memoryhub.journal.versions import text_of, version_at
from memoryhub.people.policy import workspace_or_404
from memoryhub.recall.request import RecallRequest
from memoryhub.recall.topic import Recall, recall_and_last, recall_of
from memoryhub.sync.edit.edits import Conflict
from memoryhub.sync.edit.staging import staged_text
from memoryhub.sync.edit.writing import presence_in
from memoryhub.timeline.queries.in_play import overlaps_of
from memoryhub.web.kit.frame import shell_of
from memoryhub.web.kit.http import (
    HtmxRequest,
    markdown_response,
    page_or_partial,
)
from memoryhub.web.kit.links import addresses_of
from memoryhub.web.kit.listing import names_known
from memoryhub.web.recall.presenters import RecallPage, RecallQuery, request_of
from topics.models import Topic
from topics.queries.topics import topics_named


@require_GET
def recall(request: HtmxRequest, slug: str, address: str) -> HttpResponse:
    """Show the exact recall that agents get for a topic, block by block."""
    workspace = workspace_or_404(slug)
    topic = _topic(workspace, address)
    addresses = addresses_of(slug)
    if topic is None:
        return redirect(addresses.topic(address))
    wanted, staged = _request(request, workspace, topic)
    query = RecallQuery.of(request, known=_known(workspace))
    given = query.given(request)
    recalls: tuple[Recall, Recall | None] = (
        recall_and_last(topic, wanted)
        if request.GET.get("view") == "changes"
        else (recall_of(workspace, topic, wanted), None)
    )
    page = addresses.topic(address, "recall")
    crumbs = [
        (gettext("Topics"), addresses.topics),
        (topic.name, addresses.topic(address)),
        (gettext("Recall"), page),
    ]
    shell = shell_of(workspace, crumbs, topic=topic.slug)
    context = {
        "shell": shell,
        "page": "topics",
        "title": gettext("What agents get about %(topic)s") % {"topic": topic.name},
        "recall_page": RecallPage(shell, topic, page, given, recalls, staged),
        "query": query,
    }
    return page_or_partial(
        request, "recall/recall.html", "recall/_recall_parts.html", context
    )


@require_GET
def workspace_recall(request: HtmxRequest, slug: str) -> HttpResponse:
    """Show the exact recall that agents get that work on no topic, block by block."""
    workspace = workspace_or_404(slug)
    wanted = _plain_request(request, workspace)
    query = RecallQuery.of(request, known=_known(workspace))
    given = query.given(request)
    found = recall_of(workspace, None, wanted)
    page = addresses_of(slug).recall
    shell = shell_of(workspace, [(gettext("Recall"), page)])
    context = {
        "shell": shell,
        "page": "topics",
        "title": gettext("What agents get without a topic"),
        "recall_page": RecallPage(shell, None, page, given, (found, None), ""),
        "query": query,
    }
    return page_or_partial(
        request, "recall/recall.html", "recall/_recall_parts.html", context
    )


@require_GET
def workspace_recall_text(request: HttpRequest, slug: str) -> HttpResponse:
    """Return the recall of a workspace as text."""
    workspace = workspace_or_404(slug)
    RecallQuery.of_text(request)
    wanted = _plain_request(request, workspace)
    text = recall_of(workspace, None, wanted).text
    return markdown_response(masked_for_agents(workspace, text))


@require_GET
def recall_text(request: HttpRequest, slug: str, address: str) -> HttpResponse:
    """Return the recall of a topic as text."""
    workspace = workspace_or_404(slug)
    topic = _topic(workspace, address)
    if topic is None:
        raise Http404
    RecallQuery.of_text(request)
    wanted, _ = _request(request, workspace, topic)
    text = recall_of(workspace, topic, wanted).text
    return markdown_response(masked_for_agents(workspace, text))


def _known(workspace: Workspace) -> dict[str, Callable[[str], object]]:
    return {"agent": names_known(workspace)["agent"]}


def _topic(workspace: Workspace, address: str) -> Topic | None:
    """Return the topic of an address; None if several have the name.

    Raises:
        Http404: None has it.
    """
    found = topics_named(workspace, address)
    if not found:
        raise Http404
    return found[0] if len(found) == 1 else None


def _plain_request(request: HttpRequest, workspace: Workspace) -> RecallRequest:
    wanted = request_of(request.GET.dict(), request.GET.getlist("block"))
    return replace(
        wanted,
        there=presence_in(workspace),
        news={"overlaps": overlaps_of(workspace, wanted.agent, timezone.now())},
    )


def _request(
    request: HttpRequest, workspace: Workspace, topic: Topic
) -> tuple[RecallRequest, str]:
    """Return the request, and the state of staged edits.

    "" for none, ``there`` if not included, ``in`` if included, ``conflict``.
    """
    wanted = _plain_request(request, workspace)
    topic.workspace = workspace
    if not workspace.review_before_writing:
        return wanted, ""
    path = topic.file.path
    version = version_at(workspace, path)
    text = text_of(version) if version else ""
    try:
        after = staged_text(workspace, path, text)
    except (Conflict, FormatError):
        return wanted, "conflict"
    if after == text:
        return wanted, ""
    if not request.GET.get("staged"):
        return wanted, "there"
    return replace(wanted, text=after), "in"
