"""Held files: path, holder, end, overlap; and the end of a claim."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from memoryhub.claims.queries import live_claims, overlaps
from memoryhub.claims.services import end_claims
from memoryhub.people.policy import actor_of, workspace_or_404
from memoryhub.web.handoffs.detail import due_label
from memoryhub.web.kit.frame import Shell
from memoryhub.web.kit.responses import SeeOther, back_to

#: SQLite has no larger integers.
_LARGEST = 2**63


def held_files(shell: Shell, agent: str = "") -> list[dict[str, Any]]:
    """Return the claims that hold, of one agent or of all; overlapping ones first."""
    live = live_claims(shell.workspace, shell.clock.now)
    clashing = {claim.pk for pair in overlaps(live) for claim in pair}
    rows = [
        {
            "row": claim,
            "overlaps": claim.pk in clashing,
            "until": due_label(claim.ends_at, shell.clock),
            "iso": shell.clock.local(claim.ends_at).isoformat(timespec="seconds"),
        }
        for claim in live
        if not agent or claim.agent.casefold() == agent.casefold()
    ]
    return sorted(rows, key=lambda row: not row["overlaps"])


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
