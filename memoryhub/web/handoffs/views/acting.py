"""Views that act on a handoff: choice of act, form, execution."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from zoneinfo import ZoneInfo

from django.http import Http404, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_http_methods

from memoryhub.disk.files import FileError
from memoryhub.formats.base import FormatError
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.agents import person_in
from memoryhub.handoffs.queries.board import names
from memoryhub.handoffs.queries.lane import open_work
from memoryhub.handoffs.queries.resends import why_not_again
from memoryhub.handoffs.rules.acting import REOPENED, SENT_BACK
from memoryhub.handoffs.services.memory import Remembered
from memoryhub.handoffs.services.sending import Author, Done
from memoryhub.handoffs.services.steps import (
    Step,
    hand_off_again,
    move,
    report,
    terms_of,
)
from memoryhub.journal.models import Workspace
from memoryhub.people.policy import actor_of
from memoryhub.sync.edit.edits import Conflict
from memoryhub.web.handoffs.forms import ActForm, author_of, may_send_to
from memoryhub.web.handoffs.presenters.acts import (
    ACTS,
    AGAIN,
    REPORT,
    REVISE,
    Act,
    why_not,
)
from memoryhub.web.handoffs.presenters.cards import title_of
from memoryhub.web.handoffs.presenters.handoff import (
    act_links,
    facts_of,
    possible_acts,
    task_shown,
)
from memoryhub.web.handoffs.presenters.waiting import circle_shown
from memoryhub.web.handoffs.views.board import handoff_or_404
from memoryhub.web.kit.clock import Clock
from memoryhub.web.kit.frame import shell_of
from memoryhub.web.kit.http import HtmxRequest, page_or_partial, wants_partial
from memoryhub.web.kit.labels import headed, sentences
from memoryhub.web.kit.links import addresses_of
from memoryhub.web.kit.responses import (
    SeeOther,
    ShownConflict,
    back_to,
    refusal_text,
    say_done,
)
from topics.models import Topic


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
