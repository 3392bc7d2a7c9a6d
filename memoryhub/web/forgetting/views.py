"""Pages of forgetting: request, confirm, take back."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from memoryhub.forgetting import forgettings
from memoryhub.forgetting.models import Forgetting, forgettings_of
from memoryhub.formats.base import FormatError
from memoryhub.journal.models import Workspace
from memoryhub.people.policy import actor_of, workspace_or_404
from memoryhub.web.forgetting.forms import ForgetForm
from memoryhub.web.forgetting.presenters import ShownForgetting
from memoryhub.web.kit.frame import shell_of
from memoryhub.web.kit.http import HtmxRequest, page_or_partial, typed, whole_number
from memoryhub.web.kit.links import addresses_of
from memoryhub.web.kit.listing import takes
from memoryhub.web.kit.responses import SeeOther, refusal_text

_SHOWN = 50


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
