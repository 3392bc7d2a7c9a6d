"""The form that adds a decision, with the exact line it will write."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from django.http import HttpResponse, QueryDict
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from memoryhub.dialects.decision_log import DecisionText, normalise
from memoryhub.disk.files import FileError
from memoryhub.formats.base import FormatError
from memoryhub.formats.text.dates import parse_date
from memoryhub.journal.models import Operation, Workspace
from memoryhub.people.policy import workspace_or_404
from memoryhub.sync.edit.edits import Conflict
from memoryhub.values.identity import code_of
from memoryhub.web.kit.frame import shell_of
from memoryhub.web.kit.http import HtmxRequest, page_or_partial
from memoryhub.web.kit.links import addresses_of
from memoryhub.web.kit.listing import takes
from memoryhub.web.kit.responses import ShownConflict, done, refusal_text
from memoryhub.web.topics.forms import author_of, line
from topics.models import Decision, Topic
from topics.queries import decisions
from topics.queries.topics import topics_named
from topics.services.decisions import (
    decide,
    decision_line,
    decisions_path,
    named,
    standing,
    supersede,
)
from topics.services.topics import Author, new_key


@dataclass(frozen=True, slots=True)
class Draft:
    """The input of a new decision's form, with errors by field."""

    text: str = ""
    why: str = ""
    day: str = ""
    topic: str = ""
    old_text: str = ""
    seen: str = ""
    key: str = field(default_factory=new_key)
    errors: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, data: QueryDict, today: date) -> Draft:
        return cls(
            line(data, "text"),
            line(data, "why"),
            line(data, "day", size=20) or today.isoformat(),
            line(data, "topic", size=300),
            line(data, "old"),
            line(data, "seen"),
            line(data, "key", size=100) or new_key(),
        )

    def decision(self, old: Decision | None) -> DecisionText:
        """Return the decision as currently typed."""
        replaced = named(old) if old else self.old_text
        return DecisionText(parse_date(self.day), self.text, self.why, replaced)


@require_http_methods(["GET", "HEAD", "POST"])
@takes("text", "why", "day", "topic", "supersedes")
def new_decision(request: HtmxRequest, slug: str) -> HttpResponse:
    """Show the form with a preview of the decision's line, or write the decision."""
    workspace = workspace_or_404(slug)
    who = author_of(request, workspace)
    if request.method == "POST":
        return _save(request, workspace, who)
    draft = Draft.of(request.GET, who.today)
    old = decisions.decision_by_code(workspace, request.GET.get("supersedes", ""))
    if old is not None:
        draft = replace(draft, old_text=named(old), seen=standing(old))
    return _form(request, workspace, draft)


def _save(request: HtmxRequest, workspace: Workspace, who: Author) -> HttpResponse:
    draft = Draft.of(request.POST, who.today)
    topic, old = _topic(workspace, draft), _old(workspace, draft)
    if errors := _errors(draft, topic, old):
        return _form(request, workspace, replace(draft, errors=errors), status=422)
    try:
        operation = _write(workspace, draft, topic, old, who)
    except Conflict as conflict:
        fresh = replace(draft, seen=standing(old) if old else "", key=new_key())
        shown = ShownConflict(conflict, draft.text)
        return _form(request, workspace, fresh, conflict=shown, status=409)
    except (FormatError, FileError) as error:
        wrong = replace(draft, errors={"text": refusal_text(error)})
        return _form(request, workspace, wrong, status=422)
    to = addresses_of(workspace.slug).decisions
    if operation.state == Operation.State.APPLIED:
        code = code_of(Decision.id_of(workspace.uuid.bytes, draft.text))
        to = addresses_of(workspace.slug).decision(code)
    return done(request, workspace, operation, gettext("Decision added"), to)


def _write(
    workspace: Workspace,
    draft: Draft,
    topic: Topic | None,
    old: Decision | None,
    who: Author,
) -> Operation:
    text = draft.decision(None)
    if old is None:
        return decide(workspace, replace(text, supersedes=""), topic, who)
    seen = draft.seen or standing(old)
    return supersede(workspace, old, seen, text, topic, who)


def _errors(draft: Draft, topic: Topic | None, old: Decision | None) -> dict[str, str]:
    errors = {}
    if not draft.text:
        errors["text"] = gettext("Write what was decided.")
    if not draft.why:
        errors["why"] = gettext("Write why: a decision without a reason helps nobody.")
    if parse_date(draft.day) is None:
        errors["day"] = gettext("Write the day as YYYY-MM-DD.")
    if draft.topic and topic is None:
        errors["topic"] = gettext("There is no such topic.")
    if draft.old_text and old is None:
        errors["old"] = gettext("No decision contains this.")
    if old is not None and normalise(old.text) == normalise(draft.text):
        errors["text"] = gettext("A decision cannot replace itself.")
    return errors


def _topic(workspace: Workspace, draft: Draft) -> Topic | None:
    found = topics_named(workspace, draft.topic) if draft.topic else []
    return found[0] if len(found) == 1 else None


def _old(workspace: Workspace, draft: Draft) -> Decision | None:
    """Return the decision that a draft supersedes, named with or without its day."""
    if not draft.old_text:
        return None
    row_id = Decision.id_of(workspace.uuid.bytes, draft.old_text)
    rows = Decision.objects.filter(workspace=workspace, pk=row_id)
    return rows.select_related("topic__file").first()


def _preview(workspace: Workspace, draft: Draft) -> dict[str, str]:
    topic = _topic(workspace, draft)
    try:
        written = decision_line(draft.decision(_old(workspace, draft)))
    except FormatError:
        written = ""
    return {"line": written, "path": decisions_path(workspace, topic)}


def _form(
    request: HtmxRequest,
    workspace: Workspace,
    draft: Draft,
    *,
    conflict: ShownConflict | None = None,
    status: int = 200,
) -> HttpResponse:
    addresses = addresses_of(workspace.slug)
    context: dict[str, Any] = {"draft": draft, **_preview(workspace, draft)}
    if not request.htmx:
        crumbs = [(gettext("Decisions"), addresses.decisions), (gettext("New"), "")]
        context |= {
            "shell": shell_of(workspace, crumbs),
            "page": "decisions",
            "title": gettext("Add a decision"),
            "conflict": conflict,
            "topics": _topics(workspace),
            "replaceable": map(named, decisions.replaceable(workspace)),
            "back": addresses.decisions,
            "action": addresses.decision_new(),
        }
    return page_or_partial(
        request,
        "decisions/decision_form.html",
        "decisions/_decision_preview.html",
        context,
        status=status,
    )


def _topics(workspace: Workspace) -> list[tuple[str, str]]:
    rows = Topic.objects.filter(
        workspace=workspace, kind=Topic.Kind.CONTEXT, last_seq__isnull=True
    )
    return list(rows.order_by("name").values_list("slug", "name"))
