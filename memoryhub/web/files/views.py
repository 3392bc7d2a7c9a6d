"""Files of a workspace and their versions."""

from __future__ import annotations

import uuid
from dataclasses import dataclass

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_POST

from memoryhub.disk.files import FileError
from memoryhub.formats.base import FormatError
from memoryhub.journal.models import Workspace
from memoryhub.journal.versions import bytes_of, is_known, version_at
from memoryhub.people.policy import actor_of, workspace_or_404
from memoryhub.sync import files as file_services
from memoryhub.sync.edit.edits import Conflict
from memoryhub.sync.files import Who
from memoryhub.timeline.queries import workspaces
from memoryhub.web.comments.presenters import file_panel
from memoryhub.web.files.presenters.files import (
    FileQuery,
    FilesQuery,
    file_page,
    shown_row,
)
from memoryhub.web.kit.frame import shell_of
from memoryhub.web.kit.http import HtmxRequest, markdown_response, whole_number
from memoryhub.web.kit.links import addresses_of
from memoryhub.web.kit.listing import ListQuery, parameter, whole
from memoryhub.web.kit.responses import conflict_page, done, refused


def _number(text: str) -> int | None:
    return whole_number(text, digits=18)


@dataclass(frozen=True, slots=True)
class FileTextQuery(ListQuery):
    """Version of a file whose text is returned."""

    rev: int | None = parameter("rev", default=None, read=whole(18))


@require_GET
def files(request: HtmxRequest, slug: str) -> HttpResponse:
    """List the files of a workspace by path."""
    workspace = workspace_or_404(slug)
    query = FilesQuery.of(request)
    rows = workspaces.files_in(
        workspace, text=query.text, after=query.after, gone=query.gone
    )
    shell = shell_of(workspace, [(gettext("Files"), request.path)])
    shown = rows[: workspaces.PAGE_SIZE]
    changed = workspaces.changed_on_disk(workspace, shown)
    context = {
        "shell": shell,
        "page": "files",
        "title": gettext("Files"),
        "query": query,
        "rows": [shown_row(row, changed, shell) for row in shown],
        "more": query.address(after=shown[-1].path) if len(rows) > len(shown) else "",
    }
    return render(request, "files/file_list.html", context)


@require_GET
def file(request: HtmxRequest, slug: str, path: str) -> HttpResponse:
    """Show a file: rendered, raw, blame, history or a comparison."""
    workspace = workspace_or_404(slug)
    known = {"rev": lambda seq: int(seq) <= workspace.last_seq}
    if path.endswith(".md") and not is_known(workspace, path):
        text = FileTextQuery.of_text(request, known=known)
        return _file_text(workspace, path.removesuffix(".md"), text.rev)
    query = FileQuery.of(request, known=known)
    if query.view == "text":
        query = FileQuery.of_text(request, known=known)
        return _file_text(workspace, path, query.rev)
    addresses = addresses_of(slug)
    crumbs = [(gettext("Files"), addresses.files), (path, addresses.file(path))]
    shell = shell_of(workspace, crumbs)
    page = file_page(workspace, path, query, shell)
    if page is None:
        raise Http404
    context = {
        "shell": shell,
        "page": "files",
        "title": path,
        "query": query,
        "file": page,
        "losses": page.losses,
        "comments": file_panel(workspace, path, page.version.seq, page.total, shell)
        if page.takes_comments
        else None,
        "key": uuid.uuid4().hex,
    }
    return render(request, "files/file_detail.html", context)


@require_POST
def restore(request: HttpRequest, slug: str, path: str) -> HttpResponse:
    """Restore a file's content of a revision as a new revision.

    409 on a conflict.
    """
    workspace = workspace_or_404(slug)
    rev, seen = (_number(request.POST.get(name, "")) for name in ("rev", "seen"))
    version = version_at(workspace, path, rev) if rev is not None else None
    if version is None or seen is None:
        raise Http404
    who = Who(actor_of(request), request.POST.get("key", "")[:90] or uuid.uuid4().hex)
    home = addresses_of(slug).file(path)
    try:
        operation = file_services.restore(workspace, path, version, seen, who)
    except Conflict as conflict:
        return conflict_page(request, workspace, conflict, back=home)
    except (FormatError, FileError) as error:
        return refused(request, error, home)
    text = gettext("Restored as it was at revision %(seq)s") % {"seq": version.seq}
    return done(request, workspace, operation, text, home)


def _file_text(workspace: Workspace, path: str, rev: int | None) -> HttpResponse:
    version = version_at(workspace, path, rev)
    if version is None:
        raise Http404
    return markdown_response(bytes_of(version))
