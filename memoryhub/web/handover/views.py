"""Export for an agent: choice of records, preview, download, writing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_POST

from memoryhub.disk.files import FileError
from memoryhub.exports.handover import Handover, compose, place
from memoryhub.exports.handover_forms import Left
from memoryhub.formats.base import FormatError
from memoryhub.journal.models import Operation, Workspace
from memoryhub.people.policy import actor_of, may, workspace_or_404, workspaces
from memoryhub.people.rights import Right
from memoryhub.sync.edit.edits import Conflict
from memoryhub.web.handover.presenters import (
    HandoverQuery,
    form_of,
    handover_page,
    picked_of,
    shown_left,
)
from memoryhub.web.kit.frame import shell_of
from memoryhub.web.kit.http import markdown_response
from memoryhub.web.kit.labels import headed
from memoryhub.web.kit.links import addresses_of
from memoryhub.web.kit.responses import (
    SeeOther,
    conflict_page,
    refused,
    say_done,
)
from topics.services.topics import new_key

_KEY_SIZE = 80


@require_GET
def handover(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the records to choose from and the chosen ones in an agent's format."""
    workspace = workspace_or_404(slug)
    query = HandoverQuery.of(request)
    composed = _composed(workspace, request.GET)
    shell = shell_of(workspace, [(gettext("Export for an agent"), request.path)])
    others = (each for each in workspaces() if each.pk != workspace.pk)
    targets = [each for each in others if may(Right.EDIT, each.slug)]
    context = {
        "shell": shell,
        "page": "handover",
        "title": gettext("Export for an agent"),
        "export": handover_page(shell, query.given(request), composed, targets),
        "query": query,
        "key": new_key(),
    }
    return render(request, "handover/handover.html", context)


@require_GET
def handover_text(request: HttpRequest, slug: str) -> HttpResponse:
    """Return an export as one text."""
    workspace = workspace_or_404(slug)
    HandoverQuery.of_text(request)
    composed = _composed(workspace, request.GET)
    return markdown_response(composed.text, f"{composed.form}.md")


@require_GET
def handover_zip(request: HttpRequest, slug: str) -> HttpResponse:
    """Return an export as a zip of its files."""
    workspace = workspace_or_404(slug)
    HandoverQuery.of_text(request)
    composed = _composed(workspace, request.GET)
    return HttpResponse(
        composed.zipped(),
        content_type="application/zip",
        headers={"Content-Disposition": f'attachment; filename="{slug}-handover.zip"'},
    )


@require_POST
def handover_write(request: HttpRequest, slug: str) -> HttpResponse:
    """Write an export into another workspace.

    409 on a conflict there.
    """
    workspace = workspace_or_404(slug)
    target = workspace_or_404(request.POST.get("target", ""), Right.EDIT)
    back = addresses_of(slug).handover
    composed = _composed(workspace, request.POST, target)
    try:
        done, left = place(
            workspace,
            target,
            composed,
            actor=actor_of(request),
            key=request.POST.get("key", "")[:_KEY_SIZE] or new_key(),
            now=timezone.now(),
        )
    except Conflict as conflict:
        return conflict_page(request, target, conflict, back=back)
    except (FormatError, FileError) as error:
        return refused(request, error, back)
    return _done(request, target, done, left, back)


def _composed(
    workspace: Workspace, query: QueryDict, target: Workspace | None = None
) -> Handover:
    form = form_of(query)
    now = timezone.now()
    return compose(workspace, picked_of(query), form, now=now, target=target)


def _done(
    request: HttpRequest,
    target: Workspace,
    done: Sequence[Operation],
    left: Iterable[Left],
    back: str,
) -> HttpResponse:
    """Add messages of the written files, with undo, and of losses; redirect to them."""
    for operation in done:
        words = {"path": operation.target, "name": target.name}
        text = gettext("%(path)s was written into %(name)s") % words
        say_done(request, target, operation, text)
    for one in left:
        messages.warning(request, headed(one.name, shown_left(one)["why"]))
    if not done:
        messages.info(
            request,
            gettext("Nothing was written: the file already contains all of it."),
        )
        return SeeOther(back)
    addresses = addresses_of(target.slug)
    if len(done) == 1:
        return SeeOther(addresses.file(done[0].target))
    return SeeOther(addresses.files)
