"""Pages of session memories: list, detail, text."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_GET

from memoryhub.journal.models import Workspace
from memoryhub.people.policy import workspace_or_404
from memoryhub.web.kit.frame import shell_of
from memoryhub.web.kit.http import markdown_response, typed, whole_number
from memoryhub.web.kit.links import addresses_of, with_query
from memoryhub.web.kit.responses import Choice, choose
from memoryhub.web.snapshots.presenters.memories import (
    MemoryPage,
    address_of,
    memory_row,
    memory_url,
)
from snapshots.models import SessionMemory
from snapshots.queries.memories import (
    PAGE_SIZE,
    memories_named,
    memories_of,
    memory_bytes,
    memory_text,
)


@require_GET
def memory_list(request: HttpRequest, slug: str) -> HttpResponse:
    """List the session memories of a workspace."""
    workspace = workspace_or_404(slug)
    text = typed(request.GET, "q")
    page = whole_number(request.GET.get("page", ""), digits=5) or 1
    found = memories_of(workspace, text=text, page=page)
    shell = shell_of(workspace, [(gettext("Session memories"), request.path)])
    more = ""
    if len(found) > PAGE_SIZE:
        more = with_query(request.path, q=text, page=page + 1)
    context = {
        "shell": shell,
        "page": "memories",
        "title": gettext("Session memories"),
        "rows": [memory_row(row, shell) for row in found[:PAGE_SIZE]],
        "text": text,
        "more": more,
    }
    return render(request, "snapshots/memory_list.html", context)


@require_GET
def memory(request: HttpRequest, slug: str, address: str) -> HttpResponse:
    """Show a session memory with all its fields."""
    workspace = workspace_or_404(slug)
    found = memories_named(workspace, address)
    if len(found) != 1:
        return _choose(request, workspace, address, found)
    (shown,) = found
    topic = shown.topic.slug if shown.topic else ""
    shell = shell_of(
        workspace,
        [
            (gettext("Session memories"), addresses_of(slug).memories),
            (address_of(shown), ""),
        ],
        topic=topic,
    )
    name = shown.memory_id
    if name and address != name and len(memories_named(workspace, name)) == 1:
        return redirect(memory_url(shell, shown))
    title = gettext("Session memory %(id)s") % {"id": address_of(shown)}
    context = {
        "shell": shell,
        "page": "memories",
        "title": title,
        "told": MemoryPage(shown, memory_text(workspace, shown), shell),
    }
    return render(request, "snapshots/memory_detail.html", context)


def _choose(
    request: HttpRequest, workspace: Workspace, name: str, found: list[SessionMemory]
) -> HttpResponse:
    shell = shell_of(workspace, [(name, "")])
    choices = (
        Choice(
            f"{shell.addresses.memories}{row.code}/",
            row.objective or name,
            row.file.path,
            shell.clock.stated(row.occurred_at, row.precision),
        )
        for row in found
    )
    return choose(request, shell, "memories", name, choices)


@require_GET
def memory_markdown(request: HttpRequest, slug: str, address: str) -> HttpResponse:
    """Return the bytes of a session memory's file."""
    workspace = workspace_or_404(slug)
    found = memories_named(workspace, address)
    if len(found) != 1:
        raise Http404
    return markdown_response(memory_bytes(workspace, found[0]))
