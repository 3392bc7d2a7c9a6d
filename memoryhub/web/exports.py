"""Export preview: files, conflicts, consequences; writing, downloads."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, BinaryIO, cast
from urllib.parse import quote, unquote

from django import forms
from django.contrib import messages
from django.db import OperationalError, connection
from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseBadRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.translation import gettext, gettext_lazy, ngettext, ngettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from memoryhub.disk.files import ExternallyChanged, FileError
from memoryhub.exports.canonical import canonical_files
from memoryhub.exports.left_out import with_left_out
from memoryhub.exports.past import moment_of
from memoryhub.exports.preview import (
    Answers,
    FilePreview,
    OpenClash,
    PreviewStale,
    check_seen,
    previews,
    resolve_previewed,
    write_previewed,
)
from memoryhub.formats.base import FormatError
from memoryhub.formats.text.diffing import (
    Hunk,
    change_counts,
    diff_lines,
    first_changes,
    hunks,
    split_text,
)
from memoryhub.health.queries import host_of
from memoryhub.journal.authors import changed_by, owners_of
from memoryhub.journal.hosts import HostLimit
from memoryhub.journal.models import Operation, Revision, SourceFile, Workspace
from memoryhub.people.policy import actor_of, workspace_or_404
from memoryhub.sync.edit.editing import Unwritten, staged_paths
from memoryhub.sync.export import ExportFile, with_staged, workspace_files, write_zip
from memoryhub.values.budgets import Budget, interrupting
from memoryhub.values.tokens import seed
from memoryhub.web.kit.clashes import Shown, choices_of, shown_clash
from memoryhub.web.kit.frame import Shell, shell_of
from memoryhub.web.kit.labels import clauses, problem_text
from memoryhub.web.kit.links import with_query
from memoryhub.web.kit.listing import ListQuery, parameter
from memoryhub.web.kit.responses import SeeOther, refusal_text, say_done

_RESULT_LINES = 2_000
_DIFF_LINES = 400
#: Seconds for comparing lines: once for the counts of all files, once for the open one.
_SECONDS = 2.0

_STATES = {
    "conflict": ("conflict", gettext_lazy("Conflict")),
    "changed": ("progress", gettext_lazy("Changed")),
    "new": ("done", gettext_lazy("New")),
    "deleted": ("failed", gettext_lazy("Would be deleted")),
    "same": ("idle", gettext_lazy("Nothing to change")),
    "unreadable": ("failed", gettext_lazy("Cannot be written")),
}
_DONE = {
    "set_status": ngettext_lazy("status edited", "status edited %(n)s times", "n"),
    "add_decision": ngettext_lazy("%(n)s decision added", "%(n)s decisions added", "n"),
    "remove_decision": ngettext_lazy(
        "%(n)s decision undone", "%(n)s decisions undone", "n"
    ),
    "supersede": ngettext_lazy(
        "%(n)s decision superseded", "%(n)s decisions superseded", "n"
    ),
    "reject": ngettext_lazy("%(n)s decision rejected", "%(n)s decisions rejected", "n"),
    "sign_decision": ngettext_lazy(
        "%(n)s sign-off written into a line", "%(n)s sign-offs written into lines", "n"
    ),
    "close_item": ngettext_lazy(
        "%(n)s open item closed", "%(n)s open items closed", "n"
    ),
    "reopen_item": ngettext_lazy(
        "%(n)s open item opened again", "%(n)s open items opened again", "n"
    ),
    "add_history": ngettext_lazy(
        "%(n)s history line added", "%(n)s history lines added", "n"
    ),
    "bind": ngettext_lazy("%(n)s session bound", "%(n)s sessions bound", "n"),
    "checkpoint": ngettext_lazy("%(n)s checkpoint", "%(n)s checkpoints", "n"),
}
_SUBJECTS = {
    "set_status": gettext_lazy("Current Status"),
    "bind": gettext_lazy("The session's topic"),
    "add_decision": gettext_lazy("A decision"),
    "checkpoint": gettext_lazy("A checkpoint"),
    "sign_decision": gettext_lazy("A sign-off"),
    "close_item": gettext_lazy("An open item"),
    "reopen_item": gettext_lazy("An open item"),
}
VIEWS = ("resolve", "diff", "result")
#: Most undo buttons after a write; the timeline has the others.
_UNDO_BUTTONS = 5
_IN_MEMORY = 8_000_000
#: Files per page of the preview, and seconds for building their previews.
_FILES, _PREVIEW_SECONDS = 500, 2.0
#: Seconds for making a download.
_DOWNLOAD_SECONDS = 60.0
#: Longest path in an address.
_PATH = 4096


def seen_in(request: HttpRequest) -> dict[str, str]:
    """Return the hash on disk per path, as of when the page was rendered."""
    pairs = (value.partition(" ") for value in request.POST.getlist("seen"))
    return {unquote(path): sha256 for sha256, _, path in pairs}


class DownloadForm(forms.Form):
    """Download options: as of a time, in canonical form, or current files."""

    as_of = forms.CharField(required=False)
    canonical = forms.BooleanField(required=False)

    def __init__(self, *args: object, zone: str) -> None:
        super().__init__(*args)  # type: ignore[arg-type]
        self._zone = zone

    def clean_as_of(self) -> datetime | None:
        """Return the moment; a day means its end, in the workspace's zone.

        Raises:
            ValidationError: The text is no date or time.
        """
        text: str = self.cleaned_data["as_of"].strip()
        try:
            return moment_of(text, self._zone) if text else None
        except ValueError as error:
            raise forms.ValidationError(str(error)) from error


def shown_rows(found: Sequence[FilePreview], chosen: str, base: str) -> list[Shown]:
    """Return the rows of a preview; `chosen` is the path of the open file.

    Changed lines are counted until the time budget is spent.
    """
    budget = Budget.of(_SECONDS)
    return [_row(preview, preview.path == chosen, base, budget) for preview in found]


def _row(preview: FilePreview, current: bool, base: str, budget: Budget) -> Shown:
    state, label = _STATES[preview.state]
    before, after = split_text(preview.before), split_text(preview.after)
    lines = [] if budget.is_spent else diff_lines(before, after, budget=budget)
    added, removed = (0, 0) if budget.is_spent else change_counts(lines)
    return {
        "path": preview.path,
        "url": with_query(base, file=preview.path),
        "state": state,
        "label": label,
        "text": _what(preview),
        "added": added,
        "removed": removed,
        "current": current,
        "seen": f"{preview.sha256} {quote(preview.path)}",
    }


def _what(preview: FilePreview) -> str:
    if n := preview.unresolved:
        return ngettext("%(n)s conflict, left out", "%(n)s conflicts, left out", n) % {
            "n": n
        }
    if preview.state == "unreadable":
        return problem_text(preview.reason, {})
    if preview.state == "deleted":
        return gettext("would be deleted: the edit that created it was undone")
    if preview.state == "same":
        return gettext("already in the file")
    counts = Counter(preview.verbs)
    return clauses(_done(verb, n) for verb, n in counts.items())


def _done(verb: str, n: int) -> str:
    words = _DONE.get(verb)
    if words is None:
        return verb.replace("_", " ")
    text: str = words % {"n": n}
    return text


def shown_file(
    workspace: Workspace, preview: FilePreview, view: str, shell: Shell, base: str
) -> dict[str, Any]:
    """Return the open file: conflicts, diff with the conflicts in place, result."""
    budget = Budget.of(_SECONDS)
    before, after = split_text(preview.before), split_text(preview.after)
    changes = hunks(diff_lines(before, after, budget=budget))
    is_coarse = budget.is_spent
    shown = first_changes(changes, _DIFF_LINES)
    at = _place_of(preview)
    base = with_query(base, file=preview.path)
    names = VIEWS if preview.clashes else VIEWS[1:]
    view = view if view in names else names[0]
    labels = {
        "resolve": gettext("Resolve"),
        "diff": gettext("Diff"),
        "result": gettext("Result"),
    }
    return {
        "path": preview.path,
        "view": view,
        "tabs": [(labels[name], f"{base}&view={name}", name == view) for name in names],
        "clashes": _shown_clashes(workspace, preview, shell),
        "hunks_before": [hunk for hunk in shown if _start(hunk) < at],
        "hunks_after": [hunk for hunk in shown if _start(hunk) >= at],
        "hunks": shown,
        "is_cut": sum(len(h.lines) for h in shown) < sum(len(h.lines) for h in changes),
        "is_coarse": is_coarse,
        "result": list(enumerate(after[:_RESULT_LINES], 1)),
        "result_more": max(0, len(after) - _RESULT_LINES),
        "notes": _notes(workspace, preview),
        "unreadable": _what(preview) if preview.state == "unreadable" else "",
    }


def _start(hunk: Hunk) -> int:
    first = hunk.lines[0]
    return first.old or first.new or 0


def _place_of(preview: FilePreview) -> int:
    """Return the line of the first conflict on disk; 0 if it is not found."""
    if not preview.clashes:
        return len(preview.before)
    text = preview.clashes[0].clash.disk
    place = preview.before.find(text) if text.strip() else -1
    return preview.before.count("\n", 0, place) + 1 if place >= 0 else 0


def _shown_clashes(
    workspace: Workspace, preview: FilePreview, shell: Shell
) -> list[Shown]:
    if not preview.clashes:
        return []
    disk = _disk_label(workspace, preview, shell)
    total = len(preview.clashes)
    return [
        _shown_clash(clash, number, total, disk, shell)
        for number, clash in enumerate(preview.clashes, 1)
    ]


def _shown_clash(
    found: OpenClash, number: int, total: int, disk: str, shell: Shell
) -> Shown:
    words = {
        "n": number,
        "total": total,
        "what": _SUBJECTS.get(found.verb, found.verb.replace("_", " ")),
    }
    here = gettext("Here, %(who)s, %(when)s") % {
        "who": found.actor,
        "when": shell.clock.moment(found.at),
    }
    title = gettext("Conflict %(n)s of %(total)s: %(what)s changed on both sides")
    options = {"disk": gettext("Keep disk"), "here": gettext("Keep here")}
    if found.mixable:
        options["both"] = gettext("Both, disk first")
        options["other"] = gettext("Write another text")
    return shown_clash(
        found.clash,
        title % words,
        {"disk": disk, "here": here},
        options,
        found.choice,
        (found.seq, found.number),
    )


def _disk_label(workspace: Workspace, preview: FilePreview, shell: Shell) -> str:
    """Return the label of the disk side: who changed it, and when."""
    rows = Revision.objects.filter(workspace=workspace, path=preview.path)
    last = rows.select_related("blob", "run").order_by("-seq").first()
    if last is None or last.blob is None or last.blob.sha256 != preview.sha256:
        return gettext("On disk, not imported yet")
    words = {
        "who": changed_by(last.actor, owners_of(workspace)(last.path)),
        "when": shell.clock.moment(last.recorded_at),
    }
    return gettext("In the file: %(who)s, %(when)s") % words


def _notes(workspace: Workspace, preview: FilePreview) -> list[str]:
    notes = [
        gettext(
            "The list is full. Writing this drops its oldest entry from the file:"
            " “%(line)s”. MemoryHub keeps it."
        )
        % {"line": line[:200]}
        for line in preview.dropped
    ]
    host = host_of(workspace, preview.path, preview.after)
    if host and host.host:
        notes.append(_size_note(preview, host))
    return notes


def _size_note(preview: FilePreview, host: HostLimit) -> str:
    return gettext("%(name)s %(before)s → %(after)s of %(limit)s tokens.") % {
        "name": preview.path.rpartition("/")[2],
        "before": seed(len(preview.before)),
        "after": seed(len(preview.after)),
        "limit": host.in_tokens,
    }


def identical_count(workspace: Workspace, found: Sequence[FilePreview]) -> int:
    """Count the present files that no staged operation changes."""
    present = SourceFile.objects.filter(workspace=workspace, present=True)
    same = {preview.path for preview in found if preview.state == "same"}
    touched = set(staged_paths(workspace)) - same
    return sum(path not in touched for path in present.values_list("path", flat=True))


@dataclass(frozen=True, slots=True)
class ExportQuery(ListQuery):
    """Path that the page begins after, the file it shows, and its view."""

    after: str = parameter("after", length=_PATH)
    file: str = parameter("file", length=_PATH)
    view: str = parameter("view", choices=VIEWS)


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
    return previews(workspace, answers, only=only, budget=Budget.of(_PREVIEW_SECONDS))


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
        "rows": shown_rows(found, preview.path if preview else "", base),
        "after": _after(request),
        "writable": _writable(found),
        "changing": sum(each.state not in ("same", "unreadable") for each in found),
        "conflicts": sum(each.state == "conflict" for each in found),
        "identical": identical_count(workspace, found),
        **_rest(request, workspace, found),
        "review": workspace.review_before_writing,
        **notice,
    }
    if preview is not None:
        wanted = view or query.view
        context["file"] = shown_file(workspace, preview, wanted, shell, base)
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
