"""Pages of sessions, their bindings, and of rows without an owner."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_GET, require_http_methods

from memoryhub.formats.base import FormatError
from memoryhub.journal.models import Agent, Workspace
from memoryhub.journal.page_cache import cached
from memoryhub.journal.untimed import first_import
from memoryhub.people.policy import workspace_or_404
from memoryhub.sync.edit.editing import apply_edit, staged_for
from memoryhub.sync.edit.edits import (
    Conflict,
    was_tried,
)
from memoryhub.values.identity import code_of, id_of
from memoryhub.web.kit.clock import recorded_text
from memoryhub.web.kit.frame import Shell, shell_of
from memoryhub.web.kit.links import addresses_of, with_query
from memoryhub.web.kit.listing import ListQuery, number, parameter
from memoryhub.web.kit.plots import hours_label, spark
from memoryhub.web.kit.prose import plain_text
from memoryhub.web.kit.responses import (
    answer_change,
    back_to,
    conflict_page,
    done,
    refused,
)
from memoryhub.web.topics.forms import author_of, line, text_in
from snapshots.importers.linking import ASSIGNABLE
from snapshots.models import AuthoredSpan, LogEntry
from snapshots.services.assigning import assignment, owners_of
from topics.models import SessionBinding, Topic
from topics.queries.sessions import (
    PAGE_SIZE,
    SessionRow,
    assignable_kinds,
    binding_of,
    bound_by,
    session_keys,
    session_rows,
    transcripts,
    unassigned,
    with_activity,
)
from topics.queries.topics import Spoken
from topics.services.topics import bind, map_path, mapped_topic, new_key

KINDS: Mapping[str, Promise] = {
    "snapshot": gettext_lazy("Snapshots"),
    "memory": gettext_lazy("Session memories"),
    "entry": gettext_lazy("Log entries"),
    "item": gettext_lazy("Open items"),
}


@dataclass(frozen=True, slots=True)
class SessionQuery(ListQuery):
    """Filter and page of the list of sessions."""

    text: str = parameter("q", in_form=True)
    page: int = number("page", default=1)


@dataclass(frozen=True, slots=True)
class UnassignedQuery(ListQuery):
    """Kind of the unassigned rows that are listed."""

    kind: str = parameter("kind", choices=KINDS, filters=False)


def shown_session(row: SessionRow, shell: Shell) -> dict[str, Any]:
    """Return a row of the list of sessions."""
    binding, addresses, clock = row.binding, shell.addresses, shell.clock
    last, agent = row.activity.last, binding.agent.name if binding.agent else ""
    whose = "" if row.activity.own else agent
    words = {"agent": whose, "hours": hours_label(row.activity.hours)}
    topic = binding.topic
    return {
        "key": binding.session_key,
        "url": addresses.session(binding.session_key),
        "agent": agent,
        "whose": whose,
        "channel": binding.channel,
        "kind": binding.kind,
        "topic": binding.topic_name,
        "topic_url": addresses.topic(topic.slug) if topic else "",
        "bound": binding.last_seq is None,
        "since": ""
        if binding.first_seq <= first_import(shell.workspace)
        else clock.moment(binding.recorded_at),
        "by": gettext("session map") if binding.in_map else gettext("topic’s Meta"),
        "last": clock.age(last) if last else "",
        "last_iso": clock.local(last).isoformat(timespec="seconds") if last else "",
        "compacted": compacted_text(row),
        "day": gettext("%(agent)s: %(hours)s") % words if whose else words["hours"],
        "spark": spark(row.activity.hours),
    }


def shown_transcript(entry: LogEntry, shell: Shell) -> dict[str, Any]:
    """Return a session that is a whole file."""
    return {
        "title": plain_text(entry.title) or entry.file.path,
        "url": shell.addresses.file(entry.file.path),
        "path": entry.file.path,
        "agent": entry.agent.name if entry.agent else "",
        "topic": entry.topic.name if entry.topic else "",
        "when": shell.clock.stated(entry.occurred_at, entry.precision),
    }


def compacted_text(row: SessionRow) -> str:
    """Return the number of a session's compactions and the last one in words."""
    found = row.compactions
    if found is None:
        return ""
    count, before, after = found
    missing = gettext("not recorded")
    words = {
        "n": count,
        "before": missing if before is None else before,
        "after": missing if after is None else after,
    }
    return gettext("%(n)s, last %(before)s → %(after)s") % words


def shown_bound(spoken: Spoken, shell: Shell) -> dict[str, Any]:
    """Return one source of a session's binding, present or past."""
    source = spoken.source
    path = source.file.path
    return {
        "topic": source.value,
        "path": path,
        "line": source.first_line,
        "url": shell.addresses.file(
            path, line=source.first_line, rev=source.newest_seq
        ),
        "since": recorded_text(spoken.first, shell.clock),
        "until": ""
        if source.last_seq is None
        else recorded_text(spoken.last, shell.clock),
    }


class UnassignedRow(NamedTuple):
    """A row that can be assigned to an agent or a topic."""

    title: str
    url: str
    place: str
    place_url: str
    when: str
    agent: str
    topic: str


def shown_unassigned(kind: str, row: AuthoredSpan, shell: Shell) -> UnassignedRow:
    """Return an assignable row for display."""
    addresses = shell.addresses
    return UnassignedRow(
        plain_text(getattr(row, "goal", "") or str(row) or row.code)[:200],
        addresses.assign(kind, row.code),
        f"{row.file.path}:{row.first_line}",
        addresses.file(row.file.path, line=row.first_line),
        shell.clock.stated(row.occurred_at, row.precision),
        row.agent.name if row.agent else "",
        row.topic.name if row.topic else "",
    )


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
    who = author_of(request, workspace)
    said = {"actor": who.actor, "base": seen, "key": who.key}
    change = partial(bind, workspace, key, topic, **said)
    return answer_change(request, workspace, change, gettext("Session bound"), back)


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
