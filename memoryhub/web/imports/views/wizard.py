"""Import wizard: choice of source, check, progress, result."""

from __future__ import annotations

import json
from pathlib import Path
from typing import IO, Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from memoryhub.jobs.models import Job
from memoryhub.journal.models import Workspace
from memoryhub.people.policy import actor_of, check_right, may, workspace_or_404
from memoryhub.people.rights import Right
from memoryhub.sync.uploads import UploadRefused
from memoryhub.web.imports import presenters as pages
from memoryhub.web.imports import services
from memoryhub.web.imports.discovered import discovered
from memoryhub.web.kit.frame import shell_of
from memoryhub.web.kit.http import HtmxRequest, page_or_partial
from memoryhub.web.kit.links import addresses_of
from memoryhub.web.kit.listing import takes
from memoryhub.web.kit.responses import SeeOther
from memoryhub.workspaces.services.adding import BeingRemoved, NotAFolder, NotAWorkspace
from memoryhub.workspaces.services.moving import moved_here

Fault = tuple[str, str]


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
        return choices(request, ("upload", pages.refusal_text(error)))
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
    progress = pages.shown_progress(
        found, int(announced) if announced in {*"01234"} else 0
    )
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
        "check": pages.shown_check(found),
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
            "result": pages.shown_result(found, workspace, shell),
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
