"""Settings of a workspace, its deletion and its move to another folder."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_http_methods, require_POST

from memoryhub.audit.origins import current_origin
from memoryhub.jobs.models import Job
from memoryhub.jobs.services import enqueue
from memoryhub.journal.models import Workspace
from memoryhub.notices.services import WebhookState, webhook, webhook_state
from memoryhub.people.policy import may, workspace_or_404
from memoryhub.people.rights import Right
from memoryhub.reviews.queries import policies_of, rules_of
from memoryhub.sync.edit.staging import staged_paths
from memoryhub.sync.uploads import is_own_folder, is_sample
from memoryhub.web.imports.services import import_again
from memoryhub.web.kit.clock import Clock
from memoryhub.web.kit.frame import shell_of
from memoryhub.web.kit.responses import SeeOther
from memoryhub.web.reviews.forms import PolicyForm
from memoryhub.web.reviews.presenters import rule_rows
from memoryhub.web.settings.forms import SettingsForm
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
