"""Export for an agent: choice of records, text, losses, download, writing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import astuple, dataclass
from typing import Any

from django.contrib import messages
from django.db.models import Case, Q, QuerySet
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_GET, require_POST

from memoryhub.disk.files import FileError
from memoryhub.exports.handover import FORMS, Handover, Picked, compose, place
from memoryhub.exports.handover_forms import Left
from memoryhub.formats.base import FormatError
from memoryhub.journal.grades import declared
from memoryhub.journal.models import Operation, Workspace
from memoryhub.journal.untimed import UNDATED_LAST
from memoryhub.people.policy import actor_of, may, workspace_or_404, workspaces
from memoryhub.people.rights import Right
from memoryhub.sync.edit.edits import Conflict
from memoryhub.values.identity import id_of
from memoryhub.values.limits import INDEX_TOKENS
from memoryhub.web.kit.clock import Clock
from memoryhub.web.kit.frame import Shell, shell_of
from memoryhub.web.kit.http import markdown_response, typed
from memoryhub.web.kit.labels import clauses, headed, listed
from memoryhub.web.kit.links import addresses_of
from memoryhub.web.kit.listing import ListQuery, parameter
from memoryhub.web.kit.responses import (
    SeeOther,
    conflict_page,
    refused,
    say_done,
)
from snapshots.models import NEWEST_FIRST, SessionMemory, Snapshot
from topics.models import Decision, Topic
from topics.services.topics import new_key

_Row = Topic | Snapshot | Decision | SessionMemory
#: Most choices per kind; a filter finds the others.
_SHOWN, _TOPICS = 30, 200
#: Most lost parts of one record that are listed with their texts.
_PARTS_SHOWN = 100
_FORM_LABELS: dict[str, Promise] = {
    "topic": gettext_lazy("Topic files"),
    "snapshots": gettext_lazy("BIG-MEMORY blocks"),
    "session": gettext_lazy("Session texts"),
    "pointers": gettext_lazy("MEMORY.md pointers"),
    "recall": gettext_lazy("Recall text"),
}
_KINDS: dict[str, Promise] = {
    "topic": gettext_lazy("Topic"),
    "snapshot": gettext_lazy("Snapshot"),
    "decision": gettext_lazy("Decision"),
    "memory": gettext_lazy("Session memory"),
}
_NEWEST = (UNDATED_LAST, "-occurred_at", "-pk")
#: Kinds of choices: heading, model, field with the text, field with the name, order.
_ROWS: dict[str, tuple[Promise, type[_Row], str, str, tuple[str | Case, ...]]] = {
    "topic": (gettext_lazy("Topics"), Topic, "name", "", ("name", "-pk")),
    "snapshot": (
        *(gettext_lazy("Snapshots"), Snapshot),
        *("goal", "snapshot_id", NEWEST_FIRST),
    ),
    "decision": (gettext_lazy("Decisions"), Decision, "text", "", _NEWEST),
    "memory": (
        *(gettext_lazy("Session memories"), SessionMemory),
        *("objective", "memory_id", NEWEST_FIRST),
    ),
}
_WHYS: dict[str, Promise] = {
    "no-place": gettext_lazy("This form has no place for: %(values)s."),
    "unknown": gettext_lazy("Not known, written as “none”: %(values)s."),
    "record-missing": gettext_lazy("It can no longer be read."),
    "place-missing": gettext_lazy("It is in no file, so nothing can point to it."),
    "no-recall": gettext_lazy("Only topics have a recall text."),
    "over-budget": gettext_lazy("Left out to stay within %(limit)s tokens."),
    "topic-is-there": gettext_lazy(
        "The topic exists already: its status and history were not changed."
    ),
    "snapshot-breaks-block": gettext_lazy("A line of it would end the block."),
    "comment-not-a-line": gettext_lazy(
        "Its id, agent or topic does not fit in a comment."
    ),
    "status-breaks-sections": gettext_lazy("A line of it would begin another section."),
}
#: Parts of records, as `translation.reading.Remembered` names them.
_PARTS: dict[str, Promise] = {
    "topic": gettext_lazy("topic"),
    "goal": gettext_lazy("goal or status"),
    "agent": gettext_lazy("agent"),
    "recipient": gettext_lazy("recipient"),
    "type": gettext_lazy("type"),
    "session": gettext_lazy("session"),
    "project_root": gettext_lazy("project root"),
    "time": gettext_lazy("time"),
    "place": gettext_lazy("place"),
    "phase": gettext_lazy("phase"),
    "branch": gettext_lazy("branch"),
    "blocked": gettext_lazy("what blocks it"),
    "progress": gettext_lazy("progress"),
    "last_action": gettext_lazy("last action"),
    "plan_source": gettext_lazy("source of the plan"),
    "plan": gettext_lazy("the plan"),
    "code": gettext_lazy("code"),
    "notes": gettext_lazy("notes"),
    "trigger": gettext_lazy("trigger"),
    "decisions": gettext_lazy("decisions"),
    "history": gettext_lazy("history"),
    "blockers": gettext_lazy("blockers and questions"),
    "next_steps": gettext_lazy("next steps"),
    "constraints": gettext_lazy("constraints"),
    "dependencies": gettext_lazy("dependencies"),
    "files": gettext_lazy("files"),
    "reference_files": gettext_lazy("reference files"),
    "key_names": gettext_lazy("names and values"),
    "meta": gettext_lazy("meta"),
    "other": gettext_lazy("other sections"),
    "text": gettext_lazy("other lines"),
}
#: Details of a part: after the comma of a field's name.
_DETAILS: dict[str, Promise] = {
    "date": gettext_lazy("%(part)s: day"),
    "reason": gettext_lazy("%(part)s: reason"),
    "supersedes": gettext_lazy("%(part)s: what they replace"),
    "signed off by": gettext_lazy("%(part)s: who signed off"),
    "signed off on": gettext_lazy("%(part)s: day of the sign-off"),
    "what of it": gettext_lazy("%(part)s: remarks"),
}
_KEY_SIZE = 80


@dataclass(frozen=True, slots=True)
class HandoverQuery(ListQuery):
    """Parameters of the export's page, to name those that it does not know."""

    form: str = parameter("form", choices=FORMS)
    text: str = parameter("q")
    topic: int = parameter("topic", default=0, read=id_of)
    snapshot: int = parameter("snapshot", default=0, read=id_of)
    decision: int = parameter("decision", default=0, read=id_of)
    memory: int = parameter("memory", default=0, read=id_of)


def picked_of(query: QueryDict) -> Picked:
    """Parse the selected records; invalid codes are ignored."""
    return Picked(*(_ids(query.getlist(kind)) for kind in _ROWS))


def form_of(query: QueryDict) -> str:
    """Return the requested form; the first one if it is unknown."""
    form = query.get("form", "")
    return form if form in FORMS else FORMS[0]


def _ids(codes: Iterable[str]) -> tuple[int, ...]:
    found = []
    for code in codes:
        with suppress(ValueError):
            found.append(id_of(code))
    return tuple(found)


def handover_page(
    shell: Shell, query: QueryDict, handover: Handover, targets: Sequence[Workspace]
) -> dict[str, object]:
    """Return the template values of the export's page."""
    path = shell.addresses.handover
    changed = query.copy()
    changed["form"] = handover.form
    chosen, text = changed.urlencode(), typed(query, "q")
    picked = astuple(picked_of(query))
    groups = [
        _group(shell, kind, ids, text) for kind, ids in zip(_ROWS, picked, strict=True)
    ]
    return {
        "path": path,
        "text_url": f"{path.removesuffix('/')}.md?{chosen}",
        "zip_url": f"{path.removesuffix('/')}.zip?{chosen}",
        "write_url": f"{path}write/",
        "query": chosen,
        "text": text,
        "forms": _FORM_LABELS.items(),
        "groups": groups,
        "handover": handover,
        "left": [shown_left(left) for left in handover.left],
        "any_picked": any(picked),
        "any_there": bool(text) or any(group["options"] for group in groups),
        "targets": targets,
        "carried": [(kind, code) for kind in _ROWS for code in query.getlist(kind)],
    }


def shown_left(left: Left) -> dict[str, Any]:
    """Return a loss: the record, the reason, its lost parts with their texts."""
    fields = dict.fromkeys(_part(lost.field) for lost in left.lost)
    words = {"limit": INDEX_TOKENS, "values": listed(fields)}
    reasons = [_WHYS[left.why] % words] if left.lost or left.why != "no-place" else []
    if left.unknown:
        reasons.append(_WHYS["unknown"] % {"values": listed(left.unknown)})
    return {
        "kind": _KINDS.get(left.kind, left.kind),
        "name": left.name[:200],
        "why": " ".join(map(str, reasons)),
        "parts": [(_part(lost.field), lost.text) for lost in left.lost[:_PARTS_SHOWN]],
    }


def _part(field: str) -> str:
    """Return a field of `Lost` in words."""
    name, _, detail = field.partition(", ")
    part = str(_PARTS.get(name, name))
    return str(_DETAILS[detail] % {"part": part}) if detail in _DETAILS else part


def _group(
    shell: Shell, kind: str, picked: Sequence[int], text: str
) -> dict[str, object]:
    """Return the selected rows of a kind, then others that contain `text`."""
    heading, model, words, name, order = _ROWS[kind]
    rows: QuerySet[Any] = declared(model).filter(workspace=shell.workspace)
    wanted = Q(**{f"{words}__icontains": text})
    if model is Topic:
        wanted |= Q(status__icontains=text)
    most = _TOPICS if model is Topic else _SHOWN
    found = rows.filter(wanted) if text else rows
    shown = found.order_by(*order).values("pk")[:most]
    listed = rows.filter(Q(pk__in=shown) | Q(pk__in=list(picked)))
    options = [
        {
            "code": row.code,
            "label": (getattr(row, words) or getattr(row, name, ""))[:200],
            "more": _more(row, name, shell.clock),
            "checked": row.pk in picked,
        }
        for row in sorted(listed.order_by(*order), key=lambda row: row.pk not in picked)
    ]
    checked = sum(option["checked"] for option in options)
    return {"kind": kind, "heading": heading, "options": options, "picked": checked}


def _more(row: _Row, name: str, clock: Clock) -> str:
    when = (
        "" if isinstance(row, Topic) else clock.stated(row.occurred_at, row.precision)
    )
    return clauses(filter(None, (getattr(row, name, ""), when)))


@require_GET
def handover(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the records to choose from and the chosen ones in an agent's format."""
    workspace = workspace_or_404(slug)
    query = HandoverQuery.of(request)
    composed = _composed(workspace, request.GET)
    shell = shell_of(workspace, [(gettext("Export for an agent"), request.path)])
    others = (each for each in workspaces() if each.pk != workspace.pk)
    targets = [each for each in others if may(Right.EDIT, each.slug)]
    context = {
        "shell": shell,
        "page": "handover",
        "title": gettext("Export for an agent"),
        "export": handover_page(shell, query.given(request), composed, targets),
        "query": query,
        "key": new_key(),
    }
    return render(request, "handover/handover.html", context)


@require_GET
def handover_text(request: HttpRequest, slug: str) -> HttpResponse:
    """Return an export as one text."""
    workspace = workspace_or_404(slug)
    HandoverQuery.of_text(request)
    composed = _composed(workspace, request.GET)
    return markdown_response(composed.text, f"{composed.form}.md")


@require_GET
def handover_zip(request: HttpRequest, slug: str) -> HttpResponse:
    """Return an export as a zip of its files."""
    workspace = workspace_or_404(slug)
    HandoverQuery.of_text(request)
    composed = _composed(workspace, request.GET)
    return HttpResponse(
        composed.zipped(),
        content_type="application/zip",
        headers={"Content-Disposition": f'attachment; filename="{slug}-handover.zip"'},
    )


@require_POST
def handover_write(request: HttpRequest, slug: str) -> HttpResponse:
    """Write an export into another workspace.

    409 on a conflict there.
    """
    workspace = workspace_or_404(slug)
    target = workspace_or_404(request.POST.get("target", ""), Right.EDIT)
    back = addresses_of(slug).handover
    composed = _composed(workspace, request.POST, target)
    try:
        done, left = place(
            workspace,
            target,
            composed,
            actor=actor_of(request),
            key=request.POST.get("key", "")[:_KEY_SIZE] or new_key(),
            now=timezone.now(),
        )
    except Conflict as conflict:
        return conflict_page(request, target, conflict, back=back)
    except (FormatError, FileError) as error:
        return refused(request, error, back)
    return _done(request, target, done, left, back)


def _composed(
    workspace: Workspace, query: QueryDict, target: Workspace | None = None
) -> Handover:
    form = form_of(query)
    now = timezone.now()
    return compose(workspace, picked_of(query), form, now=now, target=target)


def _done(
    request: HttpRequest,
    target: Workspace,
    done: Sequence[Operation],
    left: Iterable[Left],
    back: str,
) -> HttpResponse:
    """Add messages of the written files, with undo, and of losses; redirect to them."""
    for operation in done:
        words = {"path": operation.target, "name": target.name}
        text = gettext("%(path)s was written into %(name)s") % words
        say_done(request, target, operation, text)
    for one in left:
        messages.warning(request, headed(one.name, shown_left(one)["why"]))
    if not done:
        messages.info(
            request,
            gettext("Nothing was written: the file already contains all of it."),
        )
        return SeeOther(back)
    addresses = addresses_of(target.slug)
    if len(done) == 1:
        return SeeOther(addresses.file(done[0].target))
    return SeeOther(addresses.files)
