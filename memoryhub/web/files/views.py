"""Files of a workspace and their versions."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from glob import escape

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from memoryhub.audit.origins import current_origin
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
from memoryhub.web.files.presenters.merging import shown_clashes
from memoryhub.web.kit.clashes import MOST_CLASHES, numbered_choices
from memoryhub.web.kit.file_kinds import ROLES
from memoryhub.web.kit.frame import shell_of
from memoryhub.web.kit.http import HtmxRequest, markdown_response, whole_number
from memoryhub.web.kit.links import addresses_of
from memoryhub.web.kit.listing import ListQuery, parameter, whole
from memoryhub.web.kit.responses import (
    SeeOther,
    conflict_page,
    done,
    refused,
    say_done,
)
from memoryhub.workspaces.services.merging import TwoTexts, make_one, two_texts
from memoryhub.workspaces.services.roles import set_roles


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
        workspace,
        text=query.text,
        role=query.role,
        after=query.after,
        gone=query.gone,
    )
    shell = shell_of(workspace, [(gettext("Files"), request.path)])
    shown = rows[: workspaces.PAGE_SIZE]
    changed = workspaces.changed_on_disk(workspace, shown)
    context = {
        "shell": shell,
        "page": "files",
        "title": gettext("Files"),
        "query": query,
        "roles": ROLES.items(),
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
        "roles": ROLES.items(),
    }
    return render(request, "files/file_detail.html", context)


@require_POST
def role(request: HttpRequest, slug: str, path: str) -> HttpResponse:
    """Give a file a role, or that of its path again; a job applies another one."""
    workspace = workspace_or_404(slug)
    chosen = request.POST.get("role", "")
    if not is_known(workspace, path) or chosen not in ("", *ROLES):
        raise Http404
    own = escape(path)
    others = [pair for pair in workspace.roles if pair[0] != own]
    roles = [[own, chosen], *others] if chosen else others
    if roles == workspace.roles:
        current_origin().reads = True
        return SeeOther(addresses_of(slug).file(path))
    job = set_roles(workspace, roles)
    if job is None:
        messages.success(request, gettext("Settings saved"))
        return SeeOther(addresses_of(slug).file(path))
    messages.success(request, gettext("Settings saved; they are being applied"))
    return SeeOther(reverse("import", args=[job.pk]))


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


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def merge(request: HttpRequest, slug: str, path: str) -> HttpResponse:
    """Show two texts of a file side by side, or write the one that was chosen.

    409 with the newest texts if a file was changed meanwhile.
    """
    workspace = workspace_or_404(slug)
    addresses, status = addresses_of(slug), 200
    try:
        found = two_texts(workspace, path)
        if found is not None and request.method == "POST":
            try:
                if answer := _merged(request, workspace, found):
                    return answer
                status = 422
            except Conflict:
                found, status = two_texts(workspace, path), 409
    except (FormatError, FileError) as error:
        return refused(request, error, addresses.file(path))
    if found is None:
        messages.info(request, gettext("There is nothing to merge in the file."))
        return SeeOther(addresses.file(path))
    back = addresses.file(found.path)
    files = (gettext("Files"), addresses.files)
    crumbs = [files, (found.path, back), (gettext("Merge"), "")]
    context = {
        "shell": shell_of(workspace, crumbs),
        "page": "files",
        "title": gettext("Merge %(path)s") % {"path": found.path},
        "found": found,
        "clashes": shown_clashes(found, numbered_choices(request)),
        "most": MOST_CLASHES,
        "is_stale": status == 409,
        "is_open": status == 422,
        "remove": bool(request.POST.get("remove")),
        "back": back,
        "url": addresses.merge(path),
        "key": uuid.uuid4().hex,
    }
    return render(request, "files/file_merge.html", context, status=status)


def _merged(
    request: HttpRequest, workspace: Workspace, found: TwoTexts
) -> HttpResponse | None:
    """Write the merged text and delete a ticked copy; return None without a choice.

    Raises:
        Conflict: a file was changed since the page was made.
    """
    choices = numbered_choices(request)
    picked = [choices[n] for n in range(len(found.clashes)) if n in choices]
    if request.POST.get("seen") != found.seen:
        raise Conflict(found.path, "", found.text)
    if len(picked) < len(found.clashes):
        return None
    who = Who(actor_of(request), request.POST.get("key", "")[:60] or uuid.uuid4().hex)
    remove = bool(request.POST.get("remove"))
    operations = make_one(workspace, found, picked, who, remove=remove)
    for operation in operations:
        is_copy = operation.target == found.copy
        text = gettext("%(path)s deleted") if is_copy else gettext("%(path)s written")
        say_done(request, workspace, operation, text % {"path": operation.target})
    if not operations:
        messages.success(request, gettext("The file is as before already"))
    return SeeOther(addresses_of(workspace.slug).file(found.path))


def _file_text(workspace: Workspace, path: str, rev: int | None) -> HttpResponse:
    version = version_at(workspace, path, rev)
    if version is None:
        raise Http404
    return markdown_response(bytes_of(version))
