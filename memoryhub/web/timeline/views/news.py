"""What came while a page was open: told to it, and shown when somebody asks."""

from __future__ import annotations

from dataclasses import replace

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from memoryhub.journal.changes import end_of
from memoryhub.journal.models import Workspace
from memoryhub.people.marks import seen_by
from memoryhub.people.policy import person_of, workspace_or_404
from memoryhub.timeline.queries.facets import filter_options
from memoryhub.timeline.queries.turns import count_of, turn_facts, turns_of
from memoryhub.web.kit.clock import Clock
from memoryhub.web.kit.frame import checked_label
from memoryhub.web.kit.http import whole_number
from memoryhub.web.kit.links import addresses_of
from memoryhub.web.timeline.presenters.events import Look
from memoryhub.web.timeline.presenters.timeline import Asked, News, list_news
from memoryhub.web.timeline.views.timeline import wanted_by


@require_GET
@never_cache
def news(request: HttpRequest, slug: str) -> HttpResponse:
    """Answer how many events came after a seq, or those events as rows."""
    workspace = workspace_or_404(slug)
    shown = list_news(_look(request, workspace), rows="rows" in request.GET)
    return answer_news(request, workspace, _pill(shown), shown)


def answer_news(
    request: HttpRequest, workspace: Workspace, pill: str, rows: News | None = None
) -> HttpResponse:
    """Answer what a pill says of the news, and how old a page's data is.

    204 when neither they nor the folder's last look are news. `Memoryhub-Seq` says
    how far the answer goes, so that a page asks for what comes after it.
    """
    checked = workspace.checked_at.isoformat() if workspace.checked_at else ""
    if pill or checked != request.GET.get("checked", ""):
        context = {
            "pill": pill,
            "news": rows,
            "checked": checked,
            "label": checked_label(workspace, Clock.of(workspace.time_zone)),
            "turns": count_of(turns_of(turn_facts(workspace), timezone.now())),
        }
        response = render(request, "timeline/_news.html", context)
    else:
        response = HttpResponse(status=204)
    response["Memoryhub-Seq"] = str(workspace.projected_seq)
    return response


def known_seq(request: HttpRequest) -> int:
    """Return up to where in the journal a page knows what happened."""
    return whole_number(request.GET.get("after", ""), digits=12) or 0


def _pill(shown: News) -> str:
    if not shown.number:
        return ""
    words = ngettext("%(shown)s new event", "%(shown)s new events", shown.number)
    return words % {"shown": shown.count}


def _look(request: HttpRequest, workspace: Workspace) -> Look:
    asked = Asked.of(request.GET)
    wanted = wanted_by(asked, workspace, filter_options(workspace))
    return Look(
        workspace,
        replace(wanted, after=end_of(known_seq(request))),
        addresses_of(workspace.slug),
        Clock.of(workspace.time_zone),
        seen=seen_by(person_of(request), workspace),
        scope=asked.scope,
    )
