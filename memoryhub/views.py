"""Pages above the workspaces: all of them, one's first page, and the health check."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from http import HTTPStatus

from django.contrib.auth.decorators import login_not_required
from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET
from django.views.defaults import server_error

from memoryhub.api.failures import unavailable
from memoryhub.people.policy import workspaces
from memoryhub.timeline.queries.events import Count
from memoryhub.timeline.queries.turns import total_of, turn_counts
from memoryhub.timeline.queries.workspaces import WorkspaceCard, workspace_cards
from memoryhub.web.imports.views.wizard import choices
from memoryhub.web.kit.clock import Clock
from memoryhub.web.kit.frame import Version
from memoryhub.web.kit.links import addresses_of
from memoryhub.web.kit.refusals import refusal_or_none


@require_GET
def home(request: HttpRequest) -> HttpResponse:
    """List the workspaces; where there is only one, go there; without any, import."""
    known = workspaces()
    if not known:
        return choices(request)
    if len(known) == 1 and "all" not in request.GET:
        return redirect("workspace", known[0].slug)
    turns = turn_counts(known, timezone.now())
    context = {
        "cards": [_shown(card, turns) for card in workspace_cards(known)],
        "title": gettext("Workspaces"),
        "version": Version.of(known),
        "turn_count": total_of(turns.values()),
    }
    return render(request, "workspaces/workspace_list.html", context)


def _shown(card: WorkspaceCard, turns: Mapping[int, Count]) -> dict[str, object]:
    clock = Clock.of(card.workspace.time_zone)
    checked = card.workspace.checked_at
    return {
        "card": card,
        "turns": turns.get(card.workspace.pk, Count(0)),
        "addresses": addresses_of(card.workspace.slug),
        "checked": clock.age(checked) if checked else "",
    }


def failed(request: HttpRequest) -> HttpResponse:
    """Answer a failed request: 503 with the cause if the machine hinders, else 500.

    Called while the error is handled. No page of it may ask the database.
    """
    error = sys.exc_info()[1]
    refusal = refusal_or_none(error) if error else None
    if refusal is None or refusal.status != HTTPStatus.SERVICE_UNAVAILABLE:
        return server_error(request)
    return unavailable(request, refusal)


@login_not_required
@require_GET
@never_cache
def healthz(request: HttpRequest) -> HttpResponse:
    """Say whether pages can be served, for whoever keeps the server running."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1 FROM workspaces_workspace LIMIT 1")
    except DatabaseError:
        return HttpResponse("no database\n", status=503, content_type="text/plain")
    return HttpResponse("ok\n", content_type="text/plain")
