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
    topic_ids_of,
)
from memoryhub.timeline.queries.workspaces import seqs_of_run
from memoryhub.web.kit.clock import Clock
from memoryhub.web.kit.frame import shell_of
from memoryhub.web.kit.http import HtmxRequest, page_or_partial, wants_partial
from memoryhub.web.kit.links import addresses_of
from memoryhub.web.timeline.presenters.events import Look
from memoryhub.web.timeline.presenters.markup import option_list
from memoryhub.web.timeline.presenters.sessions import session_page
from memoryhub.web.timeline.presenters.timeline import Asked, list_events


@require_GET
def timeline(request: HtmxRequest, slug: str) -> HttpResponse:
    """Show the events of a workspace, newest first, or its sessions."""
    workspace = workspace_or_404(slug)
    asked = Asked.of(request.GET)
    if asked.sessions:
        return _sessions(request, workspace, asked)
    part = wants_partial(request)
    seen = (
        seen_by(person_of(request), workspace) if part else visited(request, workspace)
    )
    options = filter_options(workspace)
    look = _look(asked, workspace, options, seen)
    context: dict[str, Any] = {
        "timeline": list_events(asked, look, request.path, chips=not part)
    }
    if not part:
        context |= _frame(request, workspace, asked, options)
        upto = newest_position(workspace)
        context |= {"upto": upto, "has_news": seen.is_new(upto)}
    return page_or_partial(
        request, "timeline/event_list.html", "timeline/_rows.html", context
    )


def _look(asked: Asked, workspace: Workspace, options: Options, seen: Seen) -> Look:
    wanted = wanted_by(asked, workspace, options)
    if asked.run:
        first, last = seqs_of_run(workspace, asked.run)
        wanted = replace(
            wanted,
            after=end_of(first - 1),
            # Without the import's own event, the last one; its page has more about it.
            until=end_of(last) - 1,
        )
    elif asked.since:
        wanted = replace(wanted, after=seen.position)
    return Look(
        workspace,
        wanted,
        addresses_of(workspace.slug),
        Clock.of(workspace.time_zone),
        # On a first visit every event would be new.
        seen=seen if seen.at else None,
        scope=asked.scope,
        on=asked.at,
        kinds=options.kinds,
    )


def wanted_by(asked: Asked, workspace: Workspace, options: Options) -> Filter:
    """Return the filter of a query; an unknown agent or topic matches no event."""
    agent_id, topic_ids = None, None
    if asked.agent:
        agent_id = agent_id_of(options, asked.agent, workspace.pk) or 0
    if asked.topic:
        topic_ids = topic_ids_of(options, asked.topic, workspace.pk)
    return Filter(workspace.pk, asked.kind, agent_id, topic_ids, asked.text)


def _frame(
    request: HttpRequest, workspace: Workspace, asked: Asked, options: Options
) -> dict[str, Any]:
    """Return the context around the rows: shell, filter options, views, feed."""
    agents = tuple((name, name) for _, name in options.agents)
    topics = tuple((slug, name) for _, slug, name in options.topics)
    return {
        "page": "timeline",
        "title": gettext("Timeline"),
        "agents": option_list(agents, asked.agent),
        "topics": option_list(topics, asked.topic),
        "views": asked.views(request.path),
        "feed_url": feed_address(request, "timeline-feed", workspace.slug),
        "shell": shell_of(workspace, [(gettext("Timeline"), request.path)]),
    }


def _sessions(request: HtmxRequest, workspace: Workspace, asked: Asked) -> HttpResponse:
    """Show the sessions with their number of events."""
    options = filter_options(workspace)
    look = Look(
        workspace,
        wanted_by(asked, workspace, options),
        addresses_of(workspace.slug),
        Clock.of(workspace.time_zone),
    )
    context = {
        **_frame(request, workspace, asked, options),
        "timeline": {"asked": asked, "path": request.path},
        "sessions": session_page(asked, look, request.path),
    }
    return render(request, "timeline/session_list.html", context)
