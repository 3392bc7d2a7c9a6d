"""A snapshot's page and its text."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_GET

from memoryhub.addresses import addresses_of
from memoryhub.people.policy import workspace_or_404
from memoryhub.workspaces.models import Workspace
from memoryhub.workspaces.shell import Crumb, shell_of
from snapshots.models import Snapshot
from snapshots.panel import panel_of
from snapshots.queries import block_of, snapshots_named


@require_GET
def snapshot(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Show a snapshot: what changed, its sections, what is recalled, its bytes."""
    workspace = workspace_or_404(slug)
    found = snapshots_named(workspace, code)
    if len(found) != 1:
        return _choose(request, workspace, code, found)
    (shown,) = found
    if shown.code != code:
        return redirect(addresses_of(slug).snapshot(shown.code))
    topic = shown.topic.slug if shown.topic else ""
    shell = shell_of(workspace, _crumbs(shown, slug), topic=topic)
    panel = panel_of(
        workspace,
        shown,
        shell,
        view=request.GET.get("view", ""),
        versus=request.GET.get("vs", ""),
        everything=bool(request.GET.get("all")),
    )
    title = gettext("Snapshot %(id)s") % {"id": shown.snapshot_id or shown.code}
    context = {"shell": shell, "page": "topics", "title": title, "panel": panel}
    return render(request, "snapshots/snapshot_detail.html", context)


def _crumbs(shown: Snapshot, slug: str) -> list[Crumb]:
    addresses = addresses_of(slug)
    crumbs = [(gettext("Topics"), addresses.topics)]
    if shown.topic:
        crumbs.append((shown.topic.name, addresses.topic(shown.topic.slug)))
    return [*crumbs, (shown.snapshot_id or shown.code, "")]


def _choose(
    request: HttpRequest, workspace: Workspace, name: str, found: list[Snapshot]
) -> HttpResponse:
    """Let people choose: agents write ids, and can write one twice."""
    if not found:
        raise Http404
    shell = shell_of(workspace, [(name, "")])
    context = {
        "shell": shell,
        "page": "topics",
        "title": name,
        "choices": [
            {
                "url": shell.addresses.snapshot(row.code),
                "title": row.goal or row.snapshot_id,
                "place": f"{row.file.path}:{row.first_line}",
                "when": shell.clock.moment(row.occurred_at),
            }
            for row in found
        ],
    }
    return render(request, "components/choose.html", context)


@require_GET
def snapshot_text(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Answer the block of a snapshot as it stands in its file."""
    workspace = workspace_or_404(slug)
    found = snapshots_named(workspace, code)
    if len(found) != 1:
        raise Http404
    text = "\n".join([*block_of(workspace, found[0]), ""])
    return HttpResponse(text, content_type="text/markdown; charset=utf-8")
