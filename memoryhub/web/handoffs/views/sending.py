"""The form of a new handoff, with the exact block that it will write."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from django.http import HttpResponse
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from memoryhub.disk.files import FileError
from memoryhub.formats.base import FormatError
from memoryhub.formats.hub.handoff import MAX_CONTEXT, find_tasks, render_task
from memoryhub.formats.hub.handoff import TYPES as KNOWN_TYPES
from memoryhub.handoffs.queries.agents import is_known
from memoryhub.handoffs.queries.board import names
from memoryhub.handoffs.rules.parties import BY_COORDINATOR, BY_PERSON, BY_SENDER
from memoryhub.handoffs.services.sending import Terms, send
from memoryhub.journal.models import Agent, Workspace
from memoryhub.people.policy import actor_of, workspace_or_404
from memoryhub.sync.edit.edits import Conflict
from memoryhub.web.handoffs.forms import Draft, author_of, due_at, may_send_to
from memoryhub.web.handoffs.presenters.cards import PRIORITIES
from memoryhub.web.handoffs.presenters.waiting import circle_shown
from memoryhub.web.kit.clock import Clock
from memoryhub.web.kit.frame import shell_of
from memoryhub.web.kit.http import HtmxRequest, page_or_partial
from memoryhub.web.kit.labels import sentences
from memoryhub.web.kit.links import addresses_of
from memoryhub.web.kit.listing import takes
from memoryhub.web.kit.responses import done, refusal_text
from memoryhub.web.kit.state_labels import HANDOFF_TYPES
from topics.models import Topic

_AGENTS = 200


@require_http_methods(["GET", "HEAD", "POST"])
@takes(*(field.name for field in fields(Draft)))
def new_handoff(request: HtmxRequest, slug: str) -> HttpResponse:
    """Show the form with a preview of the handoff's block, or send it."""
    workspace = workspace_or_404(slug)
    sent = request.POST if request.method == "POST" else request.GET
    draft = Draft.of(sent, actor_of(request))
    if request.method == "POST" and not request.POST.get("preview"):
        return _send(request, workspace, draft)
    topics = dict(_topics(workspace))
    named = topics.get(draft.topic, draft.topic)
    return _form(request, workspace, replace(draft, topic=named))


def _send(request: HtmxRequest, workspace: Workspace, draft: Draft) -> HttpResponse:
    errors = _errors(workspace, draft)
    if errors:
        return _form(request, workspace, replace(draft, errors=errors), status=422)
    zone = Clock.of(workspace.time_zone).zone
    try:
        made = send(
            workspace,
            draft.task,
            author_of(request),
            Terms(due_at(draft.due, zone), draft.topic, draft.result_to),
        )
    except (Conflict, FormatError, FileError) as error:
        text = str(error) if isinstance(error, Conflict) else refusal_text(error)
        wrong = replace(draft, errors={"input": text})
        return _form(request, workspace, wrong, status=422)
    text = gettext("Handoff %(id)s sent") % {"id": made.handoff.task_id}
    if made.deadlock:
        circle = {"names": circle_shown(made.deadlock)}
        text = sentences((text, gettext("Deadlock: %(names)s") % circle))
    to = addresses_of(workspace.slug).handoff(made.handoff.code)
    return done(request, made.operation.workspace, made.operation, text, to)


def _errors(workspace: Workspace, draft: Draft) -> dict[str, str]:
    errors = {}
    if draft.type not in KNOWN_TYPES:
        errors["type"] = gettext("Choose what kind of work it is.")
    if not draft.recipient:
        errors["recipient"] = gettext("Write who is to do it.")
    if not draft.context.strip():
        errors["context"] = gettext("Write what it is about.")
    elif len(draft.context.strip()) > MAX_CONTEXT:
        words = {"n": len(draft.context.strip()), "most": MAX_CONTEXT}
        errors["context"] = gettext("%(n)s of %(most)s characters") % words
    if not draft.input.strip():
        errors["input"] = gettext("Write what to work from.")
    if draft.topic and draft.topic not in dict(_topics(workspace)).values():
        errors["topic"] = gettext("There is no such topic.")
    try:
        due_at(draft.due, Clock.of(workspace.time_zone).zone)
    except ValueError:
        errors["due"] = gettext("Write the time as YYYY-MM-DDTHH:MM.")
    return errors


def _form(
    request: HtmxRequest, workspace: Workspace, draft: Draft, *, status: int = 200
) -> HttpResponse:
    addresses = addresses_of(workspace.slug)
    context: dict[str, Any] = {"draft": draft, **_preview(workspace, draft)}
    if not request.htmx:
        crumbs = [(gettext("Handoffs"), addresses.handoffs), (gettext("New"), "")]
        declared = Agent.objects.filter(workspace=workspace).values_list(
            "name", flat=True
        )
        context |= {
            "shell": shell_of(workspace, crumbs),
            "page": "handoffs",
            "title": gettext("New handoff"),
            "types": [(kind, str(HANDOFF_TYPES[kind])) for kind in KNOWN_TYPES],
            "agents": sorted({*declared[:_AGENTS], *names(workspace).agents}),
            "priorities": [("", gettext("normal")), *PRIORITIES.items()],
            "reviewers": _reviewers(),
            "topics": [name for _, name in _topics(workspace)],
            "back": addresses.handoffs,
            "action": addresses.handoff_new(),
        }
    return page_or_partial(
        request,
        "handoffs/handoff_form.html",
        "handoffs/_preview.html",
        context,
        status=status,
    )


def _reviewers() -> list[tuple[str, str]]:
    return [
        ("", gettext("nobody")),
        (BY_SENDER, gettext("you, who send it")),
        (BY_PERSON, gettext("a person")),
        (BY_COORDINATOR, gettext("a coordinator")),
    ]


def _preview(workspace: Workspace, draft: Draft) -> dict[str, object]:
    """Return the preview of the block, with warnings: unknown recipient, odd XML."""
    reached = may_send_to(draft.recipient)
    unknown = draft.recipient and not (reached and is_known(workspace, draft.recipient))
    xml = render_task(draft.task)
    return {
        "xml": xml,
        "odd": bool(draft.recipient) and len(find_tasks(xml)) != 1,
        "length": len(draft.context.strip()),
        "most": MAX_CONTEXT,
        "unknown": draft.recipient if unknown else "",
    }


def _topics(workspace: Workspace) -> list[tuple[str, str]]:
    rows = Topic.objects.filter(workspace=workspace, last_seq__isnull=True)
    return list(rows.order_by("name").values_list("slug", "name"))
