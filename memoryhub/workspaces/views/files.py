"""Files of a workspace and their versions, its problems and its imports."""

from __future__ import annotations

import uuid
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_POST

from memoryhub.addresses import addresses_of, with_query
from memoryhub.answers import conflict_page, done, refused
from memoryhub.files import FileError
from memoryhub.formats.base import FormatError
from memoryhub.http import HtmxRequest, markdown_response, typed, whole_number
from memoryhub.people.policy import actor_of, workspace_or_404
from memoryhub.sync.edits import Conflict
from memoryhub.wording import REVISION_KINDS, run_text
from memoryhub.workspaces.models import SyncRun, Workspace
from memoryhub.workspaces.pages.files import Asked, file_page, shown_row
from memoryhub.workspaces.pages.problems import shown_problems
from memoryhub.workspaces.pages.shell import Shell, shell_of
from memoryhub.workspaces.queries import workspaces
from memoryhub.workspaces.services import files as file_services
from memoryhub.workspaces.services.files import Who
from memoryhub.workspaces.versions import bytes_of, is_known, version_at


def _number(text: str) -> int | None:
    return whole_number(text, digits=18)


def _text(request: HttpRequest, name: str) -> str:
    return typed(request.GET, name, size=1000)


@require_GET
def files(request: HtmxRequest, slug: str) -> HttpResponse:
    """List the files of a workspace by path."""
    workspace = workspace_or_404(slug)
    gone = request.GET.get("show") == "gone"
    text, after = _text(request, "q"), _text(request, "after")
    rows = workspaces.files_in(workspace, text=text, after=after, gone=gone)
    shell = shell_of(workspace, [(gettext("Files"), request.path)])
    shown = rows[: workspaces.PAGE_SIZE]
    more = ""
    if len(rows) > len(shown):
        query = {"q": text, "show": "gone" if gone else "", "after": shown[-1].path}
        more = with_query(request.path, **query)
    context = {
        "shell": shell,
        "page": "files",
        "title": gettext("Files"),
        "rows": [shown_row(row, shell) for row in shown],
        "text": text,
        "gone": gone,
        "more": more,
    }
    return render(request, "workspaces/file_list.html", context)


@require_GET
def file(request: HtmxRequest, slug: str, path: str) -> HttpResponse:
    """Show a file: rendered, as it is, its history, or what changed in it."""
    workspace = workspace_or_404(slug)
    if path.endswith(".md") and not is_known(workspace, path):
        return _file_text(workspace, path.removesuffix(".md"), request)
    asked = Asked(
        view=request.GET.get("view", ""),
        rev=_number(request.GET.get("rev", "")),
        vs=_number(request.GET.get("vs", "")),
        below=_number(request.GET.get("below", "")),
        everything=bool(request.GET.get("all")),
        secrets=request.GET.get("show") == "secrets",
    )
    if asked.view == "text":
        return _file_text(workspace, path, request)
    shell = shell_of(workspace, _file_crumbs(workspace, path))
    page = file_page(workspace, path, asked, shell)
    if page is None:
        raise Http404
    context = {
        "shell": shell,
        "page": "files",
        "title": path,
        "file": page,
        "key": uuid.uuid4().hex,
    }
    return render(request, "workspaces/file_detail.html", context)


@require_POST
def restore(request: HttpRequest, slug: str, path: str) -> HttpResponse:
    """Make a file say again what it said at a revision, as a new one."""
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


def _file_crumbs(workspace: Workspace, path: str) -> list[tuple[str, str]]:
    addresses = addresses_of(workspace.slug)
    return [(gettext("Files"), addresses.files), (path, addresses.file(path))]


def _file_text(workspace: Workspace, path: str, request: HttpRequest) -> HttpResponse:
    rev = _number(request.GET.get("rev", ""))
    version = version_at(workspace, path, rev)
    if version is None:
        raise Http404
    return markdown_response(bytes_of(version))


@require_GET
def imports(request: HttpRequest, slug: str) -> HttpResponse:
    """List the imports that changed something, newest first."""
    workspace = workspace_or_404(slug)
    rows = workspaces.runs_of(workspace, below=_number(request.GET.get("below", "")))
    shell = shell_of(workspace, [(gettext("Imports"), request.path)])
    shown = rows[: workspaces.PAGE_SIZE]
    more = ""
    if len(rows) > len(shown):
        more = with_query(request.path, below=shown[-1].number)
    context = {
        "shell": shell,
        "page": "imports",
        "title": gettext("Imports"),
        "runs": [_shown_run(run, shell) for run in shown],
        "more": more,
    }
    return render(request, "workspaces/run_list.html", context)


def _shown_run(run: SyncRun, shell: Shell) -> dict[str, Any]:
    at = run.finished_at or run.started_at
    counts = {
        "added": run.added,
        "changed": run.changed,
        "moved": run.moved,
        "deleted": run.deleted,
        "problems": run.problem_count,
    }
    return {
        "run": run,
        "url": shell.addresses.run(run.number),
        "text": run_text(counts),
        "iso": shell.clock.local(at).isoformat(timespec="seconds"),
        "when": shell.clock.moment(at),
        "seconds": f"{run.seconds:.2f}",
    }


@require_GET
def run(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Show an import: which files it read and which problems it found."""
    workspace = workspace_or_404(slug)
    found = workspaces.run_or_none(workspace, number)
    if found is None:
        raise Http404
    addresses = addresses_of(slug)
    title = gettext("Import #%(number)s") % {"number": number}
    crumbs = [(gettext("Imports"), addresses.imports), (title, request.path)]
    shell = shell_of(workspace, crumbs)
    after = _number(request.GET.get("after", "")) or 0
    rows = workspaces.files_of_run(found, after=after)
    shown = rows[: workspaces.PAGE_SIZE]
    troubles = workspaces.problems_of_run(workspace, number)
    more = ""
    if len(rows) > len(shown):
        more = with_query(request.path, after=shown[-1].seq)
    context = {
        "shell": shell,
        "page": "imports",
        "title": title,
        "shown": _shown_run(found, shell),
        "files": [
            {
                "row": row,
                "kind": str(REVISION_KINDS[row.kind]),
                "url": addresses.file(row.path, rev=row.seq),
                "diff": addresses.file(row.path, view="history", rev=row.seq),
            }
            for row in shown
        ],
        "problems": shown_problems(workspace, troubles, shell),
        "more": more,
    }
    return render(request, "workspaces/run_detail.html", context)
