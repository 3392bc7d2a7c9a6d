"""Pages of sessions, their bindings, and of unassigned rows."""

from __future__ import annotations

from typing import Any

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_http_methods

from memoryhub.disk.files import FileError
from memoryhub.formats.base import FormatError
from memoryhub.journal.models import Workspace
from memoryhub.journal.page_cache import kept
from memoryhub.people.policy import workspace_or_404
from memoryhub.sync.edit.edits import Conflict
from memoryhub.web.kit.frame import Shell, shell_of
from memoryhub.web.kit.links import addresses_of
from memoryhub.web.kit.responses import conflict_page, done, refused
from memoryhub.web.topics.forms import asked, field
from memoryhub.web.topics.presenters.sessions import (
    KINDS,
    SessionQuery,
    UnassignedQuery,
    shown_bound,
    shown_session,
    shown_told,
)
from topics.models import SessionBinding, Topic
from topics.queries.sessions import (
    PAGE_SIZE,
    binding_of,
    bound_by,
    session_keys,
    session_rows,
    unassigned,
    with_activity,
)
from topics.services.sessions import mapped_topic, rebind
from topics.services.status import staged_for
from topics.services.topics import map_path, new_key


@require_GET
def session_list(request: HttpRequest, slug: str) -> HttpResponse:
    """List the sessions of a workspace with their bindings."""
    workspace = workspace_or_404(slug)
    query = SessionQuery.of(request)
    text = query.text
    keys = kept(workspace, ("sessions", text), lambda: session_keys(workspace, text))
    listed = Paginator(keys.shown, PAGE_SIZE).get_page(query.page)
    shell = shell_of(workspace, [(gettext("Sessions"), request.path)])
    ids = tuple(listed)
    rows = kept(workspace, ("session-rows", ids), lambda: session_rows(workspace, ids))
    context = {
        "shell": shell,
        "page": "sessions",
        "title": gettext("Sessions"),
        "asked": query,
        "text": text,
        "total": len(keys.shown),
        "rows": [shown_session(row, shell) for row in rows],
        "skipped": [(key, shell.addresses.session(key)) for key in keys.skipped],
        "listed": listed,
        "pages": query.neighbours(listed),
        "unassigned_url": shell.addresses.unassigned,
    }
    return render(request, "topics/session_list.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def session_detail(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """Show a session with the sources of its binding, or rebind it to a topic."""
    workspace = workspace_or_404(slug)
    binding = binding_of(workspace, key)
    if binding is None:
        raise Http404
    if request.method == "POST":
        return _rebind(request, workspace, binding)
    addresses = addresses_of(slug)
    crumbs = [(gettext("Sessions"), addresses.sessions), (key, "")]
    shell = shell_of(workspace, crumbs)
    context = {
        "shell": shell,
        "page": "sessions",
        "title": key,
        "binding": binding,
        **_facts(workspace, binding, shell),
    }
    return render(request, "topics/session_detail.html", context)


def _facts(
    workspace: Workspace, binding: SessionBinding, shell: Shell
) -> dict[str, Any]:
    (row,) = with_activity(workspace, [binding])
    staged = staged_for(workspace, map_path(workspace))
    return {
        "row": shown_session(row, shell),
        "bound": [shown_bound(said, shell) for said in bound_by(binding)],
        "topics": _topic_names(workspace),
        "mapped": mapped_topic(workspace, binding.session_key),
        "staged": any(change.verb == "bind" for change in staged),
        "map_path": map_path(workspace),
        "key": new_key(),
    }


def _rebind(
    request: HttpRequest, workspace: Workspace, binding: SessionBinding
) -> HttpResponse:
    key = binding.session_key
    back = addresses_of(workspace.slug).session(key)
    topic, seen = field(request.POST, "topic"), field(request.POST, "seen")
    if topic and topic not in _topic_names(workspace):
        raise Http404
    try:
        operation = rebind(workspace, key, topic, seen, asked(request, workspace))
    except Conflict as conflict:
        return conflict_page(request, workspace, conflict, back=back)
    except (FormatError, FileError) as error:
        return refused(request, error, back)
    return done(request, workspace, operation, gettext("Session bound"), back)


def _topic_names(workspace: Workspace) -> list[str]:
    rows = Topic.objects.filter(
        workspace=workspace, kind=Topic.Kind.CONTEXT, last_seq__isnull=True
    )
    return list(rows.order_by("name").values_list("name", flat=True))


@require_GET
def unassigned_list(request: HttpRequest, slug: str) -> HttpResponse:
    """List the rows without an agent or without a topic."""
    workspace = workspace_or_404(slug)
    query = UnassignedQuery.of(request)
    addresses = addresses_of(slug)
    crumbs = [
        (gettext("Sessions"), addresses.sessions),
        (gettext("Unassigned"), request.path),
    ]
    shell = shell_of(workspace, crumbs)
    found = unassigned(workspace, query.kind)
    context = {
        "shell": shell,
        "page": "sessions",
        "title": gettext("Unassigned"),
        "asked": query,
        "kinds": [
            (str(label), query.address(kind=name), name == query.kind)
            for name, label in KINDS.items()
        ],
        "rows": [shown_told(query.kind, row, shell) for row in found],
        "more": len(found) > PAGE_SIZE,
    }
    return render(request, "topics/unassigned_list.html", context)
