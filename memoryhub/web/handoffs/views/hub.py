"""The handoffs of all workspaces."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from memoryhub.handoffs.queries.changed import changed
from memoryhub.people.policy import workspaces
from memoryhub.timeline.queries.turn_counts import total_of, turn_counts
from memoryhub.web.handoffs.presenters.cards import changed_label
from memoryhub.web.handoffs.presenters.hub import (
    AskedOfAll,
    chosen_of,
    columns_of_all,
    known_places,
    places_of,
    type_options,
)
from memoryhub.web.kit.http import whole_number
from memoryhub.web.kit.links import addresses_of


@require_GET
def hub_board(request: HttpRequest) -> HttpResponse:
    """Show handoffs of all workspaces by state; where there is one, go to its board."""
    known = workspaces()
    if len(known) == 1:
        return redirect(addresses_of(known[0].slug).handoffs)
    asked, now = AskedOfAll.of(request.GET), timezone.now()
    places = places_of(chosen_of(known, asked))
    context = {
        "title": gettext("All handoffs"),
        "crumbs": [(gettext("Handoffs"), request.path)],
        "asked": asked,
        "columns": columns_of_all(known, asked, request.path, now),
        "turn_count": total_of(turn_counts(known, now).values()),
        "workspaces": [(one.slug, one.name) for one in known],
        "types": type_options(),
        "mine_url": asked.address(request.path, to="" if asked.to else "me"),
        "news_url": asked.address(f"{request.path}news/", after=places),
    }
    return render(request, "handoffs/hub_board.html", context)


@require_GET
@never_cache
def hub_news(request: HttpRequest) -> HttpResponse:
    """Answer how many handoffs changed since the board was made.

    204 where that is as many as its pill says already.
    """
    asked = AskedOfAll.of(request.GET)
    chosen = chosen_of(workspaces(), asked)
    known = known_places(request.GET.get("after", ""), chosen)
    n = changed(known, asked.filters)
    if n == (whole_number(request.GET.get("told", ""), digits=12) or 0):
        return HttpResponse(status=204)
    context = {
        "board_url": asked.address(reverse("hub-handoffs")),
        "n": n,
        "pill": changed_label(n),
    }
    return render(request, "handoffs/_hub_news.html", context)
