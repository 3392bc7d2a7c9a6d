"""Pages of imports: list, detail, found folders, and the wizard."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from django import forms
from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.defaultfilters import filesizeformat
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from memoryhub.dialects.registry import by_name
from memoryhub.discovery.discover import Found
from memoryhub.formats.text.hidden import escape_of, with_escapes
from memoryhub.jobs.models import Job
from memoryhub.journal.models import SyncRun, Workspace
from memoryhub.journal.problems import GONE_AT_ONCE
from memoryhub.journal.versions import changes_of
from memoryhub.people.policy import actor_of, check_right, may, workspace_or_404
from memoryhub.people.rights import Right
from memoryhub.sync.uploads import UploadRefused
from memoryhub.timeline.queries import frame as workspaces
from memoryhub.timeline.queries.frame import problems_of_run, run_or_none
from memoryhub.web.health.problems import shown_problems
from memoryhub.web.imports import services
from memoryhub.web.imports.services import discovered, draft_of_path, import_again
from memoryhub.web.kit.frame import Shell, shell_of
from memoryhub.web.kit.http import HtmxRequest, page_or_partial
from memoryhub.web.kit.labels import problem_text, run_text
from memoryhub.web.kit.links import addresses_of, with_query
from memoryhub.web.kit.listing import ListQuery, number, takes
from memoryhub.web.kit.responses import SeeOther
from memoryhub.web.kit.state_labels import revision_label
from memoryhub.workspaces.services.adding import BeingRemoved, NotAFolder, NotAWorkspace
from memoryhub.workspaces.services.discovering import (
    Added,
    add_found,
    offers_here,
    offers_inside,
)
from memoryhub.workspaces.services.moving import moved_here

_SHOWN_PROBLEMS = 10
#: Progress announcements to screen readers per job.
_QUARTERS = 4
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")

_REFUSALS: dict[str, Promise] = {
    "zip-damaged": gettext_lazy("The zip is damaged: {reason}."),
    "zip-encrypted": gettext_lazy("The zip is encrypted; upload it without password."),
    "too-many-files": gettext_lazy(
        "The zip names {count} files; at most {limit} are taken in."
    ),
    "too-large": gettext_lazy("Unpacked it is larger than {limit}."),
    "too-slow": gettext_lazy(
        "After {seconds} seconds only {count} files were unpacked. Zip the memory"
        " folders alone, or name the folder's path."
    ),
    "bomb": gettext_lazy(
        "The zip unpacks to {ratio} times its size, unlike text. It was not opened."
    ),
    "name-absolute": gettext_lazy(
        "“{path}” is an absolute path, which is not allowed in a zip."
    ),
    "name-climbs": gettext_lazy("“{path}” leads out of the folder (../)."),
    "holds-link": gettext_lazy("“{path}” is a link; links are not imported."),
    "no-memory-files": gettext_lazy(
        "None of its {count} files is a memory file (.md, or .json, .txt, .yaml)."
    ),
    "cannot-keep": gettext_lazy("“{path}” cannot be stored: {reason}."),
}
Fault = tuple[str, str]


def refusal_text(error: UploadRefused) -> str:
    """Return the reason why an upload is refused."""
    words = dict(error.parameters)
    if "path" in words:
        named = with_escapes(str(words["path"]))
        words["path"] = _CONTROL.sub(escape_of, named)
    if error.code == "too-large":
        words["limit"] = filesizeformat(str(words["limit"]))
    return str(_REFUSALS[error.code]).format(**words)


def shown_check(job: Job) -> dict[str, Any]:
    """Return the check of a draft: recognised formats, problems, sizes."""
    check = job.payload["check"]
    return {
        "formats": [
            {"label": gettext(by_name(name).title or name), "count": count}
            for name, count in check["formats"]
        ],
        "plain": check["plain"],
        "plain_more": check["plain_count"] - len(check["plain"]),
        "plain_count": check["plain_count"],
        "problems": [
            {
                "path": found["path"],
                "text": problem_text(found["code"], {"reason": found["reason"]}),
            }
            for found in check["problems"]
        ],
        "problem_count": check["problem_count"],
        "skipped": job.payload.get("skipped", 0),
        "inner": check["inner"],
        "files": check["files"],
        "size": filesizeformat(check["size"]),
        "unseen": check["unseen"],
    }


def shown_progress(job: Job, announced: int) -> dict[str, Any]:
    """Return the progress of a job; `announced` is the last quarter read out."""
    quarter = _QUARTERS * job.done // job.total if job.total else 0
    if job.state == Job.State.DONE:
        quarter = _QUARTERS
    return {
        "text": _progress_text(job),
        "done": _done_text(job),
        "failed": _failed_text(job),
        "quarter": max(quarter, announced),
        "announce": gettext("%(n)s %% done") % {"n": quarter * 25}
        if quarter > announced
        else "",
    }


def _progress_text(job: Job) -> str:
    words = {
        "done": job.done,
        "total": job.total,
        "path": job.message,
    }
    if job.state == Job.State.QUEUED:
        return gettext("Waiting for its turn")
    if job.kind == Job.Kind.REMOVAL:
        return _removal_text(job)
    if not job.total:
        return gettext("Looking at the folder")
    if job.kind == Job.Kind.REBUILD:
        return gettext("Replaying %(done)s of %(total)s journal entries") % words
    if not job.message:
        return gettext("Reading %(done)s of %(total)s files") % words
    return gettext("Reading %(done)s of %(total)s files, %(path)s") % words


def _removal_text(job: Job) -> str:
    name = {"name": job.payload["name"]}
    if not job.total:
        return gettext("Deleting %(name)s") % name
    words = {**name, "done": job.done, "total": job.total}
    return gettext("Deleting %(name)s: %(done)s of %(total)s rows") % words


def _done_text(job: Job) -> str:
    """Return the result of a rebuild or removal in words."""
    if job.kind == Job.Kind.REMOVAL:
        words = {"name": job.payload["name"]}
        return gettext("%(name)s and its journal were deleted") % words
    words = {"n": job.result.get("entries", 0)}
    return gettext("%(n)s journal entries replayed") % words


def _failed_text(job: Job) -> str:
    if job.kind == Job.Kind.REMOVAL:
        return gettext("The rest is deleted when the hub starts again")
    return gettext("Nothing more was imported")


def shown_result(job: Job, workspace: Workspace, shell: Shell) -> dict[str, Any]:
    """Return the result of an import with links to its events and problems."""
    number = job.result.get("number", 0)
    run = run_or_none(workspace, number)
    addresses = addresses_of(workspace.slug)
    if run is None or number <= job.payload.get("before", 0):
        return _unchanged(workspace, number, shell) | {"restored": _restored_text(job)}
    counts = {
        "added": run.added,
        "changed": run.changed,
        "moved": run.moved,
        "deleted": run.deleted,
        "problems": run.problem_count,
    }
    rows = problems_of_run(workspace, number)[:_SHOWN_PROBLEMS]
    events = job.result.get("events", 0)
    return {
        "text": run_text(counts),
        "run": run,
        "run_url": addresses.run(number),
        "events": ngettext("%(n)s new event", "%(n)s new events", events)
        % {"n": events},
        "events_url": with_query(addresses.timeline, run=number),
        "problems": shown_problems(workspace, rows, shell),
        "problem_count": run.problem_count,
    }


def _restored_text(job: Job) -> str:
    """Return how many missing files were written back, and which were not."""
    number, left = job.result.get("restored", 0), job.result.get("left", [])
    text = ngettext("%(n)s file is restored", "%(n)s files are restored", number)
    told = [text % {"n": number}] if number else []
    if left:
        told.append(gettext("not restored: %(paths)s") % {"paths": ", ".join(left)})
    return "; ".join(told)


def _unchanged(workspace: Workspace, number: int, shell: Shell) -> dict[str, Any]:
    """Return the result of an import that recorded nothing, with held deletions."""
    found = problems_of_run(workspace, number)
    held = [row for row in found if row.code_name == GONE_AT_ONCE]
    last = {"n": number}
    text = gettext("No changes since import #%(n)s") % last if number else ""
    return {
        "text": text or gettext("No memory files"),
        "run": None,
        "problems": shown_problems(workspace, held, shell),
        "problem_count": len(held),
    }


@dataclass(frozen=True, slots=True)
class RunsQuery(ListQuery):
    """Cursor of the list of imports: the number of the last row before."""

    below: int | None = number("below", default=None)


@dataclass(frozen=True, slots=True)
class RunQuery(ListQuery):
    """Cursor of an import's files: the journal entry of the last row before."""

    after: int = number("after")


@require_GET
def imports(request: HttpRequest, slug: str) -> HttpResponse:
    """List the imports that changed something, newest first."""
    workspace = workspace_or_404(slug)
    query = RunsQuery.of(request)
    rows = workspaces.runs_of(workspace, below=query.below)
    shell = shell_of(workspace, [(gettext("Imports"), request.path)])
    shown = rows[: workspaces.PAGE_SIZE]
    context = {
        "shell": shell,
        "page": "imports",
        "title": gettext("Imports"),
        "query": query,
        "runs": [_shown_run(run, shell) for run in shown],
        "more": query.address(below=shown[-1].number) if len(rows) > len(shown) else "",
    }
    return render(request, "imports/run_list.html", context)


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
    """Show an import: the files it read and the problems it found."""
    workspace = workspace_or_404(slug)
    found = workspaces.run_or_none(workspace, number)
    if found is None:
        raise Http404
    addresses = addresses_of(slug)
    title = gettext("Import #%(number)s") % {"number": number}
    crumbs = [(gettext("Imports"), addresses.imports), (title, request.path)]
    shell = shell_of(workspace, crumbs)
    query = RunQuery.of(request)
    rows = workspaces.files_of_run(found, after=query.after)
    shown = rows[: workspaces.PAGE_SIZE]
    troubles = workspaces.problems_of_run(workspace, number)
    lines = changes_of(workspace, (row.seq for row in shown))
    context = {
        "shell": shell,
        "page": "imports",
        "title": title,
        "shown": _shown_run(found, shell),
        "files": [
            {
                "row": row,
                "kind": revision_label(row.kind, lines.get(row.seq)),
                "size": row.blob.size if row.blob else None,
                "lines": lines.get(row.seq),
                "url": addresses.file(row.path, rev=row.seq),
                "diff": addresses.file(row.path, view="history", rev=row.seq),
            }
            for row in shown
        ],
        "problems": shown_problems(workspace, troubles, shell),
        "query": query,
        "more": query.address(after=shown[-1].seq) if len(rows) > len(shown) else "",
    }
    return render(request, "imports/run_detail.html", context)


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


def job_url(job: Job) -> str:
    """Return the address of a job's page."""
    return reverse("import", args=[job.pk])


@require_http_methods(["GET", "HEAD", "POST"])
@takes("into", "folder")
def new(request: HttpRequest) -> HttpResponse:
    """Show the sources of an import, or create a draft from the chosen one."""
    if request.method != "POST":
        return choices(request)
    try:
        job = _drafted(request)
    except UploadRefused as error:
        return choices(request, ("upload", refusal_text(error)))
    except (NotAFolder, BeingRemoved) as error:
        return choices(request, ("path", _no_workspace(error)))
    if isinstance(job, tuple):
        return choices(request, job)
    return SeeOther(job_url(job))


def choices(request: HttpRequest, fault: Fault = ("", "")) -> HttpResponse:
    """Render the page of sources; 422 with an error."""
    source, text = fault
    into = Workspace.objects.filter(slug=request.GET.get("into", "")).first()
    context = {
        "title": gettext("Import"),
        "first_run": not Workspace.objects.exists(),
        "wrong": {source: text},
        "path": request.POST.get("path", ""),
        "into": into,
        "found": discovered(request),
        "drafts": Job.objects.filter(
            kind=Job.Kind.IMPORT, state__in=["draft", "queued", "running"]
        ).order_by("-id")[:5],
    }
    status = 422 if text else 200
    return render(request, "imports/import_new.html", context, status=status)


def _drafted(request: HttpRequest) -> Job | Fault:
    """Return the draft of the chosen source, or (source, error)."""
    source = request.POST.get("source", "")
    if source == "sample":
        return services.draft_of_sample()
    if source == "path":
        return _path_drafted(request)
    if archive := uploaded_zip(request):
        return services.draft_of_zip(archive, archive.name or "upload")
    if files := uploaded_folder(request):
        return services.draft_of_files(files)
    return "upload", gettext("Choose a folder or a .zip first.")


def _path_drafted(request: HttpRequest) -> Job | Fault:
    form = PathForm(request.POST)
    if not form.is_valid():
        return "path", " ".join(map(str, form.errors["path"]))
    return services.draft_of_path(form.cleaned_data["path"])


def _no_workspace(error: NotAFolder | BeingRemoved) -> str:
    """Return the reason why a folder cannot become a workspace."""
    if isinstance(error, NotAWorkspace):
        return gettext("The whole disk and the hub's own folder cannot be imported.")
    if isinstance(error, NotAFolder):
        return gettext("%(path)s is not a folder") % {"path": error.path}
    return gettext("Its workspace is still being deleted. Try again in a moment.")


@require_GET
@never_cache
@takes("announced")
def job(request: HtmxRequest, pk: int) -> HttpResponse:
    """Show a job: its check while a draft, then progress and result."""
    found = _job_or_404(pk)
    if found.state == Job.State.DRAFT:
        context = {"title": gettext("Check"), "job": found, **_draft_context(found)}
        return render(request, "imports/import_check.html", context)
    announced = request.GET.get("announced", "0")
    progress = shown_progress(found, int(announced) if announced in {*"01234"} else 0)
    context = {"job": found, "progress": progress, **_job_context(found)}
    response = page_or_partial(
        request, "imports/import_detail.html", "imports/_progress.html", context
    )
    if text := progress["announce"]:
        response["HX-Trigger"] = json.dumps({"announce": text})
    return response


def _draft_context(found: Job) -> dict[str, Any]:
    root = found.payload["root"]
    known = Workspace.objects.filter(root=root).first()
    by_path = found.payload["source"] == "path"
    return {
        "moved": moved_here(Path(root)) if by_path and known is None else None,
        "check": shown_check(found),
        "root": root,
        "known": known,
        "is_upload": found.payload["source"] == "upload",
    }


def _job_context(found: Job) -> dict[str, Any]:
    workspace = Workspace.objects.filter(pk=found.workspace or 0).first()
    heading = _heading(found)
    context: dict[str, Any] = {
        "title": gettext("Import") if found.kind == Job.Kind.IMPORT else heading,
        "heading": heading,
        "workspace": workspace,
    }
    if workspace is None:
        return context
    addresses = addresses_of(workspace.slug)
    context |= {"addresses": addresses}
    if found.state == Job.State.DONE and found.kind == Job.Kind.IMPORT:
        shell = shell_of(workspace)
        context |= {
            "result": shown_result(found, workspace, shell),
            "result_shell": shell,
        }
    return context


def _heading(found: Job) -> str:
    if found.kind == Job.Kind.REBUILD:
        titles = (gettext("Replaying the journal"), gettext("Journal replayed"))
    elif found.kind == Job.Kind.REMOVAL:
        titles = (gettext("Deleting a workspace"), gettext("Workspace deleted"))
    else:
        titles = (gettext("Importing"), gettext("Import done"))
    if found.state == Job.State.FAILED:
        return gettext("This did not work")
    return titles[found.state == Job.State.DONE]


@require_POST
def start(request: HttpRequest, pk: int) -> HttpResponse:
    """Start the import of a draft."""
    found = _job_or_404(pk)
    if found.state == Job.State.DRAFT:
        try:
            services.begin(found, as_new="as_new" in request.POST)
        except (NotAFolder, BeingRemoved) as error:
            return choices(request, ("path", _no_workspace(error)))
    return SeeOther(job_url(found))


@require_POST
def give_up(request: HttpRequest, pk: int) -> HttpResponse:
    """Cancel a draft."""
    services.give_up(_job_or_404(pk))
    return SeeOther(reverse("import_new"))


@require_POST
def again(request: HttpRequest, slug: str) -> HttpResponse:
    """Import the changes of a workspace's folder, or write back its missing files."""
    workspace = workspace_or_404(slug)
    job = services.import_again(
        workspace,
        accept_deletions="accept_deletions" in request.POST,
        restorer=actor_of(request) if "restore_missing" in request.POST else "",
    )
    return SeeOther(job_url(job))


@require_GET
def new_in(request: HttpRequest, slug: str) -> HttpResponse:
    """Redirect from a workspace to the import wizard."""
    return redirect(f"{reverse('import_new')}?into={workspace_or_404(slug).slug}")


def _job_or_404(pk: int) -> Job:
    # SQLite has no larger integers.
    found = (
        Job.objects.exclude(kind=Job.Kind.NOTICE).filter(pk=pk).first()
        if pk < 2**63
        else None
    )
    if found is None:
        raise Http404
    workspace = Workspace.everything.filter(pk=found.workspace or 0).first()
    if workspace is not None:
        check_right(Right.READ, workspace.slug)
    elif not may(Right.WORKSPACES, ""):
        raise Http404
    return found


class PathForm(forms.Form):
    """Form field for a folder on this server."""

    path = forms.CharField(max_length=4000, strip=True)

    def clean_path(self) -> str:
        path: str = self.cleaned_data["path"]
        if not path.startswith(("/", "~")):
            raise forms.ValidationError(gettext("Write the whole path, from / or ~."))
        return path


def uploaded_folder(request: HttpRequest) -> list[tuple[str, IO[bytes]]]:
    """Return an uploaded folder's files with their relative paths.

    Django drops the folders of a file's name, so the page sends the paths as a JSON
    list in the order of the files.
    """
    files: list[Any] = request.FILES.getlist("files")
    try:
        paths = json.loads(request.POST.get("paths", "") or "[]")
    except ValueError:
        paths = []
    if not isinstance(paths, list) or len(paths) != len(files):
        paths = [file.name for file in files]
    return [(str(path), file) for path, file in zip(paths, files, strict=True)]


def uploaded_zip(request: HttpRequest) -> UploadedFile[Any] | None:
    """Return the uploaded zip; None if there is none."""
    found = request.FILES.get("archive")
    return found if isinstance(found, UploadedFile) else None
