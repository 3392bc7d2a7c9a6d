"""Which handoffs changed while a page that shows them was open."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from memoryhub.handoffs.pages_board import Asked
from memoryhub.handoffs.queries import Filters
from memoryhub.handoffs.queries_changed import changed
from memoryhub.handoffs.views import handoff_or_404
from memoryhub.people.policy import workspace_or_404
from memoryhub.timeline.views_news import answer_news, known_to


@require_GET
@never_cache
def board_news(request: HttpRequest, slug: str) -> HttpResponse:
    """Answer how many handoffs of a board or a list changed after a seq."""
    workspace = workspace_or_404(slug)
    asked = Asked.of(request.GET)
    n = changed(workspace, asked.filters, known_to(request))
    words = ngettext("%(n)s handoff changed", "%(n)s handoffs changed", n)
    return answer_news(request, workspace, words % {"n": n} if n else "")


@require_GET
@never_cache
def handoff_news(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """Answer whether one handoff changed after a seq."""
    handoff = handoff_or_404(slug, name)
    own = Filters(ids=(handoff.pk,))
    n = changed(handoff.workspace, own, known_to(request))
    words = gettext("This handoff has changed") if n else ""
    return answer_news(request, handoff.workspace, words)
