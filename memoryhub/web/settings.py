"""Settings of a workspace, its deletion and its move to another folder."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any
from zoneinfo import available_timezones

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy, ngettext
from django.views.decorators.http import require_http_methods, require_POST

from memoryhub.audit.origins import current_origin
from memoryhub.dialects.roles import Role
from memoryhub.handoffs.queries.agents import (
    Candidate,
    able_signers,
    candidates,
    possible_signers,
)
from memoryhub.jobs.models import Job
from memoryhub.jobs.services import enqueue
from memoryhub.journal.models import Workspace
from memoryhub.notices.services import WebhookState, webhook, webhook_state
from memoryhub.people.policy import may, workspace_or_404
from memoryhub.people.rights import Right
from memoryhub.reviews.queries import policies_of, rules_of
from memoryhub.sync.edit.editing import staged_paths
from memoryhub.sync.uploads import is_own_folder, is_sample
from memoryhub.web.imports.services import import_again
from memoryhub.web.kit.clock import Clock
from memoryhub.web.kit.frame import shell_of
from memoryhub.web.kit.responses import SeeOther
from memoryhub.web.reviews.pages import PolicyForm
from memoryhub.web.reviews.rows import rule_rows
from memoryhub.workspaces.services.adding import (
    BeingRemoved,
    NotAFolder,
    NotAWorkspace,
)
from memoryhub.workspaces.services.moving import (
    Match,
    PathTaken,
    compare,
    move_workspace,
)
from memoryhub.workspaces.services.removal import begin_removal
from memoryhub.workspaces.services.roles import set_roles

if TYPE_CHECKING:
    _WorkspaceForm = forms.ModelForm[Workspace]
else:
    _WorkspaceForm = forms.ModelForm

_PATTERNS = 200
_PATTERN_LENGTH = 300


@cache
def _zones() -> frozenset[str]:
    """Return the names of all time zones, cached: finding them walks files."""
    return frozenset(available_timezones())


def _offered(one: Candidate) -> str:
    """Return an agent's label in the choice of coordinators."""
    if not one.is_called_so:
        return one.name
    return gettext("%(name)s (a coordinator by its files)") % {"name": one.name}


def _signer(one: Candidate) -> str:
    """Return a person's label in the choice of signers."""
    if not one.is_called_so:
        return one.name
    return gettext("%(name)s (by their files: %(role)s)") % {
        "name": one.name,
        "role": one.role,
    }


class SettingsForm(_WorkspaceForm):
    """Settings of a workspace.

    `patterns` are the ignored paths, one per line; `roles` patterns with a role.
    """

    patterns = forms.CharField(
        required=False,
        widget=forms.Textarea({"rows": 4, "spellcheck": "false", "class": "mono"}),
        label=gettext_lazy("Ignored paths"),
        help_text=gettext_lazy(
            "One pattern per line, such as drafts/* or *.tmp.md. It matches a whole"
            " path or any part of it. Ignored files stay in the journal."
        ),
    )

    roles = forms.CharField(
        required=False,
        widget=forms.Textarea({"rows": 4, "spellcheck": "false", "class": "mono"}),
        label=gettext_lazy("Roles of files"),
        help_text=gettext_lazy(
            "One pattern and role per line, such as notes/* memory. The first that"
            " matches a path decides. Roles: memory, work list, record, instruction,"
            " document. Changing them re-reads the workspace."
        ),
    )

    class Meta:
        model = Workspace
        fields = (
            "name",
            "time_zone",
            "memory_folder",
            "max_decisions",
            "max_history",
            "review_before_writing",
            "mask_for_agents",
            "raw_context",
            "handoff_lease",
            "put_back_silent",
        )
        labels = {
            "name": gettext_lazy("Name"),
            "time_zone": gettext_lazy("Time zone"),
            "memory_folder": gettext_lazy("Memory folder"),
            "max_decisions": gettext_lazy("Decisions kept in a topic file"),
            "max_history": gettext_lazy("History lines kept in a topic file"),
            "review_before_writing": gettext_lazy("Review before writing"),
            "mask_for_agents": gettext_lazy("Mask secrets for agents"),
            "raw_context": gettext_lazy("Give OpenClaw topics unquoted"),
            "handoff_lease": gettext_lazy("Lease of a taken handoff, in minutes"),
            "put_back_silent": gettext_lazy("Put back what a silent agent holds"),
        }
        help_texts = {
            "time_zone": gettext_lazy(
                "Time zone of times that files write without one. Until you choose one,"
                " it is that of USER.md. Changing it re-reads the workspace."
            ),
            "memory_folder": gettext_lazy(
                "Where new topic files and session maps are written. Changing it"
                " re-reads the workspace."
            ),
            "max_decisions": gettext_lazy(
                "The agents' own limit. The oldest are dropped from the file when one"
                " is added; MemoryHub keeps them."
            ),
            "review_before_writing": gettext_lazy(
                "If on, edits wait on the export preview until somebody writes them;"
                " if off, they are written at once. Changes to instructions by agents"
                " always wait."
            ),
            "handoff_lease": gettext_lazy(
                "An agent that neither calls nor writes for so long is silent. With a"
                " due time its lease lasts until then."
            ),
            "put_back_silent": gettext_lazy(
                "Its handoff is open again, for the next taker; a late result of a"
                " write is refused."
            ),
            "mask_for_agents": gettext_lazy(
                "What looks like a password or a key is masked in everything that"
                " agents are given. Files on disk, REST documents and exports of files"
                " stay exact."
            ),
            "raw_context": gettext_lazy(
                "Like snap-memory. An agent's text in a topic then reads as part of"
                " another agent's system prompt."
            ),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.label_suffix = ""
        # The template renders the options: six hundred widgets take most of its time.
        self.zones = sorted({*_zones(), self.instance.time_zone})
        self.fields["time_zone"] = forms.ChoiceField(
            choices=[(zone, zone) for zone in self.zones],
            label=self.fields["time_zone"].label,
            help_text=self.fields["time_zone"].help_text,
        )
        for name in ("max_decisions", "max_history"):
            self.fields[name] = forms.IntegerField(
                min_value=1,
                max_value=10_000,
                label=self.fields[name].label,
                help_text=self.fields[name].help_text,
            )
        self.fields["handoff_lease"] = forms.IntegerField(
            required=False,
            min_value=1,
            max_value=100_000,
            label=self.fields["handoff_lease"].label,
            help_text=self.fields["handoff_lease"].help_text,
        )
        self.initial["roles"] = "\n".join(map(" ".join, self.instance.roles))
        self.initial["patterns"] = "\n".join(self.instance.ignore_patterns)
        self.fields["coordinators"] = forms.MultipleChoiceField(
            choices=[(one.name, _offered(one)) for one in candidates(self.instance)],
            widget=forms.CheckboxSelectMultiple,
            label=gettext_lazy("Coordinators"),
            help_text=gettext_lazy(
                "These agents may override, send back and act on the handoffs of"
                " others. What AGENTS.md says is a suggestion. Only people sign off"
                " decisions."
            ),
            required=False,
            initial=self.instance.coordinators,
        )
        able = able_signers(self.instance).intersection(self.instance.signers)
        # They stay ticked: where nobody is, every person may sign.
        gone = [] if able else self.instance.signers
        label = gettext("%(name)s (cannot sign off any more)")
        self.fields["signers"] = forms.MultipleChoiceField(
            choices=[
                *((one.name, _signer(one)) for one in possible_signers(self.instance)),
                *((name, label % {"name": name}) for name in gone),
            ],
            widget=forms.CheckboxSelectMultiple,
            label=gettext_lazy("Who may sign decisions off"),
            help_text=gettext_lazy(
                "Only these people, signed in to these pages. If none is ticked, every"
                " person may. What AGENTS.md says is a suggestion."
            ),
            required=False,
            initial=sorted(able) or gone,
        )

    @property
    def zone(self) -> str:
        """The current or submitted time zone."""
        return str(self["time_zone"].value())

    def clean_memory_folder(self) -> str:
        """Return the folder without slashes at its ends.

        Raises:
            ValidationError: It is empty or outside the workspace.
        """
        folder: str = self.cleaned_data["memory_folder"].strip("/")
        if not folder or ".." in folder.split("/") or "\\" in folder:
            raise forms.ValidationError(gettext("Enter a folder inside the workspace."))
        return folder

    def clean_handoff_lease(self) -> int:
        """Return the lease; without one it stays as it is."""
        return self.cleaned_data["handoff_lease"] or self.instance.handoff_lease

    def clean_roles(self) -> list[list[str]]:
        """Return pairs of pattern and role, one a line.

        Raises:
            ValidationError: a line has no role, or there are too many.
        """
        found = []
        for line in self._lines_of("roles"):
            role = next((one for one in Role if line.endswith(f" {one}")), None)
            if role is None:
                text = gettext("%(line)s does not end with a role.") % {"line": line}
                raise forms.ValidationError(text)
            found.append([line.removesuffix(role).strip(), role.value])
        return found

    def clean_patterns(self) -> list[str]:
        """Return the patterns.

        Raises:
            ValidationError: There are too many, or one is too long.
        """
        return self._lines_of("patterns")

    def _lines_of(self, name: str) -> list[str]:
        """Return a field's lines without empty ones and duplicates."""
        lines = [line.strip() for line in self.cleaned_data[name].splitlines()]
        patterns = list(dict.fromkeys(filter(None, lines)))
        if len(patterns) > _PATTERNS or any(
            len(pattern) > _PATTERN_LENGTH for pattern in patterns
        ):
            raise forms.ValidationError(gettext("Too long."))
        return patterns


@dataclass(frozen=True, slots=True)
class Moving:
    """A chosen target folder with the comparison of its files, or an error."""

    path: str
    match: Match | None = None
    wrong: str = ""


#: Settings that projections depend on; a change starts a rebuild.
_PROJECTED_WITH = {"time_zone", "memory_folder"}


@require_http_methods(["GET", "HEAD", "POST"])
def settings(request: HttpRequest, slug: str) -> HttpResponse:
    """Show or save the settings; a job applies those that affect rows."""
    workspace = workspace_or_404(slug)
    form = SettingsForm(request.POST or None, instance=workspace)
    if request.method == "POST" and form.is_valid():
        return _saved(request, form)
    return _page(request, workspace_or_404(slug), form)


@require_http_methods(["GET", "HEAD", "POST"])
def delete(request: HttpRequest, slug: str) -> HttpResponse:
    """Ask, or start the removal if the name was typed; the sample needs none."""
    workspace = workspace_or_404(slug)
    if request.method != "POST":
        return _asked(request, workspace)
    typed = request.POST.get("name", "").strip()
    if not is_sample(workspace.root) and typed != workspace.name:
        text = gettext("Type the name exactly as shown. Nothing was deleted.")
        return _page(request, workspace, SettingsForm(instance=workspace), wrong=text)
    job = begin_removal(workspace)
    if not may(Right.WORKSPACES, ""):
        text = gettext("%(name)s is being deleted") % {"name": workspace.name}
        messages.success(request, text)
        return SeeOther(reverse("home"))
    return SeeOther(reverse("import", args=[job.pk]))


@require_POST
def move(request: HttpRequest, slug: str) -> HttpResponse:
    """Compare the files of another folder; move the workspace there if confirmed."""
    workspace = workspace_or_404(slug)
    path = request.POST.get("path", "").strip().replace("\x00", "")
    form = SettingsForm(instance=workspace)
    try:
        if not request.POST.get("sure"):
            match = compare(workspace, path)
            return _page(request, workspace, form, moving=Moving(path, match))
        move_workspace(workspace, path)
    except NotAFolder:
        wrong = gettext("%(path)s is not a folder on this computer.") % {"path": path}
    except NotAWorkspace:
        wrong = gettext("That folder cannot be a workspace.")
    except PathTaken as error:
        wrong = gettext("That is the folder of the workspace %(slug)s.") % {
            "slug": error.slug
        }
    except BeingRemoved:
        wrong = gettext("The workspace of that folder is still being deleted.")
    else:
        messages.success(request, gettext("The workspace lies in its new folder"))
        return SeeOther(reverse("import", args=[import_again(workspace).pk]))
    return _page(request, workspace, form, moving=Moving(path, wrong=wrong))


def _saved(request: HttpRequest, form: SettingsForm) -> HttpResponse:
    changed = set(form.changed_data)
    if not changed:
        current_origin().reads = True
        return SeeOther(request.path)
    workspace = form.save(commit=False)
    workspace.ignore_patterns = form.cleaned_data["patterns"]
    workspace.coordinators = form.cleaned_data["coordinators"]
    workspace.signers = form.cleaned_data["signers"]
    workspace.zone_chosen = workspace.zone_chosen or "time_zone" in changed
    own = ("ignore_patterns", "coordinators", "signers", "zone_chosen")
    workspace.save(update_fields=[*SettingsForm.Meta.fields, *own])
    job = set_roles(workspace, form.cleaned_data["roles"])
    if changed & _PROJECTED_WITH:
        job = enqueue(Job.Kind.REBUILD, workspace.pk, {"root": workspace.root})
    if "patterns" in changed:
        job = import_again(workspace)
    if job is not None:
        messages.success(request, gettext("Settings saved; they are being applied"))
        return SeeOther(reverse("import", args=[job.pk]))
    messages.success(request, gettext("Settings saved"))
    return SeeOther(request.path)


def _asked(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """Render the page that asks before a workspace is deleted."""
    title = gettext("Delete %(name)s?") % {"name": workspace.name}
    context = {
        "shell": shell_of(workspace, [(gettext("Delete"), request.path)]),
        "page": "settings",
        "title": title,
        **_deletion(workspace),
    }
    return render(request, "settings/delete.html", context)


def _deletion(workspace: Workspace) -> dict[str, bool]:
    """Return the template values of the deletion form."""
    return {
        "is_sample": is_sample(workspace.root),
        "is_own": is_own_folder(workspace.root),
    }


def _page(
    request: HttpRequest,
    workspace: Workspace,
    form: SettingsForm,
    *,
    wrong: str = "",
    moving: Moving | None = None,
) -> HttpResponse:
    shell = shell_of(workspace, [(gettext("Settings"), request.path)])
    context = {
        "shell": shell,
        "page": "settings",
        "title": gettext("Settings"),
        "form": form,
        "webhook": webhook_panel(shell.clock),
        "waiting": len(staged_paths(workspace)),
        "policies": PolicyForm.of(policies_of(workspace)),
        "rules": rule_rows(rules_of(workspace), shell),
        **_deletion(workspace),
        "wrong": wrong,
        "moving": moving,
    }
    is_wrong = wrong or form.errors or (moving and moving.wrong)
    status = 422 if is_wrong else 200
    return render(request, "settings/settings.html", context, status=status)


def webhook_panel(clock: Clock) -> dict[str, object] | None:
    """Return the webhook's state; None if none is set up."""
    hook = webhook()
    if hook is None:
        return None
    state = webhook_state()
    glyph, words = _state(state, clock)
    return {"host": hook.host, "glyph": glyph, "state": words, "facts": _facts(state)}


def _state(state: WebhookState, clock: Clock) -> tuple[str, str]:
    if state.tried_at is None:
        return "idle", gettext("Nothing posted yet")
    if state.is_failing:
        words = {"age": clock.age(state.tried_at), "error": state.error}
        return "failed", gettext("Failing, %(age)s: %(error)s") % words
    return "done", gettext("Last delivery %(age)s") % {"age": clock.age(state.tried_at)}


def _facts(state: WebhookState) -> list[str]:
    facts = []
    if state.waiting:
        text = ngettext("%(n)s to deliver", "%(n)s to deliver", state.waiting)
        facts.append(text % {"n": state.waiting})
    if state.given_up:
        text = ngettext("%(n)s given up", "%(n)s given up", state.given_up)
        facts.append(text % {"n": state.given_up})
    return facts
