"""Views that act on a handoff or send one, with their forms; the inbox of people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from memoryhub.dialects.handoff import (
    MAX_CONTEXT,
    STATUSES,
    Result,
    Task,
    find_tasks,
    render_task,
)
from memoryhub.dialects.handoff import TYPES as KNOWN_TYPES
from memoryhub.disk.files import FileError
from memoryhub.formats.base import FormatError
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.agents import is_known, person_in
from memoryhub.handoffs.queries.board import names
from memoryhub.handoffs.queries.lane import open_work
from memoryhub.handoffs.queries.messages import messages_to_people
from memoryhub.handoffs.queries.resends import why_not_again
from memoryhub.handoffs.rules.acting import REOPENED, SENT_BACK, NotAllowed
from memoryhub.handoffs.rules.parties import BY_COORDINATOR, BY_PERSON, BY_SENDER
from memoryhub.handoffs.services.memory import Remembered
from memoryhub.handoffs.services.reading import mark_read
from memoryhub.handoffs.services.sending import Author, Done, Terms, send
from memoryhub.handoffs.services.steps import (
    Step,
    hand_off_again,
    move,
    report,
    terms_of,
)
from memoryhub.journal.models import Agent, Workspace
from memoryhub.people.policy import actor_of, may, workspace_or_404
from memoryhub.people.rights import Right
from memoryhub.sync.edit.edits import Conflict
from memoryhub.values.identity import code_of
from memoryhub.web.handoffs.acts import (
    ACTS,
    AGAIN,
    REPORT,
    REVISE,
    Act,
    why_not,
)
from memoryhub.web.handoffs.board import handoff_or_404
from memoryhub.web.handoffs.cards import PRIORITIES, title_of
from memoryhub.web.handoffs.detail import (
    act_links,
    facts_of,
    possible_acts,
    task_shown,
)
from memoryhub.web.handoffs.waiting import circle_shown
from memoryhub.web.kit.clock import Clock
from memoryhub.web.kit.frame import shell_of
from memoryhub.web.kit.http import HtmxRequest, page_or_partial, wants_partial
from memoryhub.web.kit.labels import headed, sentences
from memoryhub.web.kit.links import addresses_of
from memoryhub.web.kit.listing import takes
from memoryhub.web.kit.responses import (
    SeeOther,
    ShownConflict,
    back_to,
    done,
    refusal_text,
    say_done,
)
from memoryhub.web.kit.state_labels import HANDOFF_TYPES
from memoryhub.web.topics.forms import line, text_in
from topics.models import Topic
from topics.services.topics import new_key

_LONG, _NAME, _KEY = 100_000, 100, 100
#: Parts of a task that its sender can change.
PARTS = ("context", "input", "expected_output", "constraints")
_TOPIC, _DUE_SIZE, _IDS = 300, 40, 2000
#: Format of the browser's ``datetime-local`` inputs.
_DUE = "%Y-%m-%dT%H:%M"
_AGENTS = 200
#: Most messages of the page.
_MOST = 100


def due_at(text: str, zone: ZoneInfo) -> datetime | None:
    """Parse the due time; without a zone it is read in `zone`; None for no text.

    Raises:
        ValueError: Not a time, or outside the years that files can hold (1971 to 9998).
    """
    if not text:
        return None
    at = datetime.fromisoformat(text)
    if not 1971 <= at.year <= 9998:
        raise ValueError(text)
    return at if at.tzinfo else at.replace(tzinfo=zone)


def author_of(request: HttpRequest) -> Author:
    """Return the actor of a POST: a person, who coordinates and signs off.

    The person's rights in the workspace were checked when the request was admitted.
    """
    key = line(request.POST, "key", size=_KEY)
    who = actor_of(request)
    to = (line(request.POST, name, size=_NAME + 1) for name in ("recipient", "to"))
    bound = not all(map(may_send_to, to))
    return Author(who, coordinates=True, key=key or new_key(), bound=bound, person=True)


def may_send_to(recipient: str) -> bool:
    """Return whether the person may send work to an agent, of another workspace too.

    Every part before a slash can name that workspace: the own one is removed first.
    """
    return all(may(Right.SEND, slug) for slug in recipient.split("/")[:-1])


@dataclass(frozen=True, slots=True)
class ActForm:
    """The input of an act's form, with its error."""

    base: str
    key: str = field(default_factory=new_key)
    reason: str = ""
    status: str = "done"
    output: str = ""
    side_effects: str = ""
    memory_update: str = ""
    to: str = ""
    due: str = ""
    topic: str = ""
    task: Mapping[str, str] = field(default_factory=dict)
    error: str = ""

    @classmethod
    def of(cls, data: QueryDict, handoff: Handoff) -> ActForm:
        """Parse the form; without ``base`` it has the handoff's current standing."""
        status = line(data, "status", size=20)
        return cls(
            line(data, "base") if "base" in data else handoff.standing,
            line(data, "key", size=_KEY) or new_key(),
            line(data, "reason"),
            status if status in STATUSES else "done",
            text_in(data, "output", size=_LONG),
            text_in(data, "side_effects", size=_LONG),
            text_in(data, "memory_update", size=_LONG),
            line(data, "to", size=_NAME),
            line(data, "due", size=_DUE_SIZE),
            line(data, "topic", size=_TOPIC),
            {
                name: text_in(data, name, size=_LONG)
                if name in data
                else getattr(handoff, name)
                for name in PARTS
            },
        )

    def changes(self, handoff: Handoff) -> dict[str, str]:
        """Return the parts of the task that differ from the handoff's."""
        return {
            name: text
            for name, text in self.task.items()
            if text != getattr(handoff, name)
        }

    @property
    def result(self) -> Result:
        return Result(
            "", self.status, self.output, self.side_effects, self.memory_update
        )

    def missing(self, act: Act) -> str:
        """Return the message for a missing reason; empty if none is needed."""
        if act.needs_reason and not self.reason:
            return gettext("Enter a reason in one line.")
        return ""

    def on(self, terms: Terms, zone: ZoneInfo) -> ActForm:
        """Return a copy with the terms of the handoff that is sent again."""
        due = terms.due.astimezone(zone).strftime(_DUE) if terms.due else ""
        return replace(self, due=due, topic=terms.topic)

    def terms(self, zone: ZoneInfo) -> Terms:
        """Return the terms for handing off again.

        Raises:
            NotAllowed: ``handoff-due``, the due time cannot be parsed.
        """
        try:
            return Terms(due_at(self.due, zone), self.topic)
        except ValueError as error:
            raise NotAllowed("handoff-due", due=self.due) from error


@dataclass(frozen=True, slots=True)
class Draft:
    """The input of a new handoff's form, with errors by field."""

    sender: str = ""
    recipient: str = ""
    type: str = "read_only"
    context: str = ""
    input: str = ""
    expected_output: str = ""
    constraints: str = ""
    topic: str = ""
    due: str = ""
    result_to: str = ""
    after: str = ""
    parent: str = ""
    repository: str = ""
    paths: str = ""
    priority: str = ""
    review: str = ""
    key: str = field(default_factory=new_key)
    errors: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, data: QueryDict, sender: str) -> Draft:
        return cls(
            line(data, "sender", size=_NAME + 1) or sender,
            line(data, "recipient", size=_NAME + 1),
            line(data, "type", size=20) or "read_only",
            text_in(data, "context", size=2000),
            text_in(data, "input", size=_LONG),
            text_in(data, "expected_output", size=_LONG),
            text_in(data, "constraints", size=_LONG),
            line(data, "topic", size=_TOPIC),
            line(data, "due", size=_DUE_SIZE),
            line(data, "result_to", size=_TOPIC),
            line(data, "after", size=_IDS),
            line(data, "parent", size=_NAME),
            line(data, "repository", size=_NAME),
            line(data, "paths", size=_IDS),
            line(data, "priority", size=20),
            line(data, "review", size=_NAME),
            line(data, "key", size=_KEY) or new_key(),
        )

    @property
    def task(self) -> Task:
        return Task(
            "",
            self.sender,
            self.recipient,
            self.type,
            self.context,
            self.input,
            self.expected_output,
            self.constraints,
            after=self.after,
            parent=self.parent,
            repository=self.repository,
            paths=self.paths,
            priority=self.priority,
            review=self.review,
        )


@require_GET
def change_handoff(request: HtmxRequest, slug: str, name: str) -> HttpResponse:
    """Show all acts that are possible on a handoff."""
    handoff = handoff_or_404(slug, name)
    url = addresses_of(slug).handoff(handoff.code)
    acts = possible_acts(handoff, actor_of(request))
    links = act_links(handoff, actor_of(request), url)
    context = {
        "handoff": handoff,
        "heading": title_of(handoff),
        "choices": list(zip(acts, links, strict=True)),
        "url": url,
    }
    title = gettext("Change %(id)s") % {"id": handoff.name}
    return _answer(request, handoff, "change", title, context)


@require_http_methods(["GET", "HEAD", "POST"])
def act_on_handoff(
    request: HtmxRequest, slug: str, name: str, act: str
) -> HttpResponse:
    """Show the form of an act, or do it if the handoff has not moved on.

    409 if it has, 422 if the form or a rule is against it.
    """
    if act not in ACTS:
        raise Http404
    handoff = handoff_or_404(slug, name)
    form = _filled(request, handoff, ACTS[act])
    if request.method == "POST":
        return _act(request, handoff, ACTS[act], form)
    return _form(request, handoff, ACTS[act], form)


def _act(
    request: HtmxRequest, handoff: Handoff, act: Act, form: ActForm
) -> HttpResponse:
    if wrong := _wrong_in(form, act, handoff):
        return _form(request, handoff, act, replace(form, error=wrong), status=422)
    try:
        done, memory = _do(handoff, act, form, author_of(request))
    except Conflict as conflict:
        return _moved_on(request, handoff, act, form, conflict)
    except (FormatError, FileError) as error:
        refused = replace(form, error=refusal_text(error))
        return _form(request, handoff, act, refused, status=422)
    text = _confirmation(done, act, memory)
    say_done(request, done.operation.workspace, done.operation, text)
    own = addresses_of(handoff.side.slug).handoff(done.handoff.code)
    return SeeOther(back_to(request, own))


def _do(
    handoff: Handoff, act: Act, form: ActForm, who: Author
) -> tuple[Done, Remembered | None]:
    """Do an act; a result's memory update is returned separately.

    Raises:
        Conflict: The handoff moved on since the form was rendered.
        FormatError, FileError: As the services raise them.
    """
    if act.name == REPORT:
        reported = report(handoff, form.result, who, base=form.base, reason=form.reason)
        return reported.done, reported.memory
    if act.name == AGAIN:
        bound = not may_send_to(form.to or handoff.recipient)
        again = hand_off_again(
            handoff,
            replace(who, bound=bound),
            recipient=form.to,
            reason=form.reason,
            terms=form.terms(_zone(handoff)),
            base=form.base,
        )
        return again, None
    changes = form.changes(handoff) if act.name == REVISE else {}
    step = Step(act.verb, form.reason, form.base, changes=changes)
    return move(handoff, step, who), None


def _filled(request: HtmxRequest, handoff: Handoff, act: Act) -> ActForm:
    """Parse the form; handing off again starts with the terms that still hold."""
    form = ActForm.of(request.POST, handoff)
    if act.name != AGAIN or "due" in request.POST:
        return form
    return form.on(terms_of(handoff, timezone.now()), _zone(handoff))


def _wrong_in(form: ActForm, act: Act, handoff: Handoff) -> str:
    """Return the error of a form: missing reason or unknown topic; empty if fine."""
    if missing := form.missing(act):
        return missing
    known = not form.topic or form.topic == terms_of(handoff, timezone.now()).topic
    if act.name == AGAIN and not known and form.topic not in _topics(handoff):
        return gettext("There is no such topic.")
    return ""


def _topics(handoff: Handoff) -> list[str]:
    rows = Topic.objects.filter(workspace=handoff.side, last_seq__isnull=True)
    return list(rows.order_by("name").values_list("name", flat=True))


def _zone(handoff: Handoff) -> ZoneInfo:
    """Return the person's time zone, in which forms have their times."""
    return Clock.of(handoff.side.time_zone).zone


def _confirmation(done: Done, act: Act, memory: Remembered | None) -> str:
    """Return the confirmation: act, file of the memory update, deadlock it closed."""
    parts = [headed(act.done, done.handoff.name)]
    if memory is not None and memory.refused:
        parts.append(gettext("its memory update was not written"))
    elif memory is not None:
        parts.append(gettext("memory update in %(path)s") % {"path": memory.path})
    if done.deadlock:
        words = {"names": circle_shown(done.deadlock)}
        parts.append(gettext("Deadlock: %(names)s") % words)
    return sentences(parts)


def _moved_on(
    request: HtmxRequest,
    handoff: Handoff,
    act: Act,
    form: ActForm,
    conflict: Conflict,
) -> HttpResponse:
    """Return 409 with the base of the form and the handoff's current standing."""
    now = handoff_or_404(handoff.side.slug, handoff.code)
    fresh = replace(_filled(request, now, act), base=now.standing)
    shown = ShownConflict(
        Conflict(conflict.path, form.base, now.standing), form.reason or form.output
    )
    return _form(request, now, act, fresh, conflict=shown, status=409)


def _form(
    request: HtmxRequest,
    handoff: Handoff,
    act: Act,
    form: ActForm,
    *,
    conflict: ShownConflict | None = None,
    status: int = 200,
) -> HttpResponse:
    url = addresses_of(handoff.side.slug).handoff(handoff.code)
    who = person_in(handoff.workspace, actor_of(request))
    against = why_not(
        act.verb, handoff, who, open_work(handoff.workspace).lane, handoff.pk
    ) or why_not_again(act.verb, handoff)
    context = {
        "handoff": handoff,
        "heading": title_of(handoff),
        "act": act,
        "form": form,
        "conflict": conflict,
        "against": refusal_text(against) if against else "",
        "answers": act.verb in {"signed off", SENT_BACK, REOPENED},
        "dialog": wants_partial(request),
        "action": f"{url}{act.name}/",
        "url": url,
        "next": _next(request),
        "agents": names(handoff.side).agents if act.name == AGAIN else (),
        "topics": _topics(handoff) if act.name == AGAIN else (),
    }
    title = headed(act.label, handoff.name)
    return _answer(request, handoff, "act", title, context, status=status)


def _next(request: HtmxRequest) -> str:
    """Return the address to return to: the page under a dialog, else ``next``."""
    if request.htmx and request.method != "POST":
        return request.htmx.current_url_abs_path or ""
    return back_to(request, "")


def _answer(
    request: HtmxRequest,
    handoff: Handoff,
    part: str,
    title: str,
    context: dict[str, Any],
    *,
    status: int = 200,
) -> HttpResponse:
    """Render the page, or its part retargeted into the dialog for htmx."""
    workspace = handoff.side
    shell = shell_of(workspace, _crumbs(workspace, handoff, title))
    context |= {
        "shell": shell,
        "page": "handoffs",
        "title": title,
        "facts": facts_of(handoff, shell),
        **task_shown(handoff),
    }
    names = f"handoffs/handoff_{part}.html", f"handoffs/_{part}.html"
    response = page_or_partial(request, *names, context, status=status)
    if wants_partial(request):
        response["HX-Retarget"] = "#act-body"
        response["HX-Reswap"] = "innerHTML"
        response["HX-Reselect"] = ".act"
    return response


def _crumbs(
    workspace: Workspace, handoff: Handoff, title: str
) -> list[tuple[str, str]]:
    addresses = addresses_of(workspace.slug)
    return [
        (gettext("Handoffs"), addresses.handoffs),
        (handoff.name, addresses.handoff(handoff.code)),
        (title, ""),
    ]


@require_http_methods(["GET", "HEAD", "POST"])
@takes(*(field.name for field in fields(Draft)))
def new_handoff(request: HtmxRequest, slug: str) -> HttpResponse:
    """Show the form with a preview of the handoff's block, or send it."""
    workspace = workspace_or_404(slug)
    sent = request.POST if request.method == "POST" else request.GET
    draft = Draft.of(sent, actor_of(request))
    if request.method == "POST" and not request.POST.get("preview"):
        return _send(request, workspace, draft)
    topics = dict(_topics_chosen(workspace))
    named = topics.get(draft.topic, draft.topic)
    return _sending_form(request, workspace, replace(draft, topic=named))


def _send(request: HtmxRequest, workspace: Workspace, draft: Draft) -> HttpResponse:
    errors = _errors(workspace, draft)
    if errors:
        return _sending_form(
            request, workspace, replace(draft, errors=errors), status=422
        )
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
        return _sending_form(request, workspace, wrong, status=422)
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
    if draft.topic and draft.topic not in dict(_topics_chosen(workspace)).values():
        errors["topic"] = gettext("There is no such topic.")
    try:
        due_at(draft.due, Clock.of(workspace.time_zone).zone)
    except ValueError:
        errors["due"] = gettext("Write the time as YYYY-MM-DDTHH:MM.")
    return errors


def _sending_form(
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
            "topics": [name for _, name in _topics_chosen(workspace)],
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


def _topics_chosen(workspace: Workspace) -> list[tuple[str, str]]:
    rows = Topic.objects.filter(workspace=workspace, last_seq__isnull=True)
    return list(rows.order_by("name").values_list("slug", "name"))


@require_GET
def inbox(request: HttpRequest, slug: str) -> HttpResponse:
    """List the messages to people, the newest first."""
    workspace = workspace_or_404(slug)
    board = (gettext("Handoffs"), addresses_of(slug).handoffs)
    shell = shell_of(workspace, [board, (gettext("Inbox"), request.path)])
    # One import reads messages of several files, in the order of these.
    found = sorted(messages_to_people(workspace), key=lambda m: m.at, reverse=True)
    rows = [
        {
            "message": message,
            "code": message.handoff.code,
            "url": shell.addresses.handoff(code_of(message.handoff.pk)),
            "title": title_of(message.handoff),
            "when": shell.clock.moment(message.at),
            "iso": shell.clock.local(message.at).isoformat(timespec="seconds"),
        }
        for message in found[:_MOST]
    ]
    context = {
        "shell": shell,
        "page": "handoffs",
        "title": gettext("Inbox"),
        "rows": rows,
        "unread": sum(message.unread for message in found),
        "left_out": max(0, len(found) - _MOST),
    }
    return render(request, "handoffs/inbox.html", context)


@require_POST
def read_messages(request: HttpRequest, slug: str) -> HttpResponse:
    """Mark the messages of a handoff as read, or all of them."""
    workspace = workspace_or_404(slug)
    named = request.POST.get("handoff", "")
    ids = [
        message.handoff.pk
        for message in messages_to_people(workspace)
        if message.handoff.code == named
    ]
    if ids or not named:
        n = mark_read(workspace, ids)
        text = ngettext("%(n)s message read", "%(n)s messages read", n)
        messages.success(request, text % {"n": n})
    return SeeOther(back_to(request, addresses_of(slug).inbox))
