"""Pages of the manual: contents, search, one page."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_GET

from memoryhub.people.policy import workspaces
from memoryhub.web.help.presenters import INDEX, page_names, page_of, search
from memoryhub.web.kit.listing import takes

_MAX_QUERY = 200
#: Most workspaces to which an agent can be connected from here.
_WORKSPACES = 5


@require_GET
@takes("q")
def contents(request: HttpRequest) -> HttpResponse:
    """List the manual's pages, or the passages that match ``q``."""
    text = request.GET.get("q", "")[:_MAX_QUERY].strip()
    context = {
        "title": gettext("Manual"),
        "text": text,
        "page": page_of(INDEX),
        "found": search(text),
        "workspaces": workspaces()[:_WORKSPACES],
    }
    return render(request, "help/help.html", context)


@require_GET
def page(request: HttpRequest, name: str) -> HttpResponse:
    """Show a page of the manual."""
    if name not in page_names():
        raise Http404
    found = page_of(name)
    title = gettext("Manual")
    context = {
        "title": f"{found.title} · {title}",
        "crumbs": ((title, reverse("help")), (found.title, "")),
        "page": found,
    }
    return render(request, "help/page.html", context)
