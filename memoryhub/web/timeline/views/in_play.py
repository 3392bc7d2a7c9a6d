"""Page of the files that agents claim to be changing."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext
from django.views.decorators.http import require_GET

from memoryhub.people.policy import workspace_or_404
from memoryhub.timeline.queries.agents import agents_now
from memoryhub.timeline.queries.in_play import files_in_play
from memoryhub.web.kit.frame import shell_of
from memoryhub.web.kit.listing import ListQuery, parameter
from memoryhub.web.timeline.presenters.in_play import file_rows

#: Most files of a page; a text filter narrows them.
_MOST = 100


@dataclass(frozen=True, slots=True)
class InPlayQuery(ListQuery):
    """Filter of the files in play, by path or agent."""

    text: str = parameter("q", in_form=True)


@require_GET
def in_play(request: HttpRequest, slug: str) -> HttpResponse:
    """List the files in play, those changed by several active agents first."""
    workspace = workspace_or_404(slug)
    shell = shell_of(workspace, [(gettext("Files in play"), request.path)])
    agents = agents_now(workspace, shell.clock.now)
    query = InPlayQuery.of(request)
    wanted = query.text.casefold()
    found = [
        file
        for file in files_in_play(workspace, agents)
        if wanted in file.path.casefold() or wanted in " ".join(file.agents).casefold()
    ]
    context = {
        "shell": shell,
        "page": "agents",
        "title": gettext("Files in play"),
        "asked": query,
        "q": query.text,
        "files": file_rows(found[:_MOST], shell.addresses, shell.clock),
        "all_files": len(found),
        "overlaps": sum(bool(file.rivals) for file in found),
    }
    return render(request, "timeline/in_play.html", context)
