"""Timeline, days, files in play and trends of a workspace."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext, pgettext
from django.views.decorators.http import require_GET

from memoryhub.journal.changes import end_of
from memoryhub.journal.models import Workspace
from memoryhub.journal.untimed import seqs_of_run
from memoryhub.people.marks import Seen, newest_position, seen_by, visited
from memoryhub.people.policy import person_of, workspace_or_404
from memoryhub.people.services.feed_keys import feed_address
from memoryhub.timeline.queries.agents import agents_now
from memoryhub.timeline.queries.days import day_facts, neighbours, newest
from memoryhub.timeline.queries.facets import (
    Options,
    agent_id_of,
    filter_options,
)
from memoryhub.timeline.queries.filters import Filter
from memoryhub.timeline.queries.in_play import files_in_play
from memoryhub.web.claims.presenters import held_files
from memoryhub.web.kit.clock import Clock
from memoryhub.web.kit.frame import shell_of
from memoryhub.web.kit.http import (
    HtmxRequest,
    markdown_response,
    page_or_partial,
    wants_partial,
)
from memoryhub.web.kit.links import addresses_of
from memoryhub.web.kit.listing import ListQuery, names_known, parameter
from memoryhub.web.timeline.presenters.days import day_markdown, day_page
from memoryhub.web.timeline.presenters.events import EventContext
from memoryhub.web.timeline.presenters.in_play import file_rows
from memoryhub.web.timeline.presenters.markup import option_list
from memoryhub.web.timeline.presenters.timeline import (
    TimelineQuery,
    list_events,
    session_page,
)
from memoryhub.web.timeline.presenters.trends import figures
from topics.queries.topics import topic_ids_named

#: Most files of a page; a text filter narrows them.
_MOST = 100


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
) -> EventContext:
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
        wanted = replace(wanted, after=seen.position, since=seen.at)
    return EventContext(
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
        agent_id = agent_id_of(options, query.agent, workspace.pk)
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
        "query": query,
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
    look = EventContext(
        workspace,
        wanted_by(query, workspace, options),
        addresses_of(workspace.slug),
        Clock.of(workspace.time_zone),
    )
    context = {
        **_frame(request, workspace, query, options),
        "timeline": {"query": query},
        "sessions": session_page(query, look),
    }
    return render(request, "timeline/session_list.html", context)


@require_GET
def day(request: HttpRequest, slug: str, day: str) -> HttpResponse:
    """Show the logs of all agents of a day."""
    workspace, at = workspace_or_404(slug), _day_or_404(day)
    addresses = addresses_of(slug)
    clock = Clock.of(workspace.time_zone)
    bounds = clock.bounds(at)
    page = day_page(
        workspace,
        at,
        day_facts(workspace, *bounds),
        neighbours(workspace, *bounds),
        addresses,
        clock,
    )
    page["span"] = bounds
    context = {
        "page": "day",
        "title": page["label"],
        "day": page,
        "text_url": f"{addresses.base}days/{at.isoformat()}.md",
        "shell": shell_of(
            workspace,
            [(pgettext("page", "Day"), addresses.days), (page["label"], request.path)],
        ),
    }
    return render(request, "timeline/day_detail.html", context)


@require_GET
def day_text(request: HttpRequest, slug: str, day: str) -> HttpResponse:
    """Return the logs of all agents of a day as Markdown."""
    workspace, at = workspace_or_404(slug), _day_or_404(day)
    ListQuery.of_text(request)
    facts = day_facts(workspace, *Clock.of(workspace.time_zone).bounds(at))
    return markdown_response(day_markdown(at, facts))


@require_GET
def newest_day(request: HttpRequest, slug: str) -> HttpResponse:
    """Redirect to the newest day with a log, else to today."""
    workspace = workspace_or_404(slug)
    clock = Clock.of(workspace.time_zone)
    last = newest(workspace, clock.bounds(clock.now.date())[1])
    return redirect(
        addresses_of(slug).day(clock.day(last) if last else clock.now.date())
    )


def _day_or_404(text: str) -> date:
    try:
        found = date.fromisoformat(text)
    except ValueError as error:
        raise Http404 from error
    if found.isoformat() != text:
        raise Http404
    return found


@dataclass(frozen=True, slots=True)
class InPlayQuery(ListQuery):
    """Filter of the files in play, by path or agent."""

    text: str = parameter("q", in_form=True)


@require_GET
def in_play(request: HttpRequest, slug: str) -> HttpResponse:
    """List the files in play, those changed by several active agents first."""
    workspace = workspace_or_404(slug)
    shell = shell_of(workspace, [(gettext("Files in play"), request.path)])
    agents = agents_now(workspace, shell.clock.now)
    query = InPlayQuery.of(request)
    wanted = query.text.casefold()
    found = [
        file
        for file in files_in_play(workspace, agents)
        if wanted in file.path.casefold() or wanted in " ".join(file.agents).casefold()
    ]
    held = held_files(shell)
    context = {
        "shell": shell,
        "page": "agents",
        "title": gettext("Files in play"),
        "query": query,
        "files": file_rows(found[:_MOST], shell.addresses, shell.clock),
        "all_files": len(found),
        "overlaps": sum(bool(file.rivals) for file in found),
        "held": held,
        "held_overlaps": sum(claim["overlaps"] for claim in held),
    }
    return render(request, "timeline/in_play.html", context)


@require_GET
def trends(request: HtmxRequest, slug: str) -> HttpResponse:
    """Show trends: activity, snapshots, compactions, MEMORY.md, lead times."""
    workspace = workspace_or_404(slug)
    clock = Clock.of(workspace.time_zone)
    found = figures(workspace, addresses_of(slug), clock)
    part = wants_partial(request)
    context: dict[str, object] = {
        "page": "trends",
        "title": gettext("Trends"),
        "figures": [figure for figure in found if figure.rows or not part],
    }
    if not part:
        context["shell"] = shell_of(workspace, [(gettext("Trends"), request.path)])
    return page_or_partial(
        request, "timeline/trends.html", "overview/_trends.html", context
    )
