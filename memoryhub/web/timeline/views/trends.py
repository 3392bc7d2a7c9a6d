"""Trends of a workspace: a page, and a part of the overview."""

from __future__ import annotations

from django.http import HttpResponse
from django.utils.translation import gettext
from django.views.decorators.http import require_GET

from memoryhub.people.policy import workspace_or_404
from memoryhub.web.kit.clock import Clock
from memoryhub.web.kit.frame import shell_of
from memoryhub.web.kit.http import HtmxRequest, page_or_partial, wants_partial
from memoryhub.web.kit.links import addresses_of
from memoryhub.web.timeline.presenters.trends import figures


@require_GET
def trends(request: HtmxRequest, slug: str) -> HttpResponse:
    """Show trends: activity, snapshots, compactions, MEMORY.md, lead times."""
    workspace = workspace_or_404(slug)
    clock = Clock.of(workspace.time_zone)
    context: dict[str, object] = {
        "page": "trends",
        "title": gettext("Trends"),
        "figures": figures(workspace, addresses_of(slug), clock),
    }
    if not wants_partial(request):
        context["shell"] = shell_of(workspace, [(gettext("Trends"), request.path)])
    return page_or_partial(
        request, "timeline/trends.html", "overview/_trends.html", context
    )
