"""Pages of a workspace's imports: list and detail."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext
from django.views.decorators.http import require_GET

from memoryhub.journal.models import SyncRun
from memoryhub.journal.versions import changes_of
from memoryhub.people.policy import workspace_or_404
from memoryhub.timeline.queries import workspaces
from memoryhub.web.health.presenters.problems import shown_problems
from memoryhub.web.kit.frame import Shell, shell_of
from memoryhub.web.kit.labels import run_text
from memoryhub.web.kit.links import addresses_of
from memoryhub.web.kit.listing import ListQuery, number
from memoryhub.web.kit.state_labels import revision_label


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
