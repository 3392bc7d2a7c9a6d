"""Board over all workspaces."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_GET

from memoryhub.people.policy import workspaces
from memoryhub.timeline.queries.turns import total_of, turn_counts
from memoryhub.web.handoffs.presenters.hub import (
    HubQuery,
    columns_of_all,
    type_options,
)
from memoryhub.web.kit.frame import Version
from memoryhub.web.kit.links import addresses_of


@require_GET
def hub_board(request: HttpRequest) -> HttpResponse:
    """Show handoffs of all workspaces by state; redirect to the board if only one."""
    known = workspaces()
    if len(known) == 1:
        return redirect(addresses_of(known[0].slug).handoffs)
    slugs = {one.slug for one in known}
    query = HubQuery.of(request, known={"workspace": slugs.__contains__})
    now = timezone.now()
    context = {
        "title": gettext("All handoffs"),
        "crumbs": [(gettext("Handoffs"), request.path)],
        "query": query,
        "columns": columns_of_all(known, query, now),
        "turn_count": total_of(turn_counts(known, now).values()),
        "workspaces": [(one.slug, one.name) for one in known],
        "types": type_options(),
        "mine_url": query.link("to", "me", "").url,
        "version": Version.of(known),
    }
    return render(request, "handoffs/hub_board.html", context)
