"""The list of topics, and a topic with what belongs to it."""

from __future__ import annotations

from typing import Any

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext
from django.views.decorators.http import require_GET

from memoryhub.addresses import Addresses, addresses_of
from memoryhub.http import HtmxRequest, page_or_partial, wants_partial
from memoryhub.moments import Clock
from memoryhub.people.policy import workspace_or_404
from memoryhub.timeline.days import Look
from memoryhub.timeline.kept import kept
from memoryhub.timeline.listing import Asked, ShownTimeline, list_events
from memoryhub.timeline.queries import Filter
from memoryhub.workspaces.models import Workspace
from memoryhub.workspaces.shell import shell_of
from memoryhub.workspaces.versions import bytes_of, version_at
from topics import pages, pages_list, queries
from topics.models import Topic

_PAGE_SIZE = 50


@require_GET
def topic_list(request: HttpRequest, slug: str) -> HttpResponse:
    """List the topics of a workspace."""
    workspace = workspace_or_404(slug)
    text = request.GET.get("q", "").replace("\x00", "").strip()[:200]
    state = request.GET.get("state", "")[:20]
    sort = pages_list.Sort.of(request.GET.get("sort", ""))
    found = (
        queries.topic_rows(workspace, text=text)
        if text
        else kept(workspace, "topics", lambda: queries.topic_rows(workspace))
    )
    rows = pages_list.sorted_rows(found, sort)
    states = pages_list.state_links(rows, state, request.path, text)
    if state:
        rows = [row for row in rows if row.state == state]
    shell = shell_of(workspace, [(gettext("Topics"), request.path)])
    listed = Paginator(rows, _PAGE_SIZE).get_page(request.GET.get("page"))
    context = {
        "shell": shell,
        "page": "topics",
        "title": gettext("Topics"),
        "rows": [pages_list.shown_row(row, workspace, shell) for row in listed],
        "columns": pages_list.columns(sort, request.path, text, state),
        "listed": listed,
        "text": text,
        "state": state,
        "states": states,
        "sort": sort,
    }
    return render(request, "topics/topic_list.html", context)


@require_GET
def topic(
    request: HtmxRequest, slug: str, address: str, tab: str = "timeline"
) -> HttpResponse:
    """Show a topic: its status, and its timeline or one of its lists."""
    workspace = workspace_or_404(slug)
    found = queries.topics_named(workspace, address)
    if len(found) != 1 or tab not in pages.TABS:
        return _choose(request, workspace, address, found if tab in pages.TABS else [])
    (shown,) = found
    addresses = addresses_of(slug)
    if tab == "timeline" and wants_partial(request):
        clock = Clock.of(workspace.time_zone)
        events = _events(request, workspace, shown, addresses, clock)
        context: dict[str, Any] = {"timeline": events}
    else:
        context = _page(request, workspace, shown, address, tab)
    return page_or_partial(
        request, "topics/topic_detail.html", "timeline/_rows.html", context
    )


def _page(
    request: HtmxRequest, workspace: Workspace, shown: Topic, address: str, tab: str
) -> dict[str, Any]:
    addresses = addresses_of(workspace.slug)
    crumbs = [
        (gettext("Topics"), addresses.topics),
        (shown.name, addresses.topic(address)),
    ]
    shell = shell_of(workspace, crumbs, topic=shown.slug)
    events = None
    if tab == "timeline":
        events = _events(request, workspace, shown, addresses, shell.clock)
    return {
        "shell": shell,
        "page": "topics",
        "title": shown.name,
        "tab": tab,
        "topic": pages.topic_page(workspace, shown, address, tab, shell),
        "timeline": events,
    }


def _events(
    request: HtmxRequest,
    workspace: Workspace,
    shown: Topic,
    addresses: Addresses,
    clock: Clock,
) -> ShownTimeline:
    asked = Asked.of(request.GET, topic=False)
    wanted = Filter(
        shown.workspace_id, asked.kind, topic_ids=(shown.id,), text=asked.text
    )
    scope = {**asked.scope, "topic": shown.slug}
    look = Look(workspace, wanted, addresses, clock, scope=scope)
    return list_events(asked, look, request.path, chips=not wants_partial(request))


def _choose(
    request: HttpRequest, workspace: Workspace, name: str, found: list[Topic]
) -> HttpResponse:
    """Let people choose between topics whose names differ only in what is unsafe."""
    if not found:
        raise Http404
    shell = shell_of(workspace, [(name, "")])
    context = {
        "shell": shell,
        "page": "topics",
        "title": name,
        "choices": [
            {
                "url": shell.addresses.topic(row.code),
                "title": row.title or row.name,
                "place": row.file.path,
                "when": shell.clock.date_label(row.updated_on),
            }
            for row in found
        ],
    }
    return render(request, "components/choose.html", context)


@require_GET
def topic_text(request: HttpRequest, slug: str, address: str) -> HttpResponse:
    """Answer the file of a topic as it is."""
    workspace = workspace_or_404(slug)
    found = queries.topics_named(workspace, address)
    if len(found) != 1:
        raise Http404
    version = version_at(workspace, found[0].file.path)
    if version is None:
        raise Http404
    return HttpResponse(bytes_of(version), content_type="text/markdown; charset=utf-8")
