"""Pages of sessions, their bindings, and of rows without an owner."""

from __future__ import annotations

from typing import Any

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_http_methods

from memoryhub.disk.files import FileError
from memoryhub.formats.base import FormatError
from memoryhub.journal.models import Agent, Workspace
from memoryhub.journal.page_cache import cached
from memoryhub.people.policy import workspace_or_404
from memoryhub.sync.edit.editing import apply_edit
from memoryhub.sync.edit.edits import Conflict
from memoryhub.sync.edit.operations import was_tried
from memoryhub.values.identity import code_of, id_of
from memoryhub.web.kit.frame import Shell, shell_of
from memoryhub.web.kit.links import addresses_of, with_query
from memoryhub.web.kit.responses import back_to, conflict_page, done, refused
from memoryhub.web.topics.forms import author_of, line, text_in
from memoryhub.web.topics.presenters.sessions import (
    KINDS,
    SessionQuery,
    UnassignedQuery,
    shown_bound,
    shown_session,
    shown_transcript,
    shown_unassigned,
)
from snapshots.importers.linking import ASSIGNABLE
from snapshots.models import AuthoredSpan
from snapshots.services.assigning import assignment, owners_of
from topics.models import SessionBinding, Topic
from topics.queries.sessions import (
    PAGE_SIZE,
    assignable_kinds,
    binding_of,
    bound_by,
    session_keys,
    session_rows,
    transcripts,
    unassigned,
    with_activity,
)
from topics.services.topics import map_path, mapped_topic, new_key, rebind, staged_for


@require_GET
def session_list(request: HttpRequest, slug: str) -> HttpResponse:
    """List the sessions of a workspace with their bindings."""
    workspace = workspace_or_404(slug)
    query = SessionQuery.of(request)
    text = query.text
    shown, skipped = cached(
        workspace, ("sessions", text), lambda: session_keys(workspace, text)
    )
    listed = Paginator(shown, PAGE_SIZE).get_page(query.page)
    shell = shell_of(workspace, [(gettext("Sessions"), request.path)])
    ids = tuple(listed)
    rows = cached(
        workspace, ("session-rows", ids), lambda: session_rows(workspace, ids)
    )
    context = {
        "shell": shell,
        "page": "sessions",
        "title": gettext("Sessions"),
        "query": query,
        "total": len(shown),
        "transcripts": [
            shown_transcript(entry, shell) for entry in transcripts(workspace, text)
        ],
        "rows": [shown_session(row, shell) for row in rows],
        "skipped": [(key, shell.addresses.session(key)) for key in skipped],
        "listed": listed,
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
        "bound": [shown_bound(spoken, shell) for spoken in bound_by(binding)],
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
    topic, seen = text_in(request.POST, "topic"), text_in(request.POST, "seen")
    if topic and topic not in _topic_names(workspace):
        raise Http404
    try:
        operation = rebind(workspace, key, topic, seen, author_of(request, workspace))
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
    known = assignable_kinds(workspace)
    kind = query.kind or next(iter(known), "")
    found = unassigned(workspace, kind) if kind else []
    context = {
        "shell": shell,
        "page": "sessions",
        "title": gettext("Unassigned"),
        "query": query,
        "kinds": [
            (str(label), query.address(kind=name), name == kind)
            for name, label in KINDS.items()
            if name in known or name == kind
        ],
        "has_any": kind in known,
        "rows": [shown_unassigned(kind, row, shell) for row in found],
        "more": len(found) > PAGE_SIZE,
    }
    return render(request, "topics/unassigned_list.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def assign_row(request: HttpRequest, slug: str, kind: str, code: str) -> HttpResponse:
    """Show the form of a row's agent and topic, or assign them.

    409 if they changed meanwhile.
    """
    workspace = workspace_or_404(slug)
    row = _row_or_404(workspace, kind, code)
    addresses = addresses_of(slug)
    back = request.GET.get("next", "")
    if not back.startswith(addresses.base):
        back = with_query(addresses.unassigned, kind=kind)
    if request.method == "POST":
        return _assign(request, workspace, row, back)
    crumbs = [(gettext("Unassigned"), back), (gettext("Assign"), "")]
    shell = shell_of(workspace, crumbs)
    owners = owners_of(row)
    context = {
        "shell": shell,
        "page": "sessions",
        "title": gettext("Assign"),
        "row": shown_unassigned(kind, row, shell),
        "owners": owners,
        "agents": _choices(Agent, workspace),
        "topics": _choices(Topic, workspace),
        "seen": f"{owners['agent']} {owners['topic']}",
        "key": new_key(),
        "back": back,
    }
    return render(request, "topics/assign_form.html", context)


def _row_or_404(workspace: Workspace, kind: str, code: str) -> AuthoredSpan:
    model = ASSIGNABLE.get(kind)
    try:
        row_id = id_of(code)
    except ValueError:
        raise Http404 from None
    rows = model._default_manager.filter(workspace=workspace) if model else None
    row = rows.select_related("file").filter(pk=row_id).first() if rows else None
    if row is None:
        raise Http404
    return row


def _choices(
    model: type[Agent] | type[Topic], workspace: Workspace
) -> list[tuple[str, str]]:
    rows = model._default_manager.filter(workspace=workspace).order_by("name")
    return [(code_of(pk), name) for pk, name in rows.values_list("id", "name")[:500]]


def _assign(
    request: HttpRequest, workspace: Workspace, row: AuthoredSpan, back: str
) -> HttpResponse:
    who = author_of(request, workspace)
    owners = owners_of(row)
    seen = line(request.POST, "seen", size=40)
    try:
        known = was_tried(workspace, who.key)
        if not known and seen != f"{owners['agent']} {owners['topic']}".strip():
            raise Conflict(row.file.path, gettext("as it was"), _names(owners))
        edit = assignment(
            row,
            agent=_id(line(request.POST, "agent")),
            topic=_id(line(request.POST, "topic")),
            actor=who.actor,
            key=who.key,
        )
        operation = apply_edit(workspace, edit)
    except Conflict as conflict:
        return conflict_page(request, workspace, conflict, back=request.path)
    except FormatError as error:
        return refused(request, error, request.path)
    return done(
        request, workspace, operation, gettext("Assigned"), back_to(request, back)
    )


def _names(owners: dict[str, str]) -> dict[str, str]:
    """Return the names of owners given by code."""
    agent, topic = _id(owners["agent"]), _id(owners["topic"])
    named = Agent.objects.filter(pk=agent or 0).values_list("name", flat=True).first()
    about = Topic.objects.filter(pk=topic or 0).values_list("name", flat=True).first()
    return {"agent": named or "", "topic": about or ""}


def _id(code: str) -> int | None:
    """Return the id of a choice; None for no choice.

    Raises:
        Http404: It is no code.
    """
    if not code:
        return None
    try:
        return id_of(code)
    except ValueError:
        raise Http404 from None
