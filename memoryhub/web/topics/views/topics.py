"""Pages of topics: list and detail."""

from __future__ import annotations

from typing import Any

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext
from django.views.decorators.http import require_GET

from memoryhub.journal.models import Workspace
from memoryhub.journal.page_cache import cached
from memoryhub.journal.versions import bytes_of, version_at
from memoryhub.people.marks import Seen, seen_by, visited
from memoryhub.people.policy import person_of, workspace_or_404
from memoryhub.people.services.feed_keys import feed_address
from memoryhub.timeline.queries.filters import Filter
from memoryhub.web.kit.clock import Clock
from memoryhub.web.kit.frame import shell_of
from memoryhub.web.kit.http import (
    HtmxRequest,
    markdown_response,
    page_or_partial,
    wants_partial,
)
from memoryhub.web.kit.links import addresses_of
from memoryhub.web.kit.listing import ListQuery
from memoryhub.web.kit.responses import Choice, choose
from memoryhub.web.snapshots.presenters import panel
from memoryhub.web.timeline.presenters.events import EventContext
from memoryhub.web.timeline.presenters.timeline import (
    TimelineQuery,
    list_events,
)
from memoryhub.web.topics.presenters.topic import TABS, PagedQuery, tab_page, topic_page
from memoryhub.web.topics.presenters.topics import (
    TopicQuery,
    columns,
    shown_row,
    sorted_rows,
    state_links,
)
from topics.models import Topic
from topics.queries.topics import topic_rows, topics_named

_PAGE_SIZE = 50
#: Parameters of the timeline of all topics only.
_OF_ALL = ("agent", "topic", "since", "run", "group", "page", "at")


@require_GET
def topic_list(request: HttpRequest, slug: str) -> HttpResponse:
    """List the topics of a workspace."""
    workspace = workspace_or_404(slug)
    query = TopicQuery.of(request)
    found = (
        topic_rows(workspace, text=query.text)
        if query.text
        else cached(workspace, "topics", lambda: topic_rows(workspace))
    )
    rows = sorted_rows(found, query.sort)
    if query.state:
        rows = [row for row in rows if row.standing.state == query.state]
    shell = shell_of(workspace, [(gettext("Topics"), request.path)])
    listed = Paginator(rows, _PAGE_SIZE).get_page(query.page)
    context = {
        "shell": shell,
        "page": "topics",
        "title": gettext("Topics"),
        "query": query,
        "rows": [shown_row(row, workspace, shell) for row in listed],
        "columns": columns(query),
        "listed": listed,
        "states": state_links(found, query),
    }
    return render(request, "topics/topic_list.html", context)


@require_GET
def topic(
    request: HtmxRequest, slug: str, address: str, tab: str = "timeline"
) -> HttpResponse:
    """Show a topic: its status, and its timeline or one of its lists."""
    workspace = workspace_or_404(slug)
    found = topics_named(workspace, address)
    if len(found) != 1 or tab not in TABS:
        return _choose(request, workspace, address, found if tab in TABS else [])
    (shown,) = found
    if tab == "timeline" and wants_partial(request):
        clock = Clock.of(workspace.time_zone)
        seen = seen_by(person_of(request), workspace)
        query = TimelineQuery.of(request, without=_OF_ALL)
        events = _events(request, query, shown, clock, seen)
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
    person = person_of(request)
    seen = visited(request, workspace)
    shell = shell_of(workspace, crumbs, topic=shown.slug)
    beside = panel.Look(person=person, seen=seen.position, here=crumbs[-1][1])
    context: dict[str, Any] = {
        "shell": shell,
        "page": "topics",
        "title": shown.name,
        "feed_url": feed_address(
            request, "topic-feed", workspace.slug, address=shown.code
        ),
        "tab": tab,
        "topic": topic_page(workspace, shown, address, tab, shell, beside),
    }
    if tab == "timeline":
        query = TimelineQuery.of(request, without=_OF_ALL)
        events = _events(request, query, shown, shell.clock, seen)
        return {**context, "query": query, "timeline": events}
    paged = PagedQuery.of(request)
    listed = tab_page(shown, tab, paged.page, shell)
    return {**context, "query": paged, "listed": listed}


def _events(
    request: HtmxRequest, query: TimelineQuery, shown: Topic, clock: Clock, seen: Seen
) -> dict[str, Any]:
    wanted = Filter(
        shown.workspace_id, query.kind, topic_ids=(shown.id,), text=query.text
    )
    look = EventContext(
        shown.workspace,
        wanted,
        addresses_of(shown.workspace.slug),
        clock,
        # On a first visit every event would be new.
        seen=seen if seen.at else None,
        scope={**query.scope, "topic": shown.slug},
    )
    return list_events(query, look, chips=not wants_partial(request))


def _choose(
    request: HttpRequest, workspace: Workspace, name: str, found: list[Topic]
) -> HttpResponse:
    shell = shell_of(workspace, [(name, "")])
    choices = (
        Choice(
            shell.addresses.topic(row.code),
            row.title or row.name,
            row.file.path,
            shell.clock.date_label(row.updated_on),
        )
        for row in found
    )
    return choose(request, shell, "topics", name, choices)


@require_GET
def topic_text(request: HttpRequest, slug: str, address: str) -> HttpResponse:
    """Return the bytes of a topic's file."""
    workspace = workspace_or_404(slug)
    ListQuery.of_text(request)
    found = topics_named(workspace, address)
    if len(found) != 1:
        raise Http404
    version = version_at(workspace, found[0].file.path)
    if version is None:
        raise Http404
    return markdown_response(bytes_of(version))
