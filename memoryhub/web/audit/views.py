"""Pages of the audit log: of the hub, and of one workspace; the same as CSV."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_GET

from memoryhub.audit.queries import PAGE_SIZE, actors, csv_lines, workspaces
from memoryhub.journal.models import Workspace
from memoryhub.people.policy import workspace_or_404
from memoryhub.web.audit.presenters import (
    KIND_LABELS,
    OUTCOME_LABELS,
    AuditQuery,
    audit_rows,
)
from memoryhub.web.kit.clock import Clock
from memoryhub.web.kit.frame import shell_of
from memoryhub.web.kit.links import addresses_of, with_query


@require_GET
def audit(request: HttpRequest) -> HttpResponse:
    """List the entries of the whole hub, newest first."""
    title = gettext("Audit log")
    clock = Clock.of("UTC")
    found = {"title": title, "crumbs": [(title, "")], "workspaces": workspaces()}
    return _page(request, clock, found, reverse("audit-csv"))


@require_GET
def workspace_audit(request: HttpRequest, slug: str) -> HttpResponse:
    """List the entries about one workspace, newest first."""
    workspace = workspace_or_404(slug)
    title, addresses = gettext("Audit log"), addresses_of(slug)
    crumbs = [(gettext("Settings"), addresses.settings), (title, request.path)]
    shell = shell_of(workspace, crumbs)
    found = {"shell": shell, "page": "settings", "title": title}
    return _page(request, shell.clock, found, f"{request.path}log.csv", workspace)


def _page(
    request: HttpRequest,
    clock: Clock,
    found: dict[str, Any],
    csv: str,
    workspace: Workspace | None = None,
) -> HttpResponse:
    query = AuditQuery.of(request, without=_without(workspace))
    entries = list(query.wanted(workspace).rows()[: PAGE_SIZE + 1])
    shown = entries[:PAGE_SIZE]
    is_more = len(entries) > len(shown)
    context = found | {
        "query": query,
        "rows": audit_rows(shown, clock),
        "more": query.address(before=shown[-1].pk) if is_more else "",
        "actors": [(name, name) for name in _actors_of(workspace)],
        "places": [(name, name) for name in found.get("workspaces", ())],
        "kinds": KIND_LABELS.items(),
        "outcomes": OUTCOME_LABELS.items(),
        "csv": with_query(csv, **_filters(query)),
        "days": settings.MEMORYHUB_AUDIT_DAYS,
        "zone": str(clock.now.tzname()),
    }
    return render(request, "audit/entry_list.html", context)


def _without(workspace: Workspace | None) -> tuple[str, ...]:
    return ("workspace",) if workspace else ()


def _actors_of(workspace: Workspace | None) -> list[str]:
    if workspace is None:
        return actors()
    return actors(workspace.slug, workspace.created_at)


def _filters(query: AuditQuery) -> dict[str, object]:
    names = {"actor": "who", "kind": "kind", "workspace": "workspace"}
    names |= {"outcome": "outcome", "since": "since", "until": "until"}
    values = {sent: getattr(query, name) for name, sent in names.items()}
    return {name: value for name, value in values.items() if value}


@require_GET
def audit_csv(request: HttpRequest, slug: str = "") -> StreamingHttpResponse:
    """Answer the filtered entries as CSV, all of them."""
    workspace = workspace_or_404(slug) if slug else None
    query = AuditQuery.of_text(request, without=_without(workspace))
    wanted = query.wanted(workspace)
    name = f"audit-{slug or 'hub'}-{timezone.now():%Y%m%d}.csv"
    response = StreamingHttpResponse(
        csv_lines(wanted), content_type="text/csv; charset=utf-8"
    )
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
