"""Polling endpoints of open pages: number of news, freshness of the data."""

from __future__ import annotations

from collections.abc import Sequence

from django.http import HttpRequest, JsonResponse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from memoryhub.journal.models import Workspace
from memoryhub.people.policy import workspace_or_404, workspaces
from memoryhub.timeline.queries.events import Count
from memoryhub.timeline.queries.turn_counts import total_of, turn_counts
from memoryhub.timeline.queries.turns import count_of, turn_facts, turns_of
from memoryhub.web.kit.clock import Clock
from memoryhub.web.kit.frame import Version, checked_label
from memoryhub.web.kit.http import whole_number


@require_GET
@never_cache
def news(request: HttpRequest, slug: str) -> JsonResponse:
    """Return the news of a workspace's page as JSON."""
    workspace = workspace_or_404(slug)
    turns = count_of(turns_of(turn_facts(workspace), timezone.now()))
    label = checked_label(workspace, Clock.of(workspace.time_zone))
    return _answer(request, [workspace], turns, label)


@require_GET
@never_cache
def hub_news(request: HttpRequest) -> JsonResponse:
    """Return the news of a page over all workspaces as JSON."""
    known = workspaces()
    turns = total_of(turn_counts(known, timezone.now()).values())
    return _answer(request, known, turns, "")


def _answer(
    request: HttpRequest, known: Sequence[Workspace], turns: Count, label: str
) -> JsonResponse:
    """Return the pill's text, empty if the page is current, with label and turns.

    ``seq`` is the journal's cursor as of this response.
    """
    version, after = Version.of(known), request.GET.get("after", "")
    seen = whole_number(after.partition(".")[0], digits=12) or 0
    words = gettext("%(n)s new, show") % {"n": max(version.seq - seen, 1)}
    return JsonResponse(
        {
            "seq": version.seq,
            "pill": "" if after == str(version) else words,
            "label": label,
            "turns": str(turns) if turns.number else "",
        }
    )
