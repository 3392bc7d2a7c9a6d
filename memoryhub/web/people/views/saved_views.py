"""Saving and deletion of saved views."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from memoryhub.people.policy import person_of, workspace_or_404
from memoryhub.people.services.saved_views import delete_view, save_view
from memoryhub.web.kit.frame import shell_of
from memoryhub.web.kit.responses import SeeOther, back_to
from memoryhub.web.people.forms import SaveViewForm


@require_POST
def save(request: HttpRequest, slug: str) -> HttpResponse:
    """Save a page's address under a name; 422 with the form if invalid."""
    workspace = workspace_or_404(slug)
    person = person_of(request)
    form = SaveViewForm(request.POST, person=person, workspace=workspace)
    if not form.is_valid():
        title = gettext("Save this view")
        shell = shell_of(workspace, [(title, "")])
        context = {"shell": shell, "page": "", "title": title, "form": form}
        return render(request, "people/save_view.html", context, status=422)
    view = save_view(person, workspace, **form.cleaned_data)
    messages.success(request, gettext("Saved as “%(name)s”") % {"name": view.name})
    return SeeOther(reverse("workspace", args=[slug]) + view.address)


@require_POST
def delete(request: HttpRequest, slug: str, view: int) -> HttpResponse:
    """Delete a saved view; its page is not affected."""
    workspace = workspace_or_404(slug)
    gone = delete_view(person_of(request), workspace, view)
    if gone is None:
        raise Http404
    text = gettext("“%(name)s” was deleted from saved views") % {"name": gone.name}
    messages.success(request, text)
    return SeeOther(back_to(request, reverse("workspace", args=[slug])))
