"""Which handoffs changed while a page that shows them was open."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from memoryhub.handoffs.queries.board import Filters
from memoryhub.handoffs.queries.changed import changed
from memoryhub.handoffs.queries.ids import handoffs_named, past_handoff
from memoryhub.people.policy import workspace_or_404
from memoryhub.web.handoffs.presenters.board import Asked
from memoryhub.web.handoffs.presenters.cards import changed_label
from memoryhub.web.timeline.views.news import answer_news, known_seq


@require_GET
@never_cache
def board_news(request: HttpRequest, slug: str) -> HttpResponse:
    """Answer how many handoffs of a board or a list changed after a seq."""
    workspace = workspace_or_404(slug)
    asked = Asked.of(request.GET)
    known = {workspace: known_seq(request)}
    return answer_news(request, workspace, changed_label(changed(known, asked.filters)))


@require_GET
@never_cache
def handoff_news(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """Answer whether one handoff changed after a seq, or is in no file any longer."""
    workspace = workspace_or_404(slug)
    past = past_handoff(workspace, name)
    found = [past] if past else handoffs_named(workspace, name)
    if len(found) != 1:
        raise Http404
    known = {workspace: known_seq(request)}
    n = changed(known, Filters(ids=(found[0].pk,)))
    words = gettext("This handoff has changed") if n else ""
    return answer_news(request, workspace, words)
