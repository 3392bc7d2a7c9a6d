"""Page of the figures of handoffs."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext
from django.views.decorators.http import require_GET

from memoryhub.people.policy import workspace_or_404
from memoryhub.web.handoffs.presenters.figures import figures_of
from memoryhub.web.kit.frame import shell_of
from memoryhub.web.kit.links import addresses_of


@require_GET
def handoff_figures(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the figures: lead time, waiting time, share sent back, throughput."""
    workspace = workspace_or_404(slug)
    board = addresses_of(slug).handoffs
    crumbs = [(gettext("Handoffs"), board), (gettext("Figures"), request.path)]
    shell = shell_of(workspace, crumbs)
    context = {
        "shell": shell,
        "page": "handoffs",
        "title": gettext("Figures of handoffs"),
        "figures": figures_of(workspace, shell.clock),
    }
    return render(request, "handoffs/figures.html", context)
