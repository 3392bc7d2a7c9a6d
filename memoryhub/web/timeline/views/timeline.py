"""Timeline of a workspace, filtered and paginated."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext
from django.views.decorators.http import require_GET

from memoryhub.journal.changes import end_of
from memoryhub.journal.models import Workspace
from memoryhub.people.marks import Seen, newest_position, seen_by
from memoryhub.people.policy import person_of, workspace_or_404
from memoryhub.people.services.feed_keys import feed_address
from memoryhub.people.services.visits import visited
from memoryhub.timeline.queries.events import Filter
from memoryhub.timeline.queries.facets import (
    Options,
    agent_id_of,
    filter_options,
)
from memoryhub.timeline.queries.workspaces import seqs_of_run
from memoryhub.web.kit.clock import Clock
from memoryhub.web.kit.frame import shell_of
from memoryhub.web.kit.http import HtmxRequest, page_or_partial, wants_partial
from memoryhub.web.kit.links import addresses_of
from memoryhub.web.kit.listing import names_known
from memoryhub.web.timeline.presenters.events import Look
from memoryhub.web.timeline.presenters.markup import option_list
from memoryhub.web.timeline.presenters.sessions import session_page
from memoryhub.web.timeline.presenters.timeline import TimelineQuery, list_events
from topics.queries.topics import topic_ids_named


@require_GET
def timeline(request: HtmxRequest, slug: str) -> HttpResponse:
    """Show the events of a workspace, newest first, or its sessions."""
    workspace = workspace_or_404(slug)
    query = TimelineQuery.of(request, known=names_known(workspace))
    if query.group:
        return _sessions(request, workspace, query)
    part = wants_partial(request)
    seen = (
        seen_by(person_of(request), workspace) if part else visited(request, workspace)
    )
    options = filter_options(workspace)
    look = _look(query, workspace, options, seen)
    context: dict[str, Any] = {"timeline": list_events(query, look, chips=not part)}
    if not part:
        context |= _frame(request, workspace, query, options)
        upto = newest_position(workspace)
        context |= {"upto": upto, "has_news": seen.is_new(upto)}
    return page_or_partial(
        request, "timeline/event_list.html", "timeline/_rows.html", context
    )


def _look(
    query: TimelineQuery, workspace: Workspace, options: Options, seen: Seen
) -> Look:
    wanted = wanted_by(query, workspace, options)
    if query.run:
        first, last = seqs_of_run(workspace, query.run)
        wanted = replace(
            wanted,
            after=end_of(first - 1),
            # Without the import's own event, the last one; its page has more about it.
            until=end_of(last) - 1,
        )
    elif query.since:
        wanted = replace(wanted, after=seen.position)
    return Look(
        workspace,
        wanted,
        addresses_of(workspace.slug),
        Clock.of(workspace.time_zone),
        # On a first visit every event would be new.
        seen=seen if seen.at else None,
        scope=query.scope,
        on=query.at,
        kinds=options.kinds,
    )


def wanted_by(query: TimelineQuery, workspace: Workspace, options: Options) -> Filter:
    """Return the filter of a query; an unknown agent or topic matches no event."""
    agent_id, topic_ids = None, None
    if query.agent:
        agent_id = agent_id_of(options, query.agent, workspace.pk) or 0
    if query.topic:
        topic_ids = topic_ids_named(workspace, query.topic)
    return Filter(workspace.pk, query.kind, agent_id, topic_ids, query.text)


def _frame(
    request: HttpRequest, workspace: Workspace, query: TimelineQuery, options: Options
) -> dict[str, Any]:
    """Return the context around the rows: shell, filter options, views, feed."""
    agents = tuple((name, name) for _, name in options.agents)
    topics = tuple((slug, name) for _, slug, name in options.topics)
    return {
        "page": "timeline",
        "title": gettext("Timeline"),
        "asked": query,
        "agents": option_list(agents, query.agent),
        "topics": option_list(topics, query.topic),
        "views": query.views(),
        "feed_url": feed_address(request, "timeline-feed", workspace.slug),
        "shell": shell_of(workspace, [(gettext("Timeline"), request.path)]),
    }


def _sessions(
    request: HtmxRequest, workspace: Workspace, query: TimelineQuery
) -> HttpResponse:
    """Show the sessions with their number of events."""
    options = filter_options(workspace)
    look = Look(
        workspace,
        wanted_by(query, workspace, options),
        addresses_of(workspace.slug),
        Clock.of(workspace.time_zone),
    )
    context = {
        **_frame(request, workspace, query, options),
        "timeline": {"asked": query},
        "sessions": session_page(query, look),
    }
    return render(request, "timeline/session_list.html", context)
