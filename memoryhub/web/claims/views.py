"""Views that end claims of files."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from memoryhub.claims.services import end_claims
from memoryhub.people.policy import actor_of, workspace_or_404
from memoryhub.web.kit.responses import SeeOther, back_to

#: SQLite has no larger integers.
_LARGEST = 2**63


@require_POST
def end_claim(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """End an agent's claim of a file before its time."""
    workspace = workspace_or_404(slug)
    if number >= _LARGEST:
        raise Http404
    ended = end_claims(workspace, [number], actor_of(request), timezone.now())
    if ended:
        messages.success(request, gettext("The file is free. Its holder is told."))
    else:
        messages.info(request, gettext("The claim had ended already."))
    return SeeOther(back_to(request, reverse("files-in-play", args=[slug])))
