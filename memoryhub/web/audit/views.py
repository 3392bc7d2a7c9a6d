"""Pages of the audit log: of the hub, and of one workspace; the same as CSV."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy, pgettext_lazy
from django.views.decorators.http import require_GET

from memoryhub.audit.models import AuditEntry
from memoryhub.audit.queries import (
    KINDS,
    PAGE_SIZE,
    Wanted,
    actors,
    csv_lines,
    workspaces,
)
from memoryhub.journal.models import Workspace
from memoryhub.people.policy import workspace_or_404
from memoryhub.web.kit.clock import Clock
from memoryhub.web.kit.frame import shell_of
from memoryhub.web.kit.links import addresses_of, with_query
from memoryhub.web.kit.listing import ListQuery, number, parameter

KIND_LABELS: dict[str, Promise] = {
    "write": gettext_lazy("Changes of files"),
    "tool": gettext_lazy("Tools without a change"),
    "page": gettext_lazy("Forms of pages"),
    "rest": gettext_lazy("Other REST requests"),
    "a2a": gettext_lazy("Agent2Agent requests"),
    "command": gettext_lazy("Commands"),
    "comment": gettext_lazy("Comments"),
    "sign-in": gettext_lazy("Sign-ins"),
    "sign-out": gettext_lazy("Sign-outs"),
    "token": gettext_lazy("Tokens"),
    "account": gettext_lazy("Accounts"),
    "permission": gettext_lazy("Roles and groups"),
    "secrets": gettext_lazy("Secrets shown"),
    "export": gettext_lazy("Exports"),
    "forget": gettext_lazy("Forgetting"),
    "settings": gettext_lazy("Settings"),
    "workspace": gettext_lazy("Workspaces"),
    "backup": gettext_lazy("Backups"),
    "audit": gettext_lazy("Audit log"),
}
OUTCOME_LABELS: dict[str, Promise] = {
    "done": pgettext_lazy("outcome", "Done"),
    "staged": pgettext_lazy("outcome", "Waits for review"),
    "refused": pgettext_lazy("outcome", "Refused"),
    "failed": pgettext_lazy("outcome", "Failed"),
}
_DOOR_LABELS: dict[str, Promise] = {
    "page": pgettext_lazy("door", "page"),
    "hook": pgettext_lazy("door", "hook"),
    "command": pgettext_lazy("door", "command"),
    "hub": pgettext_lazy("door", "the hub itself"),
}
_GLYPHS = {
    "done": "done",
    "staged": "stale",
    "refused": "blocked",
    "failed": "conflict",
}


def _day(text: str) -> date:
    return date.fromisoformat(text)


@dataclass(frozen=True, slots=True)
class AuditQuery(ListQuery):
    """Filters and cursor of the audit log; days are those of UTC, both included."""

    actor: str = parameter("who", in_form=True)
    kind: str = parameter("kind", in_form=True, choices=KINDS)
    workspace: str = parameter("workspace", in_form=True)
    outcome: str = parameter("outcome", in_form=True, choices=AuditEntry.Outcome.values)
    since: date | None = parameter("since", default=None, read=_day, in_form=True)
    until: date | None = parameter("until", default=None, read=_day, in_form=True)
    before: int | None = number("before", default=None)

    def wanted(self, workspace: Workspace | None = None) -> Wanted:
        """Return the filter of entries; `workspace`: the only one of the page.

        Entries from before it was added are about an earlier one of the same name.
        """
        until = _midnight(self.until + timedelta(days=1)) if self.until else None
        begins = (
            _midnight(self.since) if self.since else None,
            workspace.created_at if workspace else None,
        )
        return Wanted(
            actor=self.actor,
            kind=self.kind,
            workspace=workspace.slug if workspace else self.workspace,
            outcome=self.outcome,
            since=max(filter(None, begins), default=None),
            until=until,
            before=self.before,
        )


def _midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC)


def audit_rows(entries: Sequence[AuditEntry], clock: Clock) -> list[dict[str, Any]]:
    """Return entries as rows of the page."""
    return [
        {
            "entry": entry,
            "who": entry.actor,
            "program": " ".join(filter(None, (entry.token, entry.command))),
            "where": str(_DOOR_LABELS.get(entry.door, entry.door.upper())),
            "outcome": str(OUTCOME_LABELS[entry.outcome]),
            "glyph": _GLYPHS[entry.outcome],
            "iso": clock.local(entry.at).isoformat(timespec="seconds"),
            "when": clock.local(entry.at).strftime("%Y-%m-%d %H:%M:%S"),
        }
        for entry in entries
    ]


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
