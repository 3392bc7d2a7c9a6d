"""The handoffs of all workspaces."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_GET

from memoryhub.addresses import addresses_of
from memoryhub.handoffs.pages_hub import AskedOfAll, columns_of_all, type_options
from memoryhub.people.policy import workspaces
from memoryhub.timeline.queries_turn_counts import turn_counts


@require_GET
def hub_board(request: HttpRequest) -> HttpResponse:
    """Show handoffs of all workspaces by state; where there is one, go to its board."""
    known = workspaces()
    if len(known) == 1:
        return redirect(addresses_of(known[0].slug).handoffs)
    asked, now = AskedOfAll.of(request.GET), timezone.now()
    context = {
        "title": gettext("Handoffs of all workspaces"),
        "crumbs": [(gettext("Handoffs"), request.path)],
        "asked": asked,
        "columns": columns_of_all(known, asked, request.path, now),
        "turn_count": sum(turn_counts(known, now).values()),
        "workspaces": [(one.slug, one.name) for one in known],
        "types": type_options(),
        "mine_url": asked.address(request.path, to="" if asked.to else "me"),
    }
    return render(request, "handoffs/hub_board.html", context)
