"""Page that assigns a row of Your turn to a person of the team."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from memoryhub.people.models import User
from memoryhub.people.policy import OPERATOR, actor_of, workspace_or_404
from memoryhub.people.roles import is_team, people_of
from memoryhub.people.services.assignments import assign, forget_others
from memoryhub.timeline.queries.turn_files import LIMIT
from memoryhub.web.kit.frame import Shell, shell_of
from memoryhub.web.kit.http import typed
from memoryhub.web.kit.responses import SeeOther
from memoryhub.web.overview.presenters.turns import TurnRow, turn_row


@never_cache
@require_http_methods(["GET", "POST"])
def assign_turn(request: HttpRequest, slug: str, mark: str) -> HttpResponse:
    """Show or save who has to handle a row; 404 if it no longer waits.

    People without a role in the workspace cannot be chosen.
    """
    workspace = workspace_or_404(slug)
    if not is_team():
        raise Http404
    title = gettext("Assign")
    shell = shell_of(workspace, [(title, request.path)])
    row = _row_or_404(shell, mark)
    people = [one for one in people_of(workspace) if _can_sign_in(one)]
    if request.method == "POST":
        name = typed(request.POST, "person")
        chosen = next((one for one in people if one.get_username() == name), None)
        if name and chosen is None:
            raise Http404
        assign(workspace, mark, chosen, actor_of(request), timezone.now())
        if len(shell.turns) < LIMIT:
            forget_others(workspace, [turn.mark for turn in shell.turns])
        messages.success(request, _done(chosen))
        return SeeOther(f"{shell.addresses.base}#y-h")
    context = {"shell": shell, "title": title, "row": row, "people": people}
    return render(request, "overview/assign.html", context)


def _row_or_404(shell: Shell, mark: str) -> TurnRow:
    for turn in shell.turns:
        if turn.mark == mark:
            return turn_row(turn, shell.addresses)
    raise Http404


def _can_sign_in(person: User) -> bool:
    return person.get_username() != OPERATOR


def _done(chosen: User | None) -> str:
    if chosen is None:
        return gettext("Waits for everybody")
    return gettext("Waits for %(name)s") % {"name": chosen.shown_name}
