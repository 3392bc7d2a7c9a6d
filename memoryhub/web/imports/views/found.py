"""Adding of memory folders that were found on this computer, with one click."""

from __future__ import annotations

from pathlib import Path

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_POST

from memoryhub.discovery.discover import Found
from memoryhub.people.policy import workspace_or_404
from memoryhub.web.imports.services import draft_of_path, import_again
from memoryhub.web.kit.links import addresses_of
from memoryhub.web.kit.responses import SeeOther
from memoryhub.workspaces.services.adding import NotAFolder
from memoryhub.workspaces.services.discovering import (
    Added,
    add_found,
    offers_here,
    offers_inside,
)


@require_POST
def add(request: HttpRequest) -> HttpResponse:
    """Add the chosen folder, or all that are new, and queue their imports."""
    added = add_found(_chosen(request))
    jobs = [import_again(workspace) for workspace in added.workspaces]
    _tell(request, added)
    if len(jobs) == 1:
        return SeeOther(reverse("import", args=[jobs[0].pk]))
    if not jobs and added.moved:
        # The page of its check offers to move the workspace there.
        moved, _ = added.moved[0]
        return SeeOther(reverse("import", args=[draft_of_path(moved.place.root).pk]))
    return SeeOther(reverse("home") if jobs else reverse("import_new"))


@require_POST
def add_inside(request: HttpRequest, slug: str) -> HttpResponse:
    """Add the chosen workspace inside a workspace, or all, and queue their imports."""
    workspace = workspace_or_404(slug)
    added = add_found(_wanted(request, offers_inside(workspace)))
    jobs = [import_again(one) for one in added.workspaces]
    _tell(request, added)
    if len(jobs) == 1:
        return SeeOther(reverse("import", args=[jobs[0].pk]))
    return SeeOther(f"{addresses_of(slug).health}#inside")


def _wanted(request: HttpRequest, new: list[Found]) -> list[Found]:
    if "all" in request.POST:
        return new
    return [found for found in new if found.place.key == request.POST.get("add")]


def _chosen(request: HttpRequest) -> list[Found]:
    """Discover again, and return the folders that the button named."""
    folder = request.POST.get("folder", "").strip().replace("\x00", "")
    try:
        new = offers_here(None, [Path(folder)] if folder else []).new
    except NotAFolder:
        new = offers_here().new
    return _wanted(request, new)


def _tell(request: HttpRequest, added: Added) -> None:
    """Report the number of added folders, and the reasons for the others."""
    count = len(added.workspaces)
    if count > 1:
        text = ngettext("%(n)s workspace added", "%(n)s workspaces added", count)
        messages.success(request, text % {"n": count})
    if left := len(added.moved) + len(added.refused):
        text = ngettext(
            "%(n)s folder was not added: it belongs to a workspace that moved or is"
            " being deleted.",
            "%(n)s folders were not added: they belong to workspaces that moved or are"
            " being deleted.",
            left,
        )
        messages.error(request, text % {"n": left})
    elif not count:
        messages.error(request, gettext("That folder is not there any more."))
