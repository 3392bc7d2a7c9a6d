"""Forgetting: request, plan and warnings, confirm, take back, progress."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from memoryhub.forgetting import forgettings
from memoryhub.forgetting.forgettings import Target
from memoryhub.forgetting.models import Forgetting, forgettings_of
from memoryhub.forgetting.planning import is_empty
from memoryhub.formats.base import FormatError
from memoryhub.jobs.models import Job
from memoryhub.journal.models import Workspace
from memoryhub.people.policy import actor_of, may, workspace_or_404
from memoryhub.people.rights import Right
from memoryhub.web.kit.frame import Shell, shell_of
from memoryhub.web.kit.http import HtmxRequest, page_or_partial, typed, whole_number
from memoryhub.web.kit.labels import listed
from memoryhub.web.kit.links import addresses_of
from memoryhub.web.kit.listing import takes
from memoryhub.web.kit.responses import SeeOther, refusal_text

_KINDS = {
    Forgetting.Kind.TEXT: gettext_lazy("A text, wherever it is"),
    Forgetting.Kind.SECRETS: gettext_lazy("The secrets that were found in a file"),
    Forgetting.Kind.REGEX: gettext_lazy("Everything that matches a regular expression"),
    Forgetting.Kind.FILE: gettext_lazy("A file: all its versions"),
    Forgetting.Kind.VERSION: gettext_lazy("A file: one version"),
    Forgetting.Kind.ENTRY: gettext_lazy("An entry: a note, decision, snapshot ..."),
}
#: Choices of the undo window, in minutes.
_WAITS = (10, 60, 1440)
_STATE = Forgetting.State
_SHOWN_FILES = 20

_STATES: dict[str, tuple[str, Promise]] = {
    _STATE.PLANNING: ("waiting", gettext_lazy("Looking")),
    _STATE.PLANNED: ("waiting", gettext_lazy("To be confirmed")),
    _STATE.HIDING: ("waiting", gettext_lazy("Being hidden")),
    _STATE.HIDDEN: ("waiting", gettext_lazy("Hidden")),
    _STATE.RETURNING: ("waiting", gettext_lazy("Being undone")),
    _STATE.TAKEN_BACK: ("stale", gettext_lazy("Undone")),
    _STATE.ERASING: ("waiting", gettext_lazy("Being erased")),
    _STATE.SWEEPING: ("waiting", gettext_lazy("Being erased")),
    _STATE.DONE: ("done", gettext_lazy("Forgotten")),
}
#: States in which the worker is active; no person is needed.
_MOVING = (
    _STATE.PLANNING,
    _STATE.HIDING,
    _STATE.RETURNING,
    _STATE.ERASING,
    _STATE.SWEEPING,
)
_SHOWN = 50


class ForgetForm(forms.Form):
    """A forgetting's target: text, pattern, file, version or an entry's address."""

    kind = forms.ChoiceField(
        label=gettext_lazy("Type"), choices=[(k.value, v) for k, v in _KINDS.items()]
    )
    text = forms.CharField(
        label=gettext_lazy("Text or path"),
        strip=False,
        required=False,
        max_length=20_000,
        widget=forms.Textarea(
            {"rows": 3, "spellcheck": "false", "autocomplete": "off", "class": "mono"}
        ),
        help_text=gettext_lazy(
            "The text or the pattern; the path of the file; or the address of the"
            " entry's page. Empty for the secrets of all files."
        ),
    )
    seq = forms.IntegerField(
        label=gettext_lazy("Revision"),
        required=False,
        min_value=1,
        help_text=gettext_lazy("Only for one version of a file."),
    )
    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        required=False,
        max_length=1_000,
        help_text=gettext_lazy(
            "Stays permanently in place of the removed versions. Do not repeat the"
            " forgotten text."
        ),
    )
    minutes = forms.TypedChoiceField(
        label=gettext_lazy("Undo possible for"), coerce=int
    )
    keep_files = forms.BooleanField(
        label=gettext_lazy("Leave files on disk as they are"),
        required=False,
        help_text=gettext_lazy(
            "They still contain it, and a later change in them imports it again."
        ),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.label_suffix = ""
        waits = sorted({*_WAITS, settings.MEMORYHUB_FORGET_MINUTES})
        field = self.fields["minutes"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [(minutes, _time(minutes)) for minutes in waits]
        field.initial = settings.MEMORYHUB_FORGET_MINUTES

    def clean(self) -> dict[str, Any]:
        """Check that there is a target, and a revision for a single version."""
        found: dict[str, Any] = super().clean() or {}
        if found.get("kind") != Forgetting.Kind.SECRETS and not found.get("text"):
            self.add_error("text", self.fields["text"].error_messages["required"])
        if found.get("kind") == Forgetting.Kind.VERSION and not found.get("seq"):
            self.add_error("seq", gettext_lazy("Enter the version."))
        return found

    def wanted(self) -> Target:
        """Return the validated request."""
        found = self.cleaned_data
        text = found["text"].replace("\r\n", "\n").strip("\n")
        kinds = Forgetting.Kind
        of_file = found["kind"] in (kinds.FILE, kinds.VERSION, kinds.SECRETS)
        return Target(
            kind=found["kind"],
            text="" if of_file else text,
            path=text.strip() if of_file else "",
            seq=found["seq"] or 0,
            reason=found["reason"],
            keep_files=found["keep_files"],
            minutes=found["minutes"],
        )


def _time(minutes: int) -> str:
    if minutes and minutes % 1440 == 0:
        days = minutes // 1440
        return ngettext("%(n)s day", "%(n)s days", days) % {"n": days}
    if minutes and minutes % 60 == 0:
        hours = minutes // 60
        return ngettext("%(n)s hour", "%(n)s hours", hours) % {"n": hours}
    return ngettext("%(n)s minute", "%(n)s minutes", minutes) % {"n": minutes}


class ShownForgetting:
    """A forgetting with the words of the list and of its page."""

    def __init__(self, forgetting: Forgetting, shell: Shell) -> None:
        plan, state, due = forgetting.plan, forgetting.state, forgetting.due_at
        self.status, self.state = _STATES[state]
        self.number = forgetting.pk
        self.url = shell.addresses.forgetting(forgetting.pk)
        self.title = _title(forgetting)
        self.facts = _facts(forgetting, shell)
        self.moving = state in _MOVING
        self.planned = state == _STATE.PLANNED
        self.hidden = state == _STATE.HIDDEN
        self.empty = self.planned and is_empty(plan)
        self.summary = summary_of(forgetting) if plan else ""
        self.files = [
            # Once it is carried out, the disk is as the warnings say.
            _file(f if self.planned else {**f, "now": False}, shell)
            for f in plan.get("files", [])[:_SHOWN_FILES]
        ]
        self.more_files = max(0, plan.get("file_count", 0) - _SHOWN_FILES)
        self.samples = [_sample(each, shell) for each in plan.get("samples", [])]
        self.warnings = warnings_of(forgetting)
        self.due = shell.clock.moment(due) if due else ""
        self.can_return = state in (_STATE.HIDING, _STATE.HIDDEN)
        self.progress = _progress(forgetting)


def _title(forgetting: Forgetting) -> str:
    """Return a title that does not reveal the forgotten text."""
    kinds = Forgetting.Kind
    match forgetting.kind:
        case kinds.TEXT:
            return gettext("A text")
        case kinds.REGEX:
            return gettext("A pattern")
        case kinds.ENTRY:
            return gettext("An entry")
        case kinds.SECRETS:
            return gettext("Secrets that were found")
    return forgetting.label


def _facts(forgetting: Forgetting, shell: Shell) -> str:
    words = {
        "actor": forgetting.actor,
        "when": shell.clock.moment(forgetting.asked_at),
        "why": forgetting.reason,
    }
    if forgetting.reason:
        return gettext("%(actor)s, %(when)s: %(why)s") % words
    return gettext("%(actor)s, %(when)s") % words


def summary_of(forgetting: Forgetting) -> str:
    """Return how much a planned forgetting touches."""
    plan = forgetting.plan
    versions, files = plan["versions"], plan["file_count"]
    rows = sum(plan["rows"].values())
    words = {
        "versions": ngettext("%(n)s version", "%(n)s versions", versions)
        % {"n": versions},
        "files": ngettext("of %(n)s file", "of %(n)s files", files) % {"n": files},
        "rows": ngettext("%(n)s row", "%(n)s rows", rows) % {"n": rows},
    }
    return gettext("%(versions)s %(files)s, %(rows)s, and the search index") % words


def _file(file: dict[str, object], shell: Shell) -> dict[str, str]:
    path, count = str(file["path"]), int(str(file["versions"]))
    words = ngettext("%(n)s version", "%(n)s versions", count) % {"n": count}
    if file["now"]:
        words = gettext("%(versions)s, on disk too") % {"versions": words}
    url = shell.addresses.file(path, view="history")
    return {"path": path, "url": url, "text": words}


def _sample(sample: dict[str, object], shell: Shell) -> tuple[str, str, str]:
    path, line = str(sample["path"]), int(str(sample["line"]))
    place = gettext("%(path)s, line %(line)s") % {"path": path, "line": line}
    url = shell.addresses.file(path, rev=int(str(sample["seq"])), line=line)
    return place, url, str(sample["text"])


def warnings_of(forgetting: Forgetting) -> list[str]:
    """Return warnings about a forgetting; once done, the places that are left."""
    plan, found = forgetting.plan, []
    if forgetting.state in (_STATE.HIDDEN, _STATE.DONE):
        return _left(forgetting)
    if not plan:
        return []
    if count := len(plan["now"]):
        words = {"n": count}
        if forgetting.keep_files:
            text = ngettext(
                "%(n)s file on disk stays as it is and still contains it.",
                "%(n)s files on disk stay as they are and still contain it.",
                count,
            )
        else:
            text = ngettext(
                "%(n)s file on disk is changed too.",
                "%(n)s files on disk are changed too.",
                count,
            )
        found.append(text % words)
    if seen := [slug for slug in plan["elsewhere"] if may(Right.READ, slug)]:
        others = {"names": listed(seen)}
        text = gettext("The same versions stay in other workspaces: %(names)s.")
        found.append(text % others)
    if plan["names"]:
        text = ngettext(
            "%(n)s file name contains it too and does not change.",
            "%(n)s file names contain it too and do not change.",
            plan["names"],
        )
        found.append(text % {"n": plan["names"]})
    return found


def _left(forgetting: Forgetting) -> list[str]:
    result = forgetting.result
    found = [
        gettext("Not written: %(file)s") % {"file": file}
        for file in result.get("left", [])
    ]
    if names := result.get("kept", []):
        words = {"names": listed(names)}
        found.append(gettext("Files on disk still hold it: %(names)s") % words)
    if backups := result.get("backups", 0):
        text = ngettext(
            "%(n)s earlier backup still contains it.",
            "%(n)s earlier backups still contain it.",
            backups,
        )
        found.append(text % {"n": backups})
    return found


def _progress(forgetting: Forgetting) -> tuple[int, int]:
    job = Job.objects.filter(
        kind=Job.Kind.FORGETTING, payload={"forgetting": forgetting.pk}
    ).last()
    return (job.done, job.total) if job else (0, 0)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@takes("file", "entry", "rev", "text", "secrets")
def forget(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the form and earlier forgettings, or request one and start its planning."""
    workspace = workspace_or_404(slug)
    if request.method != "POST":
        return _form_page(request, workspace, ForgetForm(initial=_asked(request)))
    form = ForgetForm(request.POST)
    if form.is_valid():
        try:
            started = forgettings.ask(workspace, form.wanted(), actor_of(request))
        except FormatError as error:
            form.add_error("text", refusal_text(error))
        else:
            forgettings.plan_soon(started)
            return SeeOther(addresses_of(slug).forgetting(started.pk))
    return _form_page(request, workspace, form)


@require_GET
@never_cache
def forgetting(request: HtmxRequest, slug: str, number: int) -> HttpResponse:
    """Show a forgetting: affected files, progress, next actions."""
    workspace = workspace_or_404(slug)
    found = _found_or_404(workspace, number)
    crumbs = [(gettext("Forget"), addresses_of(slug).forget())]
    shell = shell_of(workspace, [*crumbs, (f"#{number}", request.path)])
    shown = ShownForgetting(found, shell)
    title = gettext("Forget #%(number)s") % {"number": number}
    context = {"shell": shell, "page": "health", "title": title, "one": shown}
    return page_or_partial(
        request, "forgetting/forgetting.html", "forgetting/_forgetting.html", context
    )


@require_POST
def confirm(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Confirm a planned forgetting; the worker hides its target."""
    workspace = workspace_or_404(slug)
    found, home = _found_or_404(workspace, number), addresses_of(slug)
    try:
        forgettings.confirm(found)
    except FormatError as error:
        messages.error(request, refusal_text(error))
    else:
        words = {"title": f"#{number}"}
        way_back = f"{home.forgetting(number)}back/"
        messages.success(
            request, gettext("%(title)s is hidden") % words, extra_tags=way_back
        )
    return SeeOther(home.forgetting(number))


@require_POST
def take_back(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Take a hidden forgetting back, or drop a planned one."""
    workspace = workspace_or_404(slug)
    found, home = _found_or_404(workspace, number), addresses_of(slug)
    was_planned = found.state in (Forgetting.State.PLANNED, Forgetting.State.PLANNING)
    try:
        forgettings.take_back(found)
    except FormatError as error:
        messages.error(request, refusal_text(error))
        return SeeOther(home.forgetting(number))
    if was_planned:
        messages.success(request, gettext("Nothing was forgotten"))
        return SeeOther(home.forget())
    return SeeOther(home.forgetting(number))


def _asked(request: HttpRequest) -> dict[str, object]:
    """Return the form's initial values from a link: a file, a version or an entry."""
    path, entry = (typed(request.GET, name, size=1000) for name in ("file", "entry"))
    if "secrets" in request.GET:
        found = typed(request.GET, "secrets", size=1000)
        return {"kind": Forgetting.Kind.SECRETS, "text": found}
    seq = whole_number(request.GET.get("rev", ""), digits=18)
    kinds = Forgetting.Kind
    if path:
        return {"kind": kinds.VERSION if seq else kinds.FILE, "text": path, "seq": seq}
    text = entry or typed(request.GET, "text", size=20_000)
    return {"kind": kinds.ENTRY if entry else kinds.TEXT, "text": text}


def _form_page(
    request: HttpRequest, workspace: Workspace, form: ForgetForm
) -> HttpResponse:
    shell = shell_of(workspace, [(gettext("Forget"), request.path)])
    rows = forgettings_of(workspace)[:_SHOWN]
    context = {
        "shell": shell,
        "page": "health",
        "title": gettext("Forget"),
        "form": form,
        "rows": [ShownForgetting(row, shell) for row in rows],
    }
    status = 422 if form.errors else 200
    return render(request, "forgetting/forget.html", context, status=status)


def _found_or_404(workspace: Workspace, number: int) -> Forgetting:
    found = Forgetting.objects.filter(workspace=workspace, pk=number).first()
    if found is None:
        raise Http404
    return found
