"""Assignment of rows to agents and topics."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from memoryhub.formats.base import FormatError
from memoryhub.journal.models import Agent, Workspace
from memoryhub.people.policy import workspace_or_404
from memoryhub.sync.edit.editing import apply_edit
from memoryhub.sync.edit.edits import Conflict
from memoryhub.sync.edit.idempotency import was_tried
from memoryhub.values.identity import code_of, id_of
from memoryhub.web.kit.frame import shell_of
from memoryhub.web.kit.links import addresses_of, with_query
from memoryhub.web.kit.responses import back_to, conflict_page, done, refused
from memoryhub.web.topics.forms import asked, line
from memoryhub.web.topics.presenters.sessions import shown_told
from snapshots.importers.assignments import ASSIGNABLE
from snapshots.models import Told
from snapshots.services.assigning import assignment, owners_of
from topics.models import Topic
from topics.services.topics import new_key


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
        "row": shown_told(kind, row, shell),
        "owners": owners,
        "agents": _choices(Agent, workspace),
        "topics": _choices(Topic, workspace),
        "seen": f"{owners['agent']} {owners['topic']}",
        "key": new_key(),
        "back": back,
    }
    return render(request, "topics/assign_form.html", context)


def _row_or_404(workspace: Workspace, kind: str, code: str) -> Told:
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
    request: HttpRequest, workspace: Workspace, row: Told, back: str
) -> HttpResponse:
    who = asked(request, workspace)
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
