"""Undo of operations."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from memoryhub.disk.files import FileError
from memoryhub.formats.base import FormatError
from memoryhub.handoffs.services.memory import Remembered, left_behind
from memoryhub.journal.models import Operation
from memoryhub.people.policy import actor_of, check_right, workspace_or_404
from memoryhub.people.rights import Right
from memoryhub.sync.edit.editing import undo
from memoryhub.sync.edit.edits import Conflict
from memoryhub.web.kit.links import addresses_of
from memoryhub.web.kit.responses import SeeOther, back_to, conflict_page, refused


@require_POST
def undo_view(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """Undo an operation and redirect to the requesting page.

    404 for an unknown key, 409 on a conflict. Of other people's and agents' operations
    only a coordinator undoes any.
    """
    workspace = workspace_or_404(slug)
    operation = Operation.objects.filter(workspace=workspace, key=key).first()
    if operation is None:
        raise Http404
    if operation.actor != actor_of(request):
        check_right(Right.COORDINATE, slug)
    home = addresses_of(slug).timeline
    try:
        undo(workspace, operation, actor_of(request))
    except Conflict as conflict:
        return conflict_page(request, workspace, conflict, back=back_to(request, home))
    except (FormatError, FileError) as error:
        return refused(request, error, home)
    messages.success(request, gettext("Undone"))
    for left in left_behind(workspace, operation):
        messages.warning(request, _left_text(left))
    return SeeOther(back_to(request, home))


def _left_text(left: Remembered) -> str:
    """Return the warning about a memory update whose result was undone."""
    words = {"path": left.path}
    if left.staged:
        return (
            gettext("The next export removes its memory update from %(path)s") % words
        )
    text = gettext("Its memory update stays in %(path)s, which was changed since")
    return text % words
