"""Export preview: conflicts, writing, downloads."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, BinaryIO, cast

from django.contrib import messages
from django.db import OperationalError, connection
from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseBadRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.translation import gettext, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from memoryhub.disk.files import ExternallyChanged, FileError
from memoryhub.exports.canonical import canonical_files
from memoryhub.exports.left_out import with_left_out
from memoryhub.exports.preview import (
    Answers,
    FilePreview,
    PreviewStale,
    check_seen,
    previews,
    resolve_previewed,
    write_previewed,
)
from memoryhub.formats.base import FormatError
from memoryhub.journal.models import Operation, Workspace
from memoryhub.people.policy import actor_of, workspace_or_404
from memoryhub.sync.edit.staging import Unwritten, staged_paths
from memoryhub.sync.export import ExportFile, with_staged, workspace_files, write_zip
from memoryhub.values.budgets import Budget, interrupting
from memoryhub.web.exports import presenters as pages
from memoryhub.web.exports.forms import DownloadForm, seen_in
from memoryhub.web.kit.clashes import choices_of
from memoryhub.web.kit.frame import shell_of
from memoryhub.web.kit.links import with_query
from memoryhub.web.kit.listing import ListQuery, parameter
from memoryhub.web.kit.responses import SeeOther, refusal_text, say_done

#: Most undo buttons after a write; the timeline has the others.
_UNDO_BUTTONS = 5
_IN_MEMORY = 8_000_000
#: Files per page of the preview, and seconds for building their previews.
_FILES, _SECONDS = 500, 2.0
#: Seconds for making a download.
_DOWNLOAD_SECONDS = 60.0
#: Longest path in an address.
_PATH = 4096


@dataclass(frozen=True, slots=True)
class ExportQuery(ListQuery):
    """Path that the page begins after, the file it shows, and its view."""

    after: str = parameter("after", length=_PATH)
    file: str = parameter("file", length=_PATH)
    view: str = parameter("view", choices=pages.VIEWS)


@dataclass(frozen=True, slots=True)
class DownloadQuery(ListQuery):
    """Options of `DownloadForm`."""

    as_of: str = parameter("as_of")
    canonical: str = parameter("canonical")


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def export(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the export preview; resolve a conflict; write the previewed files."""
    workspace = workspace_or_404(slug)
    answers = Answers()
    if request.method == "POST":
        answers = Answers(choices_of(request), actor_of(request))
    found = _previewed(request, workspace, answers)
    do = _ACTIONS.get(request.POST.get("action", ""), _shown)
    try:
        return do(request, workspace, found)
    except PreviewStale as error:
        return _stale(request, workspace, error.paths, answers)
    except ExternallyChanged as error:
        return _stale(request, workspace, [error.path], answers)
    except (FormatError, FileError) as error:
        messages.error(request, refusal_text(error))
        return _page(request, workspace, found, status=422)


def _previewed(
    request: HttpRequest, workspace: Workspace, answers: Answers
) -> list[FilePreview]:
    """Return the previews: on GET a page within limits, on POST the listed files."""
    if request.POST.get("more"):
        return previews(workspace, answers, only=seen_in(request).keys())
    if request.method == "POST":
        return previews(workspace, answers)
    paths = staged_paths(workspace)
    first = paths.index(_after(request)) + 1 if _after(request) in paths else 0
    only = frozenset(paths[first : first + _FILES])
    return previews(workspace, answers, only=only, budget=Budget.of(_SECONDS))


def _shown(
    request: HttpRequest, workspace: Workspace, found: Sequence[FilePreview]
) -> HttpResponse:
    """Show the effect of the choices, or on GET the first page."""
    view = "diff" if request.method == "POST" else ""
    return _page(request, workspace, found, view=view)


def _resolved(
    request: HttpRequest, workspace: Workspace, found: Sequence[FilePreview]
) -> HttpResponse:
    path = _path_of(request)
    if not resolve_previewed(workspace, found, seen_in(request), path):
        messages.error(request, gettext("Choose for every conflict first."))
        return _page(request, workspace, found, status=422)
    messages.success(request, gettext("Resolved, not written yet"))
    after = _after(request)
    return SeeOther(with_query(request.path, after=after, file=path, view="diff"))


def _written(
    request: HttpRequest, workspace: Workspace, found: Sequence[FilePreview]
) -> HttpResponse:
    check_seen(found, seen_in(request))
    if request.POST.get("count") != str(_writable(found)):
        # Choices since the page was rendered change the count that its button named.
        return _page(request, workspace, found, view="diff", recounted=True)
    done, left = write_previewed(workspace, found, seen_in(request))
    _tell(request, workspace, done, left)
    return SeeOther(request.path)


_ACTIONS = {"resolve": _resolved, "write": _written}


def _tell(
    request: HttpRequest,
    workspace: Workspace,
    done: Sequence[Operation],
    left: Iterable[Unwritten],
) -> None:
    """Add messages for the written files, with undo, and for those left out."""
    for operation in done[:_UNDO_BUTTONS]:
        text = gettext("%(path)s written") % {"path": operation.target}
        say_done(request, workspace, operation, text)
    if (more := len(done) - _UNDO_BUTTONS) > 0:
        text = ngettext(
            "%(n)s more change written; the timeline has them all",
            "%(n)s more changes written; the timeline has them all",
            more,
        )
        messages.success(request, text % {"n": more})
    for one in left:
        messages.error(request, gettext("%(path)s was left out") % {"path": one.path})


def _stale(
    request: HttpRequest,
    workspace: Workspace,
    paths: Iterable[str],
    answers: Answers,
) -> HttpResponse:
    """Return 409 with a fresh preview that preserves the choices."""
    found = _previewed(request, workspace, answers)
    return _page(request, workspace, found, stale=tuple(paths), status=409)


def _page(
    request: HttpRequest,
    workspace: Workspace,
    found: Sequence[FilePreview],
    *,
    view: str = "",
    status: int = 200,
    **notice: object,
) -> HttpResponse:
    """Render the preview; `notice` is context for the banner above it."""
    shell = shell_of(workspace, [(gettext("Export preview"), request.path)])
    query, path = ExportQuery.of(request), _path_of(request)
    preview = next((each for each in found if each.path == path), None)
    if preview is None and found:
        preview = next((e for e in found if e.state == "conflict"), found[0])
    base = with_query(shell.addresses.export, after=_after(request))
    context: dict[str, Any] = {
        "shell": shell,
        "page": "export",
        "title": gettext("Export preview"),
        "query": query,
        "rows": pages.shown_rows(found, preview.path if preview else "", base),
        "after": _after(request),
        "writable": _writable(found),
        "changing": sum(each.state not in ("same", "unreadable") for each in found),
        "conflicts": sum(each.state == "conflict" for each in found),
        "identical": pages.identical_count(workspace, found),
        **_rest(request, workspace, found),
        "review": workspace.review_before_writing,
        **notice,
    }
    if preview is not None:
        wanted = view or query.view
        context["file"] = pages.shown_file(workspace, preview, wanted, shell, base)
    return render(request, "exports/export_preview.html", context, status=status)


def _rest(
    request: HttpRequest, workspace: Workspace, found: Sequence[FilePreview]
) -> dict[str, Any]:
    """Return how many files the page leaves out, and the address of the next page."""
    paths = staged_paths(workspace)
    more = len(set(paths) - {each.path for each in found})
    last = found[-1].path if found else ""
    is_last = not paths or last == paths[-1]
    following = "" if is_last else with_query(request.path, after=last)
    return {"more": more, "next_url": following or request.path}


def _writable(found: Sequence[FilePreview]) -> int:
    return sum(each.state in ("changed", "new", "deleted") for each in found)


def _after(request: HttpRequest) -> str:
    """Return the path after which the page begins; empty for the first page."""
    return request.POST.get("after", "") or request.GET.get("after", "")


def _path_of(request: HttpRequest) -> str:
    return request.POST.get("file", "") or request.GET.get("file", "")


@require_GET
def download(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Return the workspace as a zip: with staged edits, as of a time, or canonical."""
    workspace = workspace_or_404(slug)
    DownloadQuery.of_text(request)
    form = DownloadForm(request.GET, zone=workspace.time_zone)
    if not form.is_valid():
        return HttpResponseBadRequest(gettext("Not a valid time. Example: 2026-11-20."))
    if form.cleaned_data["as_of"] and form.cleaned_data["canonical"]:
        return _by_command(workspace, form.cleaned_data["as_of"])
    # Closed, and so removed, by the response.
    out = tempfile.SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115
    budget = Budget.of(_DOWNLOAD_SECONDS)
    try:
        with interrupting(connection.connection, budget):
            files = _in_time(_files(workspace, form.cleaned_data), budget)
            write_zip(files, cast(BinaryIO, out))
    except (OperationalError, TimeoutError):
        out.close()
        if not budget.is_spent:
            raise
        return _too_large(workspace)
    out.seek(0)
    return FileResponse(out, as_attachment=True, filename=f"{workspace.slug}.zip")


def _in_time(files: Iterable[ExportFile], budget: Budget) -> Iterator[ExportFile]:
    """Yield files until the budget is spent.

    Raises:
        TimeoutError: The budget is spent.
    """
    for file in files:
        if budget.is_spent:
            raise TimeoutError
        yield file


def _by_command(workspace: Workspace, moment: datetime) -> HttpResponse:
    """Answer that a past time in the canonical form is replayed by a command."""
    slug = workspace.slug
    command = f"memoryhub export {slug} --canonical --as-of {moment.isoformat()}"
    text = gettext(
        "The canonical format of a past time takes longer than a page can wait."
        " Use this command: %(command)s"
    ) % {"command": f"{command} --zip {slug}.zip"}
    return HttpResponse(f"{text}\n", "text/plain; charset=utf-8", 422)


def _too_large(workspace: Workspace) -> HttpResponse:
    text = gettext(
        "This workspace is too large to be downloaded here."
        " Use this command: %(command)s"
    ) % {"command": f"memoryhub export {workspace.slug} --zip {workspace.slug}.zip"}
    return HttpResponse(f"{text}\n", "text/plain; charset=utf-8", 503)


def _files(workspace: Workspace, form: dict[str, Any]) -> Iterable[ExportFile]:
    if form["canonical"]:
        return with_left_out(workspace, canonical_files(workspace))
    if form["as_of"]:
        return workspace_files(workspace, as_of=form["as_of"])
    left: list[Unwritten] = []
    return with_staged(workspace, workspace_files(workspace), left)
