"""The timeline of a workspace, filtered and page by page."""

from __future__ import annotations

from django.http import HttpResponse
from django.utils.translation import gettext
from django.views.decorators.http import require_GET

from memoryhub.addresses import addresses_of
from memoryhub.http import HtmxRequest, page_or_partial, wants_partial
from memoryhub.moments import Clock
from memoryhub.people.policy import workspace_or_404
from memoryhub.timeline.listing import Asked, list_events
from memoryhub.timeline.markup import option_list
from memoryhub.timeline.queries import (
    Filter,
    Options,
    agent_id_of,
    filter_options,
    topic_ids_of,
)
from memoryhub.workspaces.models import Workspace
from memoryhub.workspaces.shell import shell_of


@require_GET
def timeline(request: HtmxRequest, slug: str) -> HttpResponse:
    """Show the events of a workspace, newest first."""
    workspace = workspace_or_404(slug)
    part = wants_partial(request)
    asked = Asked.of(request.GET)
    options = filter_options(workspace.pk)
    context = {
        "page": "timeline",
        "title": gettext("Timeline"),
        "agents": option_list(((n, n) for _, n in options.agents), asked.agent),
        "topics": option_list(((s, n) for _, s, n in options.topics), asked.topic),
        "timeline": list_events(
            asked,
            _filter(asked, workspace, options),
            request.path,
            addresses_of(slug),
            Clock.of(workspace.time_zone),
            chips=not part,
        ),
    }
    if not part:
        context["shell"] = shell_of(workspace, [(gettext("Timeline"), request.path)])
    return page_or_partial(
        request, "timeline/event_list.html", "timeline/_rows.html", context
    )


def _filter(asked: Asked, workspace: Workspace, options: Options) -> Filter:
    """Return which events are asked for; an unknown agent or topic has none."""
    agent_id, topic_ids = None, None
    if asked.agent:
        agent_id = agent_id_of(options, asked.agent, workspace.pk) or 0
    if asked.topic:
        topic_ids = topic_ids_of(options, asked.topic, workspace.pk)
    return Filter(workspace.pk, asked.kind, agent_id, topic_ids, asked.text)
